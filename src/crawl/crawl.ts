/**
 * The loop of a visit (V4): resolve, enter the address, robots.txt, then one URL after the other, breadth first, until nothing
 * is left, the slice is used up, the lease runs short or the worker stops. The reporter gathers the results.
 */
import { HashSet64 } from '../base/hash-set.ts'
import type { Address } from '../contracts/exchange.ts'
import type { PageReport, VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { CookieJar } from '../web/http/cookies.ts'
import type { Robots } from '../web/robots/robots.ts'
import { parseUrl } from '../web/url/web-url.ts'
import { reportBug } from './answers.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { rememberIndexNames } from './follow-links.ts'
import { LocalFrontier } from './local-frontier.ts'
import { checkInvention, checkMissingPage } from './missing-page.ts'
import { decideOutcome, unansweredReport } from './page-outcome.ts'
import { type PageResult, refused, resultOf } from './page-result.ts'
import { recordResult, recordStale } from './record-result.ts'
import { followDecisions, isPatternFull, isSuspect, plainerUrl, reportFinding } from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { ELSEWHERE_WAIT, enterAddress, leaveAddress, type SiteConnection } from './request.ts'
import { rulesFor, schemeOf } from './robots.ts'
import { schemeFails, siteFails } from './site-failures.ts'
import { aliasFrom, type NameTools } from './site-names.ts'
import { isSitemap, mustWait } from './sitemaps.ts'
import type { Lease, SiteTools, StorageTools, VisitState } from './tools.ts'
import { PAGE } from './visit-page.ts'
import { SITEMAP } from './visit-sitemap.ts'
import { refuseUnwanted, visitUrl } from './visit-url.ts'
import { isBelowDomain, watchSiblings } from './wildcard-dns.ts'

/** Unregistered names have its address as well (V27). */
const TLD_WILDCARD = 'tld-wildcard'

/** Addresses that one visit tries after the first; the next visit continues behind them. */
const MAX_OTHERS = 4

/** Thousands of URLs may be refused in a row without a wait. After this many, the thread's other visits have a turn. */
const ROUNDS_PER_TURN = 100

export async function crawlSite(
  reporter: Reporter,
  courtesy: SiteCourtesy,
  lease: Lease,
  tools: SiteTools,
  signal: AbortSignal,
): Promise<VisitEnd> {
  const { visit, times } = reporter
  // Before anything is reported: a visit that ends unused must not undo a pause that the site once asked for.
  courtesy.learnCrawlDelay(visit.memory.crawlDelay)
  const [first] = visit.agenda
  // From the site's name, because a later version may not be able to parse its first URL.
  const host = parseUrl(`http://${visit.site}/`)?.host
  if (first === undefined || host === undefined) return 'done'
  const failing = { reporter, courtesy, tools }
  const resolved = await times.during('download', () => tools.resolve(host, signal))
  if (signal.aborted) return 'stopped'
  if (resolved.kind === 'failed') return siteFails(resolved.failure.kind, first, failing)
  const [address, ...others] = inTurn(resolved.list, visit).filter(({ ip }) => tools.refusesAddress(ip) === undefined)
  if (address === undefined) return siteFails('address-refused', first, failing)
  const barred = await tools.domains.barredBy(host, resolved.list, signal)
  if (barred !== undefined && !tools.trusts(visit.site, TLD_WILDCARD)) {
    const evidence = `absurd names under .${barred.suffix} resolve to ${barred.ip} too`
    reportFinding({ rule: TLD_WILDCARD, evidence }, { url: first.url, at: tools.clock.now() }, reporter, tools)
    return siteFails('address-refused', first, failing)
  }
  const checkWildcard = () => {
    void tools.domains.wildcardOf(host, signal).then((wildcard) => {
      if (wildcard !== undefined) reporter.learn({ wildcard })
    })
  }
  if (visit.memory.fetched === 0 && isBelowDomain(host)) checkWildcard()

  courtesy.at(address.ip)
  const { id, site } = visit
  const entry = await enterAddress(site, id, address.ip, tools)
  if (entry !== 'here') {
    courtesy.holdFor(entry === 'full' ? tools.addresses.comeBackAfter(address.ip) : ELSEWHERE_WAIT)
    return 'elsewhere'
  }
  const session = tools.openSession()
  const cookies = new CookieJar()
  const there = { address, others: others.slice(0, MAX_OTHERS), isReached: false, isAway: false }
  const connection: SiteConnection = { site, visit: id, session, courtesy, times, cookies, lease, signal, ...there }
  try {
    // Another site's redirect may have led this worker to this site's robots.txt just now.
    await times.during('courtesy', () => tools.foreign.quiet(site))
    return await crawlPages(reporter, connection, watchSiblings(host, checkWildcard), tools)
  } finally {
    session.close()
    leaveAddress(connection, tools)
  }
}

/**
 * The addresses of a site in the order in which they are tried. It stays at the one where it was found before; if it did
 * not answer there, the one behind that comes first.
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
  connection: SiteConnection,
  noteHost: (host: string) => void,
  tools: SiteTools,
): Promise<VisitEnd> {
  const { visit } = reporter
  const { signal } = connection
  const local = new LocalFrontier(visit)
  const state: VisitState = {
    site: visit.site,
    scope: tools.scope(),
    local,
    reporter,
    crossSiteSeen: new HashSet64(),
    sitemaps: tools.sitemaps,
    noteHost,
    isPatternFull: (url, item) => isPatternFull(url, item, reporter, tools),
    isSuspect: (url) => isSuspect(url, reporter),
    plainer: (url) => plainerUrl(url, reporter, tools),
    cookieChecks: 0,
    now: tools.clock.now(),
  }
  rememberIndexNames(local, reporter)
  followDecisions(reporter, tools)
  const endsAt = tools.clock.elapsed() + visit.limits.time
  const slice: Slice = { connection, state, tools, rules: new Map(), requests: 0, stale: undefined, isRecorded: false }
  for (let round = 1; ; round++) {
    if (round % ROUNDS_PER_TURN === 0) await tools.clock.sleep(0, signal)
    const item = local.peek()
    if (item === undefined) return 'done'
    if (isSitemap(item) && mustWait(item, reporter.memory) && local.defer(isSitemap)) continue
    if (signal.aborted) return 'stopped'
    if (slice.requests >= visit.limits.pages || tools.clock.elapsed() >= endsAt) return 'slice'
    slice.isRecorded = false
    const over = await visitNext(item, slice).catch((error: unknown) => breakOff(item, error, slice))
    if (over !== undefined) return over
  }
}

interface Slice {
  connection: SiteConnection
  state: VisitState
  tools: SiteTools
  rules: Map<string, Robots>
  /** Requests for pages so far. */
  requests: number
  /** The URL whose connection was closed under its request. */
  stale: bigint | undefined
  /** The outcome of the current URL has been recorded. */
  isRecorded: boolean
}

/** The turn of the next URL. Says why the visit ends with it, if it does. */
async function visitNext(item: AgendaItem, slice: Slice): Promise<VisitEnd | undefined> {
  const { connection, state, tools } = slice
  const { courtesy, signal } = connection
  const { local, reporter } = state
  state.scope = tools.scope()
  state.now = tools.clock.now()
  const robots = await robotsFor(item, slice)
  if (typeof robots !== 'object') return robots === 'next' ? undefined : robots

  const pauseBefore = courtesy.pause
  const pageTools = { site: tools, connection, robots, state }
  const end = await visitUrl(item, isSitemap(item) ? SITEMAP : PAGE, pageTools)
  countChecks(tools, reporter)
  if (end.kind === 'not-requested') return signal.aborted ? 'stopped' : 'slice'
  if (end.kind === 'stale') {
    slice.requests++
    // Once is not a failure; the second time in a row the page goes back to the queue.
    if (slice.stale !== item.key) slice.stale = item.key
    else recordStale(local.take() ?? item, reporter, tools)
    return undefined
  }
  local.take()
  if (end.page.tries > item.tries) slice.requests++
  record(end, slice)
  if (end.visitEnd !== undefined) return end.visitEnd
  // The rest is fetched under the site's real name: the frontier moves it there.
  if (learnName(end.page, reporter, { scope: state.scope, urls: tools.urls })) return 'slice'
  // A pause that the site asks for must survive a crash, so it is durable before the next request.
  const isUrgent = end.failure === 'status-429' || end.failure === 'status-503' || courtesy.pause > pauseBefore + 1000
  if (isUrgent) await tools.durable(reporter)
  if (end.judged?.probe) await checkMissingPage(item.url, robots, connection, pageTools)
  if (end.judged?.invention) await checkInvention(end.judged.invention, item.url, robots, connection, pageTools)
  return undefined
}

/** Reported so that they are in the metrics of this worker's server. */
function countChecks({ archive }: StorageTools, { tally }: Reporter): void {
  const { checked, wrong } = archive.checks()
  if (checked > 0) tally.add('recordsChecked', checked)
  if (wrong > 0) tally.add('recordsWrong', wrong)
}

/** The rules for a URL; or `next` when it has been dealt with, or why the visit ends. */
async function robotsFor(item: AgendaItem, slice: Slice): Promise<Robots | 'next' | VisitEnd> {
  const { connection, state, tools, rules } = slice
  const known = rules.get(schemeOf(item.url))
  if (known !== undefined) return known
  // Before robots.txt is fetched: a site whose URLs are all on a blacklist gets no request at all.
  const url = tools.urls.parse(item.url)
  const unwanted =
    url === undefined
      ? refused(item, 'scope', 'malformed', tools.clock.now())
      : refuseUnwanted(item, url, { site: tools, state })
  if (unwanted !== undefined) {
    state.local.take()
    record(unwanted, slice)
    return 'next'
  }
  const found = await rulesFor(item, rules, connection, { site: tools, state })
  if (found.kind === 'rules') return found.robots
  if (found.kind === 'visit-ends') return found.why
  state.local.take()
  schemeFails(found.memory, item, { reporter: state.reporter, courtesy: connection.courtesy, tools })
  return 'next'
}

function record(result: PageResult, slice: Slice): void {
  recordResult(result, slice.state.reporter, slice.tools)
  slice.isRecorded = true
}

/** True when the site turned out to be another name: the rest of the visit belongs to the original. */
function learnName(page: PageReport, reporter: Reporter, tools: NameTools): boolean {
  if (page.outcome.kind !== 'moved') return false
  const { alias, memory } = aliasFrom(reporter.visit.site, page, reporter.memory, tools)
  if (memory !== reporter.memory) reporter.remember(memory)
  if (alias !== undefined) reporter.learn({ alias })
  return alias !== undefined
}

/**
 * A bug of ours that one page brings out, in reading it, in detectors, scope or names, costs that page only (V6): it is recorded as
 * unreadable and not tried in a loop. If the disk or the coordinator failed, nothing can go on.
 */
function breakOff(item: AgendaItem, error: unknown, slice: Slice): undefined {
  const { tools, state } = slice
  if (tools.failed()) throw error
  reportBug(item.url, error, tools)
  if (slice.isRecorded) return
  if (state.local.peek() === item) state.local.take()
  slice.requests++
  const failure = 'reading'
  const outcome = decideOutcome({ kind: 'given-up', failure })
  const page = unansweredReport(item, tools.clock.now(), failure, outcome, item.tries + 1)
  recordResult({ ...resultOf(item, page), failure }, state.reporter, tools)
}
