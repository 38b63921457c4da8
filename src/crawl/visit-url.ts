/**
 * The turn of one URL: wanted, permitted, requested, answered; the same for pages and sitemaps. It ends here when there is
 * nothing to read; otherwise `visit-page.ts` or `visit-sitemap.ts` go on with the answer.
 */
import { type Exchange, type Headers, STALE_CONNECTION, type Want } from '../contracts/exchange.ts'
import { isByForm } from '../contracts/generation.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { Robots } from '../web/robots/robots.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { type Answered, keep, type ReadAnswer, redirectTarget, watched } from './answers.ts'
import { passCookieCheck } from './cookie-check.ts'
import { BROKEN_OFF, failureOfStatus, waitAfter } from './failures.ts'
import { offerPlainer } from './follow-links.ts'
import { formRefusal, uselessForm } from './form-actions.ts'
import { conditionsFor, unchanged, unmodified } from './look-again.ts'
import { decideOutcome } from './page-outcome.ts'
import { type Found, type PageResult, refused, reportOf, resultOf } from './page-result.ts'
import { isListed, stoppedBy } from './report-hazards.ts'
import { request, type SiteConnection } from './request.ts'
import { endAfter } from './site-failures.ts'
import { bytesLeft, IN_VAIN, isInVain, isSitemap, TOO_MANY_BYTES } from './sitemaps.ts'
import type { SiteTools, VisitState } from './tools.ts'

export interface PageTools {
  site: SiteTools
  connection: SiteConnection
  robots: Robots
  state: VisitState
}

export type PageEnd =
  | PageResult
  /** Stopped, or the lease is too short. The URL stays in the queue. */
  | { kind: 'not-requested' }
  /** A kept connection was closed under the request: repeated once on a new one, after the pause; not a failure. */
  | { kind: 'stale' }

/** What pages and sitemaps do differently. */
export interface ContentKind {
  wants(item: AgendaItem, status: number, headers: Headers, tools: PageTools): Want
  moved(item: AgendaItem, answered: Answered, target: WebUrl, tools: PageTools): Promise<PageResult>
  /** 2xx, and as much of it as is wanted. */
  read(item: AgendaItem, answered: ReadAnswer, tools: PageTools): Promise<PageResult>
}

export async function visitUrl(item: AgendaItem, kind: ContentKind, tools: PageTools): Promise<PageEnd> {
  const { clock, urls } = tools.site
  const url = urls.parse(item.url)
  if (url === undefined) return refused(item, 'scope', 'malformed', clock.now())
  const unwanted = refuseUnwanted(item, url, tools)
  if (unwanted !== undefined) return unwanted
  const permit = tools.robots.permits(url.path)
  if (!permit.allowed) return refused(item, 'robots', permit.rule, clock.now())

  const wants = (status: number, headers: Headers) => kind.wants(item, status, headers, tools)
  const conditions = conditionsFor(item, tools.state.reporter.memory, clock.now())
  const { connection, robots } = tools
  const ask = () => request(item.url, wants, connection, tools.site, conditions)
  const { changes } = connection.cookies
  let exchange = await ask()
  if (exchange !== undefined && (await passCookieCheck(url, exchange, changes, robots, connection, tools)))
    exchange = await ask()
  if (exchange === undefined || exchange.answer.kind === 'withheld') return { kind: 'not-requested' }
  const { answer } = exchange
  if (answer.kind === 'failed') {
    if (answer.failure.detail === STALE_CONNECTION) return { kind: 'stale' }
    return failed(item, answer.failure.kind, exchange, tools, { status: statusOfFailure(answer.failure.kind) })
  }
  if (answer.kind === 'declined') {
    const outcome = decideOutcome({ kind: 'refused', by: 'unwanted', rule: answer.want.rule })
    return resultOf(item, reportOf(item, exchange, outcome, {}))
  }
  const answered = { url, exchange, answer, isAsked: conditions.length > 0 }
  if (answer.head.status === 304 && answered.isAsked && item.before !== undefined)
    return unmodified(item, item.before, answered, tools)
  const target = redirectTarget(answer.head, item.url, urls)
  if (target !== undefined) return kind.moved(item, answered, target, tools)
  const failure = failureOfStatus(answer.head.status)
  if (failure !== undefined) {
    const { capture } = await keep(exchange, answer, tools.state.reporter, tools.site)
    return failed(item, failure, exchange, tools, { capture })
  }
  // A body that broke off is requested again (C3). After the last try, what came is better than nothing: kept and marked.
  const broken = answer.kind === 'cut' ? BROKEN_OFF[answer.why] : undefined
  if (broken !== undefined && waitAfter(broken, item.tries + 1, tools.site.patience) !== undefined)
    return failed(item, broken, exchange, tools, { status: statusOfFailure(broken) })
  const whole = { ...answered, digest: payloadDigest(answer) }
  return unchanged(item, whole, tools) ?? kind.read(item, whole, tools)
}

/** As the table says: later, or gone; gone, too, if its site is given up because of it. */
export function failed(
  item: AgendaItem,
  failure: FailureKind,
  exchange: Exchange,
  { site, state, connection: { courtesy } }: PageTools,
  found: Found,
): PageResult {
  const { answer, answeredAt: at } = exchange
  const minWait = courtesy.wait
  const bytes = 'payload' in answer ? answer.payload.length : 0
  const visitEnd = endAfter(failure, item, bytes, { reporter: state.reporter, courtesy, tools: site })
  const tries = item.tries + 1
  const outcome = decideOutcome(
    visitEnd === 'given-up'
      ? { kind: 'given-up', failure }
      : { kind: 'failed', failure, tries, at, minWait, patience: site.patience },
  )
  return { ...resultOf(item, reportOf(item, exchange, outcome, found)), failure, visitEnd }
}

/** Whatever robots.txt says: a site with only unwanted URLs is not even sent a request for that. */
export function refuseUnwanted(
  item: AgendaItem,
  url: WebUrl,
  tools: Pick<PageTools, 'site' | 'state'>,
): PageResult | undefined {
  const { site, state } = tools
  const { memory, tally } = state.reporter
  const now = site.clock.now()
  const sitemap = isSitemap(item)
  if (sitemap && site.sitemaps === 'no') return refused(item, 'scope', 'sitemaps no', now)
  if (sitemap && item.before === undefined && bytesLeft(memory) === 0)
    return refused(item, 'hazard', TOO_MANY_BYTES, now)
  if (sitemap && item.before === undefined && isInVain(memory) && !site.trusts(state.site, IN_VAIN))
    return refused(item, 'hazard', IN_VAIN, now)
  const judge = () => (sitemap ? state.scope.judgeSitemap(url) : state.scope.judge(url, item.depth))
  const wanted = watched(item, tools, judge)
  if (!wanted.yes) return refused(item, 'scope', wanted.rule, now)
  // It is in the collection, and looking again adds nothing to a trap.
  if (item.before !== undefined) return undefined
  const useless = isByForm(item.path) ? uselessForm(url, memory) : undefined
  if (useless !== undefined) {
    tally.add('stopped:form-action')
    return refused(item, 'hazard', formRefusal(useless), now)
  }
  // What a sitemap lists is followed like the links of a page.
  const depth = sitemap ? 1 : isListed(item.path, memory) ? 0 : item.depth
  const stopped = stoppedBy(url, { ...item, depth }, state.reporter, site)
  if (stopped === undefined) return undefined
  offerPlainer(url, item, state)
  return refused(item, 'hazard', stopped.rule, now, stopped.held)
}
