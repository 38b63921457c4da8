/** What is counted of a page, and what the site's memory learns from it. */
import { countLabel } from '../contracts/counts.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { normalPath } from '../web/url/web-url.ts'
import type { PageResult } from './ask-for.ts'
import { failureOutcome } from './failures.ts'
import { learnFromForm } from './form-actions.ts'
import { blankPage } from './page-facts.ts'
import { judge, type Seen } from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { answered } from './site-failures.ts'
import type { SiteTools } from './tools.ts'

export function tellPage(end: PageResult, reporter: Reporter, tools: SiteTools): void {
  const { page, failure, again } = end
  const { tally } = reporter
  // Before anything is told or counted: should a detector throw, the page is told as one that cannot be read, and once.
  if (isToBeJudged(end)) judge(page, seenOf(page, again, tools), false, reporter, tools)
  reporter.page(page)
  learnFromForm(page, reporter, tools.urls)
  const asked = page.status > 0 || failure !== undefined
  if (asked) countRequest(page, reporter)
  if (failure !== undefined) tally.add(`failure:${failure}`)
  if (asked && page.outcome.kind !== 'later') tally.add('fetched')
  if (page.annotations.some((note) => note.endsWith('Trunc'))) tally.add('cut')
  if (page.outcome.kind === 'refused') {
    if (page.outcome.by === 'unwanted') tally.add(`unwanted:${countLabel(page.mediaType)}`)
    else tally.add(`refused:${page.outcome.by}`)
  }
  if (page.outcome.kind === 'read') tally.add('sitemaps')
  const kept = page.outcome.kind === 'kept'
  if (kept) {
    tally.add('documents')
    tally.add('bytes', page.bytes)
    tally.add(`type:${countLabel(page.mediaType)}`)
    tally.add(`typeBytes:${countLabel(page.mediaType)}`, page.bytes)
    for (const note of page.annotations) if (/^(?:coding|certificate):/.test(note)) tally.add(`trouble:${note}`)
  }
  if (kept && end.judged?.duplicate) tally.add('duplicates')
  // Also a 503 is an answer.
  if (page.status > 0 && page.outcome.kind === 'later') reporter.remember(answered(reporter.memory))
}

/** Answers that the detectors have not seen yet. What dripped until the deadline has shown something, though it is tried again. */
function isToBeJudged({ page, failure, judged }: PageResult): boolean {
  if (page.outcome.kind === 'later') return failure !== undefined && page.bytes > 0
  return page.status > 0 && judged === undefined
}

/** Of an answer that was not read: what its URL says. */
function seenOf({ url }: PageReport, again: boolean | undefined, { urls }: SiteTools): Seen {
  const read = urls.parse(url)
  return { path: read === undefined ? '/' : normalPath(read), again, links: [], crossSite: 0 }
}

/** A connection was closed under the request twice in a row: that is a failure after all. */
export function tellStale(item: AgendaItem, reporter: Reporter, tools: SiteTools): void {
  const now = tools.clock.now()
  const outcome = failureOutcome('reset', item.tries + 1, now, 0, tools.patience)
  const page = { ...blankPage(item, now, outcome), tries: item.tries + 1, status: statusOfFailure('reset') }
  tellPage({ kind: 'told', page, failure: 'reset' }, reporter, tools)
}

export function reportOwnRequest(page: PageReport, reporter: Reporter): void {
  reporter.page(page)
  countRequest(page, reporter)
}

function countRequest(page: PageReport, reporter: Reporter): void {
  reporter.tally.add('requests')
  reporter.tally.add('wireBytes', page.bytes)
  if (page.status > 0) reporter.tally.add(`status:${page.status}`)
}
