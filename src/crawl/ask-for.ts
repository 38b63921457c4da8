/**
 * From a URL that waits to an answer that can be read: what pages and sitemaps have in common. Wanted, permitted, asked for;
 * every way in which that ends before there is anything to read is here, by the table of failures.
 */
import { type Body, type Exchange, type Headers, STALE_CONNECTION, type Want } from '../contracts/exchange.ts'
import { isByForm } from '../contracts/generation.ts'
import type { FailureKind, Outcome } from '../contracts/outcome.ts'
import type { StoredCopy } from '../contracts/ports.ts'
import type { Capture, PageReport } from '../contracts/report.ts'
import { statusOfFailure, statusOfRefusal } from '../contracts/status-codes.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { Robots } from '../web/robots/robots.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { type Asking, ask } from './ask.ts'
import { BROKEN_OFF, failureOfStatus, failureOutcome, waitAfter } from './failures.ts'
import { vainForm, vainWords } from './form-actions.ts'
import { blankPage, redirectTarget, reportOf } from './page-facts.ts'
import { isListed, type Judgement, stoppedBy } from './report-hazards.ts'
import type { ScreenTools } from './screen.ts'
import { bytesLeft, isSitemap, TOO_MANY_BYTES } from './sitemaps.ts'
import type { SiteTools } from './tools.ts'

export interface PageTools {
  site: SiteTools
  asking: Asking
  robots: Robots
  screen: ScreenTools
}

export interface PageResult {
  kind: 'told'
  page: PageReport
  failure?: FailureKind
  /** It was looked at before. */
  again?: boolean
  /** The detectors have seen it; others are shown to them when they are told. */
  judged?: Judgement
}

export type PageEnd =
  | PageResult
  /** Nothing was asked: stopped, or the lease is too short. The URL stays in the queue. */
  | { kind: 'not-asked' }
  /** A kept connection was closed under the request: asked once more on a new one, after the pause; no failure. */
  | { kind: 'stale' }

export interface Answered {
  url: WebUrl
  exchange: Exchange
  answer: Body
  /** What the answer says of itself; it is filled in on the way. */
  page: PageReport
}

export type Asked =
  | PageEnd
  | (Answered & { kind: 'elsewhere'; target: WebUrl })
  /** 2xx, and as much of it as we want. */
  | (Answered & { kind: 'here' })

export async function askFor(
  item: AgendaItem,
  wants: (status: number, headers: Headers) => Want,
  tools: PageTools,
): Promise<Asked> {
  const { clock, patience, urls } = tools.site
  const url = urls.parse(item.url)
  if (url === undefined) return refused(item, 'scope', 'malformed', clock.now())
  const unwanted = refuseUnwanted(item, url, tools)
  if (unwanted !== undefined) return unwanted
  const permit = tools.robots.permits(url.path)
  if (!permit.yes) return refused(item, 'robots', permit.rule, clock.now())

  const exchange = await ask(item.url, wants, tools.asking, tools.site)
  if (exchange === undefined || exchange.answer.kind === 'withheld') return { kind: 'not-asked' }
  const { answer } = exchange
  const page = reportOf(exchange, item)
  if (answer.kind === 'failed') {
    if (answer.failure.detail === STALE_CONNECTION) return { kind: 'stale' }
    page.status = statusOfFailure(answer.failure.kind)
    return fail(item, answer.failure.kind, exchange, page, tools)
  }
  if (answer.kind === 'declined') {
    return end(item, { kind: 'refused', by: 'unwanted', rule: answer.want.rule }, page)
  }

  const target = redirectTarget(answer.head, item.url, urls)
  if (target !== undefined) return { kind: 'elsewhere', target, url, exchange, answer, page }
  const failure = failureOfStatus(answer.head.status)
  if (failure !== undefined) {
    page.capture = await keep(exchange, answer, tools.site)
    return fail(item, failure, exchange, page, tools)
  }
  // A body that broke off is asked for again (C3); on the last try what came is better than nothing: kept cut and marked.
  const broken = answer.kind === 'cut' ? BROKEN_OFF[answer.why] : undefined
  if (broken !== undefined && waitAfter(broken, item.tries + 1, patience) !== undefined) {
    page.status = statusOfFailure(broken)
    return fail(item, broken, exchange, page, tools)
  }
  return { kind: 'here', url, exchange, answer, page }
}

export function end(item: AgendaItem, outcome: Outcome, page: PageReport, failure?: FailureKind): PageResult {
  page.outcome = outcome
  if (page.capture?.kind === 'revisit') page.annotations = [...page.annotations, 'dup']
  return { kind: 'told', page, failure, again: item.before !== undefined }
}

/** As the table says: later, or gone. */
export function fail(
  item: AgendaItem,
  kind: FailureKind,
  exchange: Exchange,
  page: PageReport,
  { site, asking }: PageTools,
): PageResult {
  const outcome = failureOutcome(kind, item.tries + 1, exchange.answeredAt, asking.courtesy.wait, site.patience)
  return end(item, outcome, page, kind)
}

/** What nobody wants (any more), whatever robots.txt says: a site with nothing else is not even asked for that. */
export function refuseUnwanted(
  item: AgendaItem,
  url: WebUrl,
  tools: Pick<PageTools, 'site' | 'screen'>,
): PageResult | undefined {
  const { site, screen } = tools
  const now = site.clock.now()
  const sitemap = isSitemap(item)
  if (sitemap && site.sitemaps === 'no') return refused(item, 'scope', 'sitemaps no', now)
  if (sitemap && item.before === undefined && bytesLeft(screen.reporter.memory) === 0)
    return refused(item, 'hazard', TOO_MANY_BYTES, now)
  const judge = () => (sitemap ? screen.scope.judgeSitemap(url) : screen.scope.judge(url, item.depth))
  const wanted = watched(item, tools, judge)
  if (!wanted.yes) return refused(item, 'scope', wanted.rule, now)
  const vain = isByForm(item.path) ? vainForm(url, screen.reporter.memory) : undefined
  if (vain !== undefined) {
    screen.reporter.tally.add('stopped:form-action')
    return refused(item, 'hazard', vainWords(vain), now)
  }
  // What a sitemap lists is followed like the links of a page.
  const depth = sitemap ? 1 : isListed(item.path, screen.reporter.memory) ? 0 : item.depth
  const stopped = stoppedBy(url, { ...item, depth }, screen.reporter, site)
  if (stopped === undefined) return undefined
  return refused(item, 'hazard', stopped.rule, now, stopped.held)
}

export function refused(
  item: AgendaItem,
  by: 'scope' | 'robots' | 'hazard',
  rule: string,
  at: number,
  held = false,
): PageResult {
  const page = blankPage(item, at, held ? { kind: 'refused', by, rule, held } : { kind: 'refused', by, rule })
  page.status = statusOfRefusal(by, rule)
  return { kind: 'told', page }
}

/** Written at once; a payload that is in the collection already becomes a revisit of it. */
export async function keep(exchange: Exchange, body: Body, tools: SiteTools): Promise<Capture> {
  return (await keepBesideCopy(exchange, body, tools)).capture
}

export async function keepBesideCopy(
  exchange: Exchange,
  body: Body,
  tools: SiteTools,
): Promise<{ capture: Capture; copy: StoredCopy | undefined }> {
  const digest = payloadDigest(body)
  const copy = body.payload.length === 0 ? undefined : (tools.archive.copyOf(digest) ?? (await tools.findCopy(digest)))
  return { capture: tools.archive.keep(exchange, digest, copy), copy }
}

/** What runs over a stranger's words with an operator's patterns may never return; the watch notices it (V6). */
export function watched<T>(item: AgendaItem, { site, screen }: Pick<PageTools, 'site' | 'screen'>, work: () => T): T {
  site.watch.begin(screen.reporter.visit, item)
  try {
    return work()
  } finally {
    site.watch.end()
  }
}
