/** Records what became of a URL: in the report, in the counts, and in the site's memory. */
import { countLabel, type LookResult } from '../contracts/counts.ts'
import type { Exchange } from '../contracts/exchange.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import { type AgendaItem, OWN_REQUEST_PATH } from '../contracts/visit.ts'
import { normalPath, type UrlReader } from '../web/url/web-url.ts'
import { keep } from './answers.ts'
import { failureOfStatus, withAnswer } from './failures.ts'
import { learnFromForm } from './form-actions.ts'
import { decideOutcome, unansweredReport } from './page-outcome.ts'
import { type PageResult, reportOf, resultOf } from './page-result.ts'
import { judge, type Seen } from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import type { PolicyTools, RequestTools, StorageTools } from './tools.ts'

export function recordResult(result: PageResult, reporter: Reporter, tools: PolicyTools): void {
  const { page, failure, before } = result
  const { tally } = reporter
  // First of all: if a detector throws, the page is recorded once, as one that cannot be read.
  if (isUnjudged(result)) judge(page, unreadFacts(page, before !== undefined, tools), false, reporter, tools)
  reporter.addPage(page)
  learnFromForm(page, reporter, tools.urls)
  const requested = page.status > 0 || failure !== undefined
  if (requested) countRequest(page, reporter)
  if (failure !== undefined) tally.add(`failure:${failure}`)
  if (requested && page.outcome.kind !== 'later') tally.add('fetched')
  if (page.annotations.some((note) => note.endsWith('Trunc'))) tally.add('cut')
  if (page.outcome.kind === 'refused') {
    if (page.outcome.by === 'unwanted') tally.add(`unwanted:${countLabel(page.mediaType)}`)
    else tally.add(`refused:${page.outcome.by}`)
  }
  if (page.outcome.kind === 'read' && before?.was !== 'read') tally.add('sitemaps')
  if (before !== undefined) tally.add(`looks:${lookLabel(page)}`)
  // A second look at a page brings no second document.
  if (page.outcome.kind === 'kept' && before?.was !== 'kept') {
    tally.add('documents')
    tally.add('bytes', page.bytes)
    tally.add(`type:${countLabel(page.mediaType)}`)
    tally.add(`typeBytes:${countLabel(page.mediaType)}`, page.bytes)
    for (const note of page.annotations) if (/^(?:coding|certificate):/.test(note)) tally.add(`trouble:${note}`)
    if (result.judged?.duplicate) tally.add('duplicates')
  }
  // A 503 is an answer too.
  if (page.status > 0 && page.outcome.kind === 'later') reporter.remember(withAnswer(reporter.memory))
}

/** What a look at a known page brought. */
function lookLabel({ outcome, status }: PageReport): LookResult {
  switch (outcome.kind) {
    case 'kept':
      return outcome.how !== 'same' ? 'changed' : status === 304 ? 'unmodified' : 'same'
    case 'read':
      return outcome.same === undefined ? 'changed' : status === 304 ? 'unmodified' : 'same'
    case 'gone':
    case 'later':
      return 'failed'
    default:
      return outcome.kind
  }
}

/** Answers that the detectors have not seen. A drip-feed has shown something, though it is tried again. */
function isUnjudged({ page, failure, judged }: PageResult): boolean {
  if (page.outcome.kind === 'later') return failure !== undefined && page.bytes > 0
  return page.status > 0 && judged === undefined
}

/** What the URL of an unread answer says. */
function unreadFacts({ url }: PageReport, again: boolean, { urls }: PolicyTools): Seen {
  const parsed = urls.parse(url)
  return { path: parsed === undefined ? '/' : normalPath(parsed), again, links: [], crossSite: 0 }
}

/** A connection was closed under the request twice in a row: that is a failure after all. */
export function recordStale(item: AgendaItem, reporter: Reporter, tools: PolicyTools & RequestTools): void {
  const at = tools.clock.now()
  const failure = 'reset'
  const tries = item.tries + 1
  const outcome = decideOutcome({ kind: 'failed', failure, tries, at, patience: tools.patience })
  const page = unansweredReport(item, at, failure, outcome, tries)
  recordResult({ ...resultOf(item, page), failure }, reporter, tools)
}

/** robots.txt and the check for a missing page are archived and logged like pages, but never documents nor in the queue. */
export async function recordOwnRequest(
  exchange: Exchange,
  reporter: Reporter,
  tools: StorageTools & PolicyTools,
  notes: readonly string[] = [],
): Promise<void> {
  const { answer } = exchange
  const isAnswer = answer.kind === 'full' || answer.kind === 'cut'
  const status =
    answer.kind === 'failed' ? statusOfFailure(answer.failure.kind) : 'head' in answer ? answer.head.status : 0
  const failure = answer.kind === 'failed' ? answer.failure.kind : failureOfStatus(status)
  const capture = isAnswer ? (await keep(exchange, answer, reporter, tools)).capture : undefined
  const outcome = decideOutcome({ kind: 'own-request', failure })
  const page = reportOf(ownRequestOf(exchange, tools.urls), exchange, outcome, {
    capture,
    status,
    notes,
    ownRequest: true,
  })
  reporter.addPage(page)
  countRequest(page, reporter)
}

export function ownRequestOf({ url, sentAt }: Exchange, urls: UrlReader): AgendaItem {
  return { url, key: urls.parse(url)?.key ?? 0n, depth: 0, dueAt: sentAt, tries: 0, path: OWN_REQUEST_PATH }
}

function countRequest(page: PageReport, reporter: Reporter): void {
  reporter.tally.add('requests')
  reporter.tally.add('wireBytes', page.bytes)
  if (page.status > 0) reporter.tally.add(`status:${page.status}`)
}
