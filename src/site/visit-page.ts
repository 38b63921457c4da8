/**
 * The life of one page. Every branch is in `visitPage`; its tools look and answer, and decide nothing.
 */
import { packLinks } from '../visit/adjacency.ts'
import { type Body, type Exchange, STALE_CONNECTION } from '../visit/exchange.ts'
import type { FailureKind, Outcome } from '../visit/outcome.ts'
import type { Twin } from '../visit/ports.ts'
import type { Capture, PageReport } from '../visit/report.ts'
import { statusOfFailure, statusOfRefusal } from '../visit/status-codes.ts'
import type { AgendaItem } from '../visit/visit.ts'
import type { Robots } from '../web/robots/robots.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/payload.ts'
import { type Asking, ask } from './ask.ts'
import {
  compareSites,
  contentOf,
  type Judgement,
  judge,
  saysNothing,
  stoppedBy,
  UNSUPPORTED_BROWSER,
} from './beware.ts'
import { BROKEN_OFF, failureOfStatus, settle, waitAfter } from './failures.ts'
import { learnFromHint } from './hints.ts'
import { blankPage, factsOf, isDuplicate, memoryOf, redirectTarget, wantPage } from './page-facts.ts'
import { followLinks, linkFacts, type ScreenTools, screenRedirect } from './screen.ts'
import { isSitemap } from './sitemaps.ts'
import type { SiteTools } from './tools.ts'
import { understand } from './understand.ts'

export interface PageTools {
  site: SiteTools
  asking: Asking
  robots: Robots
  screen: ScreenTools
}

export interface PageTold {
  kind: 'told'
  page: PageReport
  failure?: FailureKind
  /** The detectors have seen it; others are shown to them when they are told. */
  judged?: Judgement
}

export type PageEnd =
  | PageTold
  /** Nothing was asked: stopped, or the lease is too short. The URL stays in the queue. */
  | { kind: 'not-asked' }
  /** A kept connection was closed under the request: asked once more on a new one, after the pause; no failure. */
  | { kind: 'stale' }

export async function visitPage(item: AgendaItem, tools: PageTools): Promise<PageEnd> {
  const { clock, patience } = tools.site
  const { asking, screen } = tools
  const end = (at: number, outcome: Outcome, facts: Partial<PageReport>, failure?: FailureKind): PageTold => {
    const page = { ...blankPage(item, at, outcome), ...facts }
    if (page.capture?.kind === 'revisit') page.annotations = [...page.annotations, 'dup']
    return { kind: 'told', page, failure }
  }
  const fail = (kind: FailureKind, exchange: Exchange, facts: Partial<PageReport>): PageEnd => {
    const outcome = settle(kind, item.tries + 1, exchange.answeredAt, asking.courtesy.wait, patience)
    return end(exchange.sentAt, outcome, facts, kind)
  }

  const url = tools.site.urls.parse(item.url)
  if (url === undefined) return refused(item, 'scope', 'malformed', clock.now())
  const unwanted = refuseUnwanted(item, url, tools)
  if (unwanted !== undefined) return unwanted
  const permit = tools.robots.permits(url.path)
  if (!permit.yes) return refused(item, 'robots', permit.rule, clock.now())

  const exchange = await ask(item.url, (status, headers) => wantPage(status, headers, screen.scope), asking, tools.site)
  if (exchange === undefined || exchange.answer.kind === 'withheld') return { kind: 'not-asked' }
  const { answer } = exchange
  const facts = factsOf(exchange, item)
  if (answer.kind === 'failed') {
    if (answer.failure.detail === STALE_CONNECTION) return { kind: 'stale' }
    return fail(answer.failure.kind, exchange, { ...facts, status: statusOfFailure(answer.failure.kind) })
  }
  if (answer.kind === 'declined') {
    return end(exchange.sentAt, { kind: 'refused', by: 'unwanted', rule: answer.want.rule }, facts)
  }

  const target = redirectTarget(answer.head, item.url, tools.site.urls)
  if (target !== undefined) {
    const capture = await keep(exchange, answer, tools.site)
    screen.reporter.begin()
    const moved = end(exchange.sentAt, { kind: 'moved', to: target.href }, { ...facts, capture })
    const seen = { path: normalPath(url), again: item.before !== undefined, ...linkFacts([target], screen) }
    moved.judged = judge(moved.page, seen, false, screen.reporter, tools.site)
    moved.page.links = packLinks([watched(item, tools, () => screenRedirect(target, item, screen))])
    return moved
  }
  const failure = failureOfStatus(answer.head.status)
  if (failure !== undefined) {
    const capture = await keep(exchange, answer, tools.site)
    return fail(failure, exchange, { ...facts, capture })
  }

  // A body that broke off is asked for again (C3); on the last try what came is better than nothing: kept cut and marked.
  const broken = answer.kind === 'cut' ? BROKEN_OFF[answer.why] : undefined
  if (broken !== undefined && waitAfter(broken, item.tries + 1, patience) !== undefined) {
    return fail(broken, exchange, { ...facts, status: statusOfFailure(broken) })
  }

  screen.reporter.begin()
  // Read before it is kept, because only its text says whether it may be: `noindex` is not kept (C4).
  const understood = watched(item, tools, () => understand(item, answer, facts.mediaType, tools))
  const { directives, links, sniffed } = understood
  const reading = understood.reading === 'failed' ? undefined : understood.reading
  const told: Partial<PageReport> = {
    ...facts,
    title: reading?.title ?? '',
    language: reading?.language,
    sniffed,
    annotations: [...(facts.annotations ?? []), ...understood.notes],
  }
  const follow = (unlessHazard: boolean) =>
    watched(item, tools, () => {
      const why = directives.nofollow ? 'directive' : unlessHazard ? 'yes' : 'hazard'
      return packLinks(followLinks(links, { item, follow: why }, screen))
    })
  if (directives.noindex) {
    told.links = follow(screen.reporter.memory.stopped === undefined)
    return end(exchange.sentAt, { kind: 'refused', by: 'directive', rule: 'noindex' }, told)
  }

  if (facts.mediaType === '' && sniffed !== undefined && !screen.scope.wantsMedia(sniffed)) {
    const rule = `media type ${sniffed}, as its bytes say`
    return end(exchange.sentAt, { kind: 'refused', by: 'unwanted', rule }, { ...told, mediaType: sniffed })
  }

  const { capture, twin } = await keepBesideTwin(exchange, answer, tools.site)
  if (understood.reading === 'failed') return fail('reading', exchange, { ...told, capture })
  const memory = memoryOf(capture, reading, answer.head.headers)
  const how = item.before === undefined ? 'first' : item.before.digest === capture.digest ? 'same' : 'changed'
  // The detectors see a page before its links are followed: one that gives a trap away adds nothing more to it.
  const scolds = reading !== undefined && saysNothing(reading, screen.reporter, tools.site)
  const outcome: Outcome = scolds ? { kind: 'refused', by: 'hazard', rule: UNSUPPORTED_BROWSER } : { kind: 'kept', how }
  const kept = end(exchange.sentAt, outcome, { ...told, capture, memory: scolds ? undefined : memory })
  const seen = {
    path: normalPath(url),
    again: item.before !== undefined,
    content: reading && contentOf(reading, capture.digest),
    ...linkFacts(
      links.flatMap(({ found, url }) => (found.kind === 'embed' ? [] : [url])),
      screen,
    ),
  }
  kept.judged = judge(kept.page, seen, isDuplicate(kept.page, screen.contents), screen.reporter, tools.site)
  learnFromHint(item, kept.page, screen.reporter)
  if (!scolds) compareSites(kept.page, url.path === '/', twin?.url, screen.reporter, tools.site)
  kept.page.links = follow(kept.judged.follow && screen.reporter.memory.stopped === undefined)
  return kept
}

/** What nobody wants (any more), whatever robots.txt says: a site with nothing else is not even asked for that. */
export function refuseUnwanted(
  item: AgendaItem,
  url: WebUrl,
  tools: Pick<PageTools, 'site' | 'screen'>,
): PageTold | undefined {
  const { site, screen } = tools
  const now = site.clock.now()
  const sitemap = isSitemap(item)
  const judge = () => (sitemap ? screen.scope.judgeSitemap(url) : screen.scope.judge(url, item.depth))
  const wanted = watched(item, tools, judge)
  if (!wanted.yes) return refused(item, 'scope', wanted.rule, now)
  // What a sitemap lists is followed like the links of a page.
  const stopped = stoppedBy(url, sitemap ? 1 : item.depth, screen.reporter, site)
  return stopped === undefined ? undefined : refused(item, 'hazard', stopped, now)
}

export function refused(item: AgendaItem, by: 'scope' | 'robots' | 'hazard', rule: string, at: number): PageTold {
  const page = blankPage(item, at, { kind: 'refused', by, rule })
  return { kind: 'told', page: { ...page, status: statusOfRefusal(by, rule) } }
}

/** Written at once; a payload that is in the collection already becomes a revisit of it. */
export async function keep(exchange: Exchange, body: Body, tools: SiteTools): Promise<Capture> {
  return (await keepBesideTwin(exchange, body, tools)).capture
}

async function keepBesideTwin(
  exchange: Exchange,
  body: Body,
  tools: SiteTools,
): Promise<{ capture: Capture; twin: Twin | undefined }> {
  const digest = payloadDigest(body)
  const twin = body.payload.length === 0 ? undefined : (tools.archive.twinOf(digest) ?? (await tools.findTwin(digest)))
  return { capture: tools.archive.keep(exchange, digest, twin), twin }
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
