/**
 * The loop of a visit: resolve, enter the address, robots.txt, then one URL after the other, breadth first, until nothing
 * is left, the slice is used up, the lease runs short or the worker stops. Whatever happened is in the reporter.
 */
import { HashSet64 } from '../base/hash-set.ts'
import type { Address } from '../contracts/exchange.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { CookieJar } from '../web/http/cookies.ts'
import type { Robots } from '../web/robots/robots.ts'
import { parseUrl } from '../web/url/web-url.ts'
import { type Asking, ELSEWHERE_WAIT, leaveAddress } from './ask.ts'
import { type PageResult, refused, refuseUnwanted } from './ask-for.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { isBelowDomain, watchSiblings } from './domains.ts'
import { LocalFrontier } from './local-frontier.ts'
import { learnName } from './names.ts'
import { blankPage } from './page-facts.ts'
import { probeMissing } from './probe.ts'
import { tellPage, tellStale } from './record-result.ts'
import { isOneTooMany, isSuspect, releaseTrusted, tellFinding } from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { schemeOf } from './robots.ts'
import { rulesFor } from './rules-for.ts'
import { rememberIndexNames, type ScreenTools } from './screen.ts'
import { schemeFails, siteFails, siteSuffers } from './site-failures.ts'
import { isSitemap } from './sitemaps.ts'
import type { Lease, SiteTools } from './tools.ts'
import { visitPage } from './visit-page.ts'
import { visitSitemap } from './visit-sitemap.ts'

/** Names that nobody registered have its address as well (V27). */
const TLD_WILDCARD = 'tld-wildcard'

/** Addresses that one visit tries after the first; the next visit goes on behind them. */
const MAX_OTHERS = 4

/** URLs that are refused are settled without a wait, thousands in a row: now and then the thread's other visits have a turn. */
const ROUNDS_A_TURN = 100

export async function crawlSite(
  reporter: Reporter,
  courtesy: SiteCourtesy,
  lease: Lease,
  tools: SiteTools,
  signal: AbortSignal,
): Promise<VisitEnd> {
  const { visit } = reporter
  // Before anything is told: a visit that ends unused must not take back what the site once asked for.
  courtesy.learnCrawlDelay(visit.memory.crawlDelay)
  const [first] = visit.agenda
  // Of the site, not of its first URL, which may be one that a later version cannot read.
  const host = parseUrl(`http://${visit.site}/`)?.host
  if (first === undefined || host === undefined) return 'done'
  const resolved = await tools.resolve(host, signal)
  if (signal.aborted) return 'stopped'
  if (resolved.kind === 'failed') return siteFails(resolved.failure.kind, first, reporter, courtesy, tools)
  const [address, ...others] = inTurn(resolved.list, visit).filter(({ ip }) => tools.refusesAddress(ip) === undefined)
  if (address === undefined) return siteFails('address-refused', first, reporter, courtesy, tools)
  const barred = await tools.domains.barredBy(host, resolved.list, signal)
  if (barred !== undefined && !tools.trusts(visit.site, TLD_WILDCARD)) {
    const evidence = `absurd names under .${barred.suffix} resolve to ${barred.ip} too`
    tellFinding({ rule: TLD_WILDCARD, evidence }, { url: first.url, at: tools.clock.now() }, reporter, tools)
    return siteFails('address-refused', first, reporter, courtesy, tools)
  }
  const wonder = () => {
    void tools.domains.wildcardOf(host, signal).then((wildcard) => {
      if (wildcard !== undefined) reporter.learn({ wildcard })
    })
  }
  if (visit.memory.fetched === 0 && isBelowDomain(host)) wonder()

  courtesy.at(address.ip)
  const shared = !courtesy.own
  if (shared && !tools.addresses.join(address.ip)) {
    courtesy.holdFor(tools.addresses.comeBackAfter(address.ip))
    return 'elsewhere'
  }
  const session = tools.openSession()
  let asking: Asking | undefined
  try {
    if (shared && (await tools.enter(tools.worker, visit.id, address.ip)) === 'elsewhere') {
      courtesy.holdFor(ELSEWHERE_WAIT)
      return 'elsewhere'
    }
    // Another site's redirect may have led one of us to this one's robots.txt just now.
    await tools.foreign.quiet(visit.site)
    const { id, site } = visit
    const cookies = new CookieJar()
    const there = { address, others: others.slice(0, MAX_OTHERS), isReached: false, isAway: false }
    asking = { site, visit: id, session, courtesy, cookies, lease, signal, ...there }
    return await crawlPages(reporter, asking, watchSiblings(host, wonder), tools)
  } finally {
    session.close()
    if (asking !== undefined) leaveAddress(asking, tools)
    else if (shared) tools.addresses.leave(address.ip)
  }
}

/**
 * The addresses of a site in the order in which they are tried. It stays at the one where it was found before; when it did not
 * answer there, the one behind that has its turn.
 */
function inTurn(list: readonly Address[], { address, memory }: Visit): readonly Address[] {
  const before = list.findIndex(({ ip }) => ip === address)
  if (before < 0) return list
  const robots = Object.values(memory.robots)
  const isSilent = memory.rests !== undefined || (robots.length > 0 && robots.every(gaveNoAnswer))
  const from = isSilent ? before + 1 : before
  return [...list.slice(from), ...list.slice(0, from)]
}

const gaveNoAnswer = ({ state, status }: RobotsMemory): boolean => state === 'unreachable' && status === 0

async function crawlPages(
  reporter: Reporter,
  asking: Asking,
  meets: (host: string) => void,
  tools: SiteTools,
): Promise<VisitEnd> {
  const { visit } = reporter
  const { signal } = asking
  const local = new LocalFrontier(visit)
  const screen: ScreenTools = {
    site: visit.site,
    scope: tools.scope(),
    local,
    reporter,
    crossSiteSeen: new HashSet64(),
    contents: new Set(),
    sitemaps: tools.sitemaps,
    meets,
    isOneTooMany: (url, item) => isOneTooMany(url, item, reporter, tools),
    isSuspect: (url) => isSuspect(url, reporter),
    now: tools.clock.now(),
  }
  rememberIndexNames(local, reporter)
  releaseTrusted(reporter, tools)
  const rules = new Map<string, Robots>()
  const endsAt = tools.clock.elapsed() + visit.limits.time
  const slice: Slice = { asking, screen, tools, rules, asked: 0, stale: undefined, told: undefined }
  for (let round = 1; ; round++) {
    if (round % ROUNDS_A_TURN === 0) await tools.clock.sleep(0, signal)
    const item = local.peek()
    if (item === undefined) return 'done'
    if (signal.aborted) return 'stopped'
    if (slice.asked >= visit.limits.pages || tools.clock.elapsed() >= endsAt) return 'slice'
    slice.told = undefined
    const over = await visitNext(item, slice).catch((error: unknown) => breakOff(item, error, slice))
    if (over !== undefined) return over
  }
}

interface Slice {
  asking: Asking
  screen: ScreenTools
  tools: SiteTools
  rules: Map<string, Robots>
  /** Requests for pages so far. */
  asked: number
  /** Whose connection was closed under its request. */
  stale: bigint | undefined
  /** What has been told of the URL whose turn it is. */
  told: PageResult | undefined
}

/** The next URL of the site: may we, when, and what came of it. Says why the visit ends with it, if it does. */
async function visitNext(item: AgendaItem, slice: Slice): Promise<VisitEnd | undefined> {
  const { asking, screen, tools, rules } = slice
  const { courtesy, signal } = asking
  const { local, reporter } = screen
  screen.scope = tools.scope()
  screen.now = tools.clock.now()
  let robots = rules.get(schemeOf(item.url))
  if (robots === undefined) {
    const unwanted = judgeBefore(item, { site: tools, screen })
    if (unwanted !== undefined) {
      local.take()
      tell(unwanted, slice)
      return undefined
    }
    const found = await rulesFor(item, rules, asking, { site: tools, screen })
    if (found.kind === 'visit-ends') return found.why
    if (found.kind === 'scheme-fails') {
      local.take()
      schemeFails(found.memory, item, reporter, tools)
      return undefined
    }
    robots = found.robots
  }

  const pauseBefore = courtesy.pause
  const visitItem = isSitemap(item) ? visitSitemap : visitPage
  const end = await visitItem(item, { site: tools, asking, robots, screen }).catch((error: unknown) =>
    brokenPage(item, error, tools),
  )
  // Read and kept: what is told of it has no bytes of it.
  asking.session.release?.()
  if (end.kind === 'not-asked') return signal.aborted ? 'stopped' : 'slice'
  if (end.kind === 'stale') {
    slice.asked++
    // Once is no failure; a second time in a row the page goes back to the queue.
    if (slice.stale !== item.key) slice.stale = item.key
    else tellStale(local.take() ?? item, reporter, tools)
    return undefined
  }
  local.take()
  if (end.page.tries > item.tries) slice.asked++
  const over = end.failure === undefined ? undefined : siteSuffers(end, reporter, courtesy, tools)
  // With its site, the page is gone too, and says what used up the last try.
  if (over === 'given-up' && end.failure !== undefined) end.page.outcome = { kind: 'gone', why: end.failure }
  tell(end, slice)
  if (over !== undefined) return over
  // What is left is asked for under the name that it goes by: the frontier moves it there.
  if (learnName(end.page, reporter, { scope: screen.scope, urls: tools.urls })) return 'slice'
  // What the site asked for must outlive us: it is durable before the next request.
  const urgent = end.failure === 'status-429' || end.failure === 'status-503' || courtesy.pause > pauseBefore + 1000
  if (urgent) await tools.durable(reporter)
  if (end.judged?.probe) await probeMissing(item.url, robots, asking, { site: tools, screen })
  return undefined
}

function tell(end: PageResult, slice: Slice): void {
  tellPage(end, slice.screen.reporter, slice.tools)
  slice.told = end
}

/** Something else than the reading threw: the detectors, the scope, what names are learnt from. It costs that URL only as well. */
function breakOff(item: AgendaItem, error: unknown, slice: Slice): undefined {
  const { tools, screen } = slice
  const broken = brokenPage(item, error, tools)
  if (slice.told !== undefined) return
  if (screen.local.peek() === item) screen.local.take()
  tellPage(broken, screen.reporter, tools)
}

/**
 * A bug of ours that one page brings out costs that page only (V6): it is told as failed in reading and not tried in a loop.
 * When it was the disk or the coordinator that failed, nothing can go on.
 */
function brokenPage(item: AgendaItem, error: unknown, tools: SiteTools): PageResult {
  if (tools.failed()) throw error
  const now = tools.clock.now()
  tools.journal.record({ kind: 'trouble', what: `${item.url}: ${String(error).slice(0, 200)}` })
  const page = { ...blankPage(item, now, { kind: 'gone', why: 'reading' }), tries: item.tries + 1 }
  return { kind: 'told', page: { ...page, status: statusOfFailure('reading') }, failure: 'reading' }
}

/** Before robots.txt is asked for: a site all of whose URLs have been put on a black list hears nothing from us at all. */
function judgeBefore(item: AgendaItem, tools: { site: SiteTools; screen: ScreenTools }): PageResult | undefined {
  const url = tools.site.urls.parse(item.url)
  if (url === undefined) return refused(item, 'scope', 'malformed', tools.site.clock.now())
  return refuseUnwanted(item, url, tools)
}
