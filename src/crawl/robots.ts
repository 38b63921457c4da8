/**
 * robots.txt of the site, per scheme, before anything else there (C4): from the site's memory while it is younger than a
 * day, otherwise fetched with the same courtesy as any page and made durable at once. 4xx means "no restriction"; 5xx, 429
 * or silence mean "nothing for now", never "allowed" (RFC 9309).
 */
import { byteOrderMark } from '../base/bytes.ts'
import type { Instant, Millis } from '../base/clock.ts'
import { inTurns } from '../base/stretches.ts'
import type { Exchange } from '../contracts/exchange.ts'
import type { VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory, Scheme } from '../contracts/site-memory.ts'
import type { AgendaItem, SiteName } from '../contracts/visit.ts'
import { CookieJar } from '../web/http/cookies.ts'
import {
  type Robots,
  type RobotsAnswer,
  recallInStretches,
  recallRobots,
  robotsInStretches,
} from '../web/robots/robots.ts'
import { parseUrl, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import { decoded, redirectTarget, unlessBroken, wantBody } from './answers.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { waitAfter, withAnswer } from './failures.ts'
import type { ForeignRobotsAnswer } from './foreign-robots.ts'
import { recordOwnRequest } from './record-result.ts'
import { ELSEWHERE_WAIT, request, type SiteConnection } from './request.ts'
import { wholeSiteWaits } from './site-failures.ts'
import { isHttpsGuess } from './site-names.ts'
import { offerSitemaps } from './sitemaps.ts'
import type { RequestTools, SiteTools, VisitState } from './tools.ts'

const FRESH_FOR: Millis = 24 * 3_600_000
/** At least 500 KiB must be parsed; a body is cut there and what came is used. */
const MAX_BYTES = 512 * 1024
const MAX_REDIRECTS = 5
/** The pause kept after a request to another site: its own visits keep a longer one by themselves. */
const LONGEST_AFTER: Millis = 10_000
/** A site whose robots.txt is at one that the operator stopped is asked again after this, until that one is resumed. */
const STOPPED_WAIT: Millis = 3_600_000

export type Rules =
  | { kind: 'rules'; robots: Robots }
  /** Its scheme has no robots.txt, while the site answers under the other one: this URL waits, the visit goes on. */
  | { kind: 'scheme-fails'; memory: RobotsMemory }
  | { kind: 'visit-ends'; why: VisitEnd }

/** The rules for a URL whose scheme the visit has none for yet. */
export async function rulesFor(
  item: AgendaItem,
  rules: Map<string, Robots>,
  connection: SiteConnection,
  { site: tools, state }: { site: SiteTools; state: VisitState },
): Promise<Rules> {
  const { reporter } = state
  const scheme = schemeOf(item.url)
  const now = tools.clock.now()
  const before = reporter.memory.robots[scheme]
  if (isFresh(before, now)) {
    const robots = await recall(before, tools)
    rules.set(scheme, robots)
    return { kind: 'rules', robots }
  }
  const other = scheme === 'http' ? 'https' : 'http'
  // The same holds for a guessed name whose other scheme is still to be tried: only this scheme fails.
  const otherAnswers = isFresh(reporter.memory.robots[other], now) || isHttpsGuess(item)
  if (otherAnswers && before !== undefined && isTooSoon(before, now, tools.patience)) {
    return { kind: 'scheme-fails', memory: before }
  }
  const origin = new URL(item.url).origin
  const record = (exchange: Exchange, notes: readonly string[]) => recordOwnRequest(exchange, reporter, tools, notes)
  const answer = await fetchRobots(origin, before, connection, tools, record)
  if (answer.kind === 'not-requested')
    return { kind: 'visit-ends', why: connection.signal.aborted ? 'stopped' : 'slice' }
  if (answer.kind === 'stopped') {
    // Nothing failed: no try is counted, however long the operator takes, and what is remembered stays.
    connection.courtesy.holdFor(STOPPED_WAIT)
    return { kind: 'visit-ends', why: 'slice' }
  }
  if (answer.kind === 'known') answer.memory = withOwner(answer.memory, answer.from, connection.site, tools.urls)
  const robots = { ...reporter.memory.robots, [scheme]: answer.memory }
  // `http` most often redirects to `https`: that robots.txt has been fetched then, and is not fetched again.
  if (answer.kind === 'known' && answer.from === origin.replace(scheme, other) + '/robots.txt') {
    robots[other] = answer.memory
  }
  const memory = { ...reporter.memory, robots }
  if (answer.kind === 'unreachable') {
    const { tries = 1, status } = answer.memory
    // A 503 is an answer too.
    reporter.remember(status > 0 ? withAnswer(memory) : memory)
    const failing = { reporter, courtesy: connection.courtesy, tools }
    const why = otherAnswers ? undefined : wholeSiteWaits('robots-unreachable', tries, item, failing)
    // After a 429 or 503, a crash must not bring us back sooner.
    if (status > 0 && why !== 'given-up') await tools.durable(reporter)
    return why === undefined ? { kind: 'scheme-fails', memory: answer.memory } : { kind: 'visit-ends', why }
  }
  const crawlDelay = await longestDelay(answer.robots, memory.robots[other], tools)
  connection.courtesy.learnCrawlDelay(crawlDelay)
  reporter.remember({ ...withAnswer(memory), crawlDelay })
  rules.set(scheme, answer.robots)
  offerSitemaps(answer.robots, origin, item, { site: tools, state })
  // The first part (robots, pause, address) is durable before the second request to a site.
  await tools.durable(reporter)
  return { kind: 'rules', robots: answer.robots }
}

/** Its last fetch failed, and its wait is not over, or its tries are used up for today. */
function isTooSoon(memory: RobotsMemory, now: Instant, patience: number): boolean {
  if (memory.state !== 'unreachable' || now < memory.at || now - memory.at >= FRESH_FOR) return false
  const wait = waitAfter('robots-unreachable', memory.tries ?? 1, patience)
  return wait === undefined || now < memory.at + wait
}

/** Both schemes are one site: what one of them demands holds for both. */
async function longestDelay(
  { crawlDelay }: Robots,
  other: RobotsMemory | undefined,
  tools: RequestTools,
): Promise<Millis | undefined> {
  const others = other === undefined ? undefined : (await recall(other, tools)).crawlDelay
  return others === undefined ? crawlDelay : Math.max(others, crawlDelay ?? 0)
}

/** Remembers to which site a robots.txt belongs that a redirect found elsewhere. */
export function withOwner(memory: RobotsMemory, from: string, site: SiteName, urls: UrlReader): RobotsMemory {
  const found = urls.parse(from)
  return found === undefined || found.site === site || found.path !== '/robots.txt'
    ? memory
    : { ...memory, from: found.site }
}

function isFresh(memory: RobotsMemory | undefined, now: number): memory is RobotsMemory {
  return memory !== undefined && memory.state !== 'unreachable' && now - memory.at < FRESH_FOR && now >= memory.at
}

const rulesText = (memory: RobotsMemory): string => (memory.state === 'rules' ? memory.text : '')

/** Yields now and then: 640 KiB of rules take 100 ms. */
function recall(memory: RobotsMemory, { clock }: RequestTools): Promise<Robots> {
  return inTurns(recallInStretches(rulesText(memory)), () => clock.sleep(0))
}

/** What a remembered robots.txt says of a path (and query): nothing is allowed while it cannot be reached. */
export function decide(memory: RobotsMemory, path: string): RobotsAnswer {
  if (memory.state === 'unreachable') return { allowed: false, group: '', line: 0, rule: '' }
  return recallRobots(rulesText(memory)).permits(path)
}

type FetchedRobots =
  /** `from`: where it was found, after redirects. */
  | { kind: 'known'; robots: Robots; memory: RobotsMemory; from: string }
  /** Nothing may be fetched for now. */
  | { kind: 'unreachable'; memory: RobotsMemory }
  /** The visit should end before robots.txt could be requested. */
  | { kind: 'not-requested' }
  /** A redirect leads to a site that the operator paused or barred: the rules are not known until it is resumed. */
  | { kind: 'stopped' }

/** Fetches robots.txt and follows redirects as RFC 9309 says; `record` gets each exchange, with notes on it. */
async function fetchRobots(
  origin: string,
  before: RobotsMemory | undefined,
  connection: SiteConnection,
  tools: SiteTools,
  record: (exchange: Exchange, notes: readonly string[]) => Promise<void>,
): Promise<FetchedRobots> {
  let url = `${origin}/robots.txt`
  for (let hop = 0; ; hop++) {
    const { answer: exchange, isNew } = await requestAnywhere(url, connection, tools)
    if (exchange === 'not-requested' || exchange === 'stopped') return { kind: exchange }
    if (exchange === 'no-address') return { kind: 'unreachable', memory: unreachable(before, tools.clock.now(), 0) }
    const read = await readRobots(exchange, url, hop < MAX_REDIRECTS, before, tools)
    if (isNew) await record(exchange, read.kind === 'known' ? notesOf(read.robots) : [])
    if (read.kind !== 'moved') return read
    url = read.to
  }
}

async function readRobots(
  { answer, answeredAt: at }: Exchange,
  url: string,
  mayMove: boolean,
  before: RobotsMemory | undefined,
  tools: SiteTools,
): Promise<FetchedRobots | { kind: 'moved'; to: string }> {
  const outOfReach = (status: number) => ({ kind: 'unreachable', memory: unreachable(before, at, status) }) as const
  const noRules = (status: number): FetchedRobots => {
    return { kind: 'known', robots: recallRobots(''), memory: { state: 'none', at, status, text: '' }, from: url }
  }
  if (answer.kind !== 'full' && answer.kind !== 'cut') return outOfReach(0)
  const { status } = answer.head
  if (status >= 300 && status < 400) {
    const target = mayMove ? redirectTarget(answer.head, url, tools.urls) : undefined
    return target === undefined ? noRules(status) : { kind: 'moved', to: target.href }
  }
  // We did not request a part: the rest may forbid more.
  if (status === 206 || status === 429 || status >= 500) return outOfReach(status)
  if (status >= 400 || status < 200) return noRules(status)
  const { bytes, cut, trouble } = await decoded(answer, MAX_BYTES)
  // A file that broke off, or cannot be decoded, was not reached: the missing part may forbid more.
  const brokeOff = answer.kind === 'cut' && answer.why !== 'length'
  // Compressed text that ends early lacks its checksum at least; within a line, more: `Allow: /` of `Allow: /open/`.
  const isUsable = trouble === 'not-sent' || (trouble === 'early' && wholeLines(bytes).length === bytes.length)
  const damaged = trouble !== undefined && (bytes.length === 0 || !isUsable)
  if (brokeOff || damaged) return outOfReach(0)
  // A file that our own limit cut may end in half a rule: only whole lines count.
  const reading = robotsInStretches(answer.kind === 'cut' || cut ? wholeLines(bytes) : bytes, tools.token)
  const robots = await unlessBroken(`reading ${url}`, tools, () => inTurns(reading, () => tools.clock.sleep(0)))
  // Its rules are not known, so nothing is allowed.
  if (robots === undefined) return outOfReach(0)
  const memory: RobotsMemory = { state: robots.state, at, status, text: robots.text }
  if (answer.kind === 'cut' || cut) memory.tooBig = true
  return { kind: 'known', robots, memory, from: url }
}

/** For crawl.log. */
function notesOf({ sitemapsLeft }: Robots): string[] {
  return sitemapsLeft === 0 ? [] : [`most-sitemap-lines:${sitemapsLeft}`]
}

const LF = 0x0a
const CR = 0x0d

/** In UTF-16 a line end has two bytes, and other characters may have one of them. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const mark = byteOrderMark(bytes)
  if (mark !== 'utf-16le' && mark !== 'utf-16be')
    return bytes.subarray(0, Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = bytes.length - (bytes.length % 2) - 2; at > 0; at -= 2) {
    const unit = view.getUint16(at, mark === 'utf-16le')
    if (unit === LF || unit === CR) return bytes.subarray(0, at + 2)
  }
  return bytes.subarray(0, 0)
}

const wantRobots = (status: number) => wantBody(status, MAX_BYTES)

function unreachable(before: RobotsMemory | undefined, at: number, status: number): RobotsMemory {
  const again = before?.state === 'unreachable' ? before : undefined
  return { state: 'unreachable', at, status, text: '', since: again?.since ?? at, tries: (again?.tries ?? 0) + 1 }
}

/** Redirects of robots.txt are followed across hosts, as RFC 9309 demands: to sites that this visit holds no lease of. */
async function requestAnywhere(
  url: string,
  connection: SiteConnection,
  tools: RequestTools,
): Promise<{ answer: ForeignRobotsAnswer; isNew: boolean }> {
  const target = parseUrl(url)
  if (target === undefined) return { answer: 'no-address', isNew: false }
  if (target.site === connection.site) {
    return { answer: (await request(url, wantRobots, connection, tools)) ?? 'not-requested', isNew: true }
  }
  const { pause } = tools.pauses.configured(target.site, undefined)
  const fetch = (wait: Millis) => requestElsewhere(target, wait, connection, tools)
  // Mostly pauses, before and after; the request itself counts as a download.
  return connection.times.during('courtesy', () => tools.foreign.fetch(url, target.site, pause, fetch))
}

function refusalOf(target: WebUrl, tools: RequestTools): 'stopped' | 'no-address' | undefined {
  if (tools.isStopped(target.site)) return 'stopped'
  // A blacklist is for good, so waiting would not help: the file counts as unreachable, and in the end the site is given up.
  return tools.isRefused(target) ? 'no-address' : undefined
}

/**
 * Shares the courtesy of a visit that is there; otherwise waits a whole pause before and another one after. There is no
 * lease for it, but its address is entered as for any visit, so no other worker makes requests there meanwhile (C5). A visit
 * holds one address at a time, so its own may go to another worker; then it ends with what it has learnt. The waits are long
 * enough for an operator to stop the other site meanwhile, so that is checked until the request is sent.
 */
async function requestElsewhere(
  target: WebUrl,
  wait: Millis,
  connection: SiteConnection,
  tools: RequestTools,
): Promise<ForeignRobotsAnswer> {
  const refusal = refusalOf(target, tools)
  if (refusal !== undefined) return refusal
  const resolved = await tools.resolve(target.host, connection.signal)
  if (connection.signal.aborted) return 'not-requested'
  if (resolved.kind === 'failed') return 'no-address'
  const [address] = resolved.list
  if (tools.refusesAddress(address.ip) !== undefined) return 'no-address'
  const enter = async (ip: string) => (await tools.enter(tools.worker, connection.visit, ip)) === 'here'
  const shared = !tools.pauses.configured(target.site, address.ip).own
  if (shared && !(await enter(address.ip))) {
    // The site goes to the worker that holds the address: that one may request it.
    connection.courtesy.at(address.ip)
    connection.courtesy.holdFor(ELSEWHERE_WAIT)
    return 'not-requested'
  }
  const session = tools.openSession()
  const joined = tools.addresses.join(address.ip)
  try {
    const courtesy = tools.visiting(target.site) ?? foreignCourtesy(target.site, wait, address.ip, tools)
    const isRefused = () => refusalOf(target, tools) !== undefined
    const its = { site: target.site, session, courtesy, address, others: [], cookies: new CookieJar(), isRefused }
    const exchange = await request(target.href, wantRobots, { ...connection, ...its }, tools)
    // A visit with this courtesy keeps the pause itself. The one that was there may be over, and another begun.
    if (exchange !== undefined && tools.visiting(target.site) !== courtesy)
      await tools.clock.sleep(Math.min(courtesy.wait, LONGEST_AFTER))
    return exchange ?? refusalOf(target, tools) ?? 'not-requested'
  } finally {
    session.close()
    if (joined) tools.addresses.leave(address.ip)
    // The operator's own server was never entered: entering its address again only frees the other one.
    if (shared) connection.isAway = !(await enter(connection.address.ip)) && !connection.courtesy.own
  }
}

function foreignCourtesy(site: SiteName, wait: Millis, ip: string, tools: RequestTools): SiteCourtesy {
  const courtesy = tools.courtesyOf(site, wait, tools.pauses, tools.clock)
  courtesy.at(ip)
  return courtesy
}

export function schemeOf(url: string): Scheme {
  return url.startsWith('https:') ? 'https' : 'http'
}
