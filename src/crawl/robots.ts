/**
 * robots.txt of the site, per scheme, before anything else there (C4): from the site's memory while it is younger than a
 * day, else asked for through the same courtesy as any page. 4xx says "no restriction"; 5xx, 429 or silence say "nothing
 * for now", never "allowed" (RFC 9309).
 */
import type { Millis } from '../base/clock.ts'
import { inTurns } from '../base/stretches.ts'
import type { Exchange, Want } from '../contracts/exchange.ts'
import type { RobotsMemory, Scheme } from '../contracts/site-memory.ts'
import { CookieJar } from '../web/http/cookies.ts'
import { decodeContent } from '../web/http/decode.ts'
import { headerOf } from '../web/http/headers.ts'
import { type Robots, recallInStretches, recallRobots, robotsInStretches } from '../web/robots/robots.ts'
import { parseUrl, type WebUrl } from '../web/url/web-url.ts'
import { type Asking, ask, ELSEWHERE_WAIT } from './ask.ts'
import type { SiteCourtesy } from './courtesy.ts'
import type { ForeignAnswer } from './foreign-answers.ts'
import { redirectTarget } from './page-facts.ts'
import type { SiteTools } from './tools.ts'

export const FRESH_FOR: Millis = 24 * 3_600_000
/** At least 500 KiB must be parsed; a body is cut there and what came is used. */
const MAX_BYTES = 512 * 1024
const MAX_REDIRECTS = 5
/** The pause that is kept behind a request to another site: its visits keep a longer one by themselves. */
const LONGEST_AFTER: Millis = 10_000

export type RobotsAnswer =
  /** `from`: where it was found, after redirects. */
  | { kind: 'known'; robots: Robots; memory: RobotsMemory; from: string }
  /** Nothing may be fetched for now. */
  | { kind: 'unreachable'; memory: RobotsMemory }
  /** The visit should end before robots.txt could be asked for. */
  | { kind: 'not-asked' }

export function isFresh(memory: RobotsMemory | undefined, now: number): memory is RobotsMemory {
  return memory !== undefined && memory.state !== 'unreachable' && now - memory.at < FRESH_FOR && now >= memory.at
}

export function robotsOf(memory: RobotsMemory): Robots {
  return recallRobots(memory.state === 'rules' ? memory.text : '')
}

export interface RobotsDecision {
  /** Whether the path may be asked for; false too while robots.txt cannot be reached. */
  allowed: boolean
  /** The user-agent line that addresses us, as the file spells the name; '' when none does. */
  group: string
  /** The number of the deciding line, 0 when none decides or it is not known. */
  line: number
  /** `Disallow: /private*`; '' when no rule matches. */
  rule: string
}

/** What a robots.txt that is remembered says of a path (and query). */
export function decide(memory: RobotsMemory, path: string): RobotsDecision {
  if (memory.state === 'unreachable') return { allowed: false, group: '', line: 0, rule: '' }
  const { yes, group, line, rule } = robotsOf(memory).permits(path)
  return { allowed: yes, group, line, rule }
}

/** Asks for robots.txt, following redirects as RFC 9309 says; `heard` is told of each exchange (they are archived too), and what is to be noted of it. */
export async function askForRobots(
  origin: string,
  before: RobotsMemory | undefined,
  asking: Asking,
  tools: SiteTools,
  heard: (exchange: Exchange, notes: readonly string[]) => Promise<void>,
): Promise<RobotsAnswer> {
  let url = `${origin}/robots.txt`
  for (let hop = 0; ; hop++) {
    const { answer: exchange, isNew } = await askAnywhere(url, asking, tools)
    if (exchange === 'not-asked') return { kind: 'not-asked' }
    if (exchange === 'no-address') return { kind: 'unreachable', memory: unreachable(before, tools.clock.now(), 0) }
    const read = await readAnswer(exchange, url, hop < MAX_REDIRECTS, before, tools)
    if (isNew) await heard(exchange, read.kind === 'known' ? notesOf(read.robots) : [])
    if (read.kind !== 'moved') return read
    url = read.to
  }
}

async function readAnswer(
  { answer, answeredAt: at }: Exchange,
  url: string,
  mayMove: boolean,
  before: RobotsMemory | undefined,
  tools: SiteTools,
): Promise<RobotsAnswer | { kind: 'moved'; to: string }> {
  const outOfReach = (status: number) => ({ kind: 'unreachable', memory: unreachable(before, at, status) }) as const
  if (answer.kind !== 'full' && answer.kind !== 'cut') return outOfReach(0)
  const { status, headers } = answer.head
  if (status >= 300 && status < 400) {
    const target = mayMove ? redirectTarget(answer.head, url, tools.urls) : undefined
    return target === undefined
      ? known({ state: 'none', at, status, text: '' }, url)
      : { kind: 'moved', to: target.href }
  }
  // A part that nobody asked for: what the rest forbids is not known.
  if (status === 206 || status === 429 || status >= 500) return outOfReach(status)
  if (status >= 400 || status < 200) return known({ state: 'none', at, status, text: '' }, url)
  const { bytes, cut, trouble } = await decodeContent(answer.payload, headerOf(headers, 'content-encoding'), {
    bytes: MAX_BYTES,
    ratio: tools.decode.ratio,
  })
  // What the missing part forbids nobody knows: a file that broke off, or cannot be unfolded, was not reached.
  const brokeOff = answer.kind === 'cut' && answer.why !== 'length'
  const damaged = trouble !== undefined && (bytes.length === 0 || !(trouble === 'not-sent' || trouble === 'early'))
  if (brokeOff || damaged) return outOfReach(0)
  // One that our own bound cut may end in half a rule: what is whole counts.
  const robots = await parsed(answer.kind === 'cut' ? wholeLines(bytes) : bytes, url, tools)
  if (robots === undefined) return outOfReach(0)
  const memory: RobotsMemory = { state: robots.state, at, status, text: robots.text }
  if (answer.kind === 'cut' || cut) memory.tooBig = true
  return { kind: 'known', robots, memory, from: url }
}

/** As `robotsOf`, with rests: 640 KiB of rules take 100 ms. */
export function recalled(memory: RobotsMemory, { clock }: SiteTools): Promise<Robots> {
  return inTurns(recallInStretches(memory.state === 'rules' ? memory.text : ''), () => clock.sleep(0))
}

/** Undefined when reading it threw, a bug of ours: what it forbids is not known, so nothing is allowed, and its site costs no thread. */
async function parsed(bytes: Uint8Array, url: string, tools: SiteTools): Promise<Robots | undefined> {
  try {
    return await inTurns(robotsInStretches(bytes, tools.token), () => tools.clock.sleep(0))
  } catch (error) {
    tools.journal.record({ kind: 'trouble', what: `reading ${url}: ${String(error).slice(0, 200)}` })
    return undefined
  }
}

/** For crawl.log. */
function notesOf({ sitemapsLeft }: Robots): string[] {
  return sitemapsLeft === 0 ? [] : [`most-sitemap-lines:${sitemapsLeft}`]
}

function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d))
  return bytes.subarray(0, end + 1)
}

/** Any answer is wanted, and little of it is enough but for the file itself. */
function wantRobots(status: number): Want {
  return { download: true, limitBytes: status >= 200 && status < 300 ? MAX_BYTES : 16 * 1024 }
}

function known(memory: RobotsMemory, from: string): RobotsAnswer {
  return { kind: 'known', robots: robotsOf(memory), memory, from }
}

function unreachable(before: RobotsMemory | undefined, at: number, status: number): RobotsMemory {
  const again = before?.state === 'unreachable' ? before : undefined
  return { state: 'unreachable', at, status, text: '', since: again?.since ?? at, tries: (again?.tries ?? 0) + 1 }
}

/** Redirects of robots.txt are followed across hosts, as RFC 9309 demands: to a site that this visit holds no lease of. */
async function askAnywhere(
  url: string,
  asking: Asking,
  tools: SiteTools,
): Promise<{ answer: ForeignAnswer; isNew: boolean }> {
  const target = parseUrl(url)
  if (target === undefined) return { answer: 'no-address', isNew: false }
  if (target.site === asking.site) {
    return { answer: (await ask(url, wantRobots, asking, tools)) ?? 'not-asked', isNew: true }
  }
  const { pause } = tools.pauses.configured(target.site, undefined)
  return tools.foreign.ask(url, target.site, pause, (wait) => askThere(target, wait, asking, tools))
}

/**
 * It shares the courtesy of a visit that is there; else it waits a whole pause first, and another one after it. Nobody has a
 * lease for it, but its address is entered, as for any visit: so no other worker asks there meanwhile (C5). A visit holds one
 * address at a time, so its own may go to another worker; then it ends, and what was learnt is told.
 */
async function askThere(target: WebUrl, wait: Millis, asking: Asking, tools: SiteTools): Promise<ForeignAnswer> {
  const resolved = await tools.resolve(target.host, asking.signal)
  if (asking.signal.aborted) return 'not-asked'
  if (resolved.kind === 'failed') return 'no-address'
  const [address] = resolved.list
  if (tools.refusesAddress(address.ip) !== undefined) return 'no-address'
  const enter = async (ip: string) => (await tools.enter(tools.worker, asking.visit, ip)) === 'here'
  const shared = !tools.pauses.configured(target.site, address.ip).own
  if (shared && !(await enter(address.ip))) {
    // To the worker that is there: it may ask.
    asking.courtesy.at(address.ip)
    asking.courtesy.holdFor(ELSEWHERE_WAIT)
    return 'not-asked'
  }
  const session = tools.openSession()
  const joined = tools.addresses.join(address.ip)
  try {
    const courtesy = tools.visiting(target.site) ?? strangersCourtesy(target.site, wait, address.ip, tools)
    const there = { ...asking, site: target.site, session, courtesy, address, others: [], cookies: new CookieJar() }
    const exchange = await ask(target.href, wantRobots, there, tools)
    // Unless a visit goes on there that knows of it: the one that was there may be over, and the next has begun.
    if (exchange !== undefined && tools.visiting(target.site) !== courtesy)
      await tools.clock.sleep(Math.min(courtesy.wait, LONGEST_AFTER))
    return exchange ?? 'not-asked'
  } finally {
    session.close()
    if (joined) tools.addresses.leave(address.ip)
    // A server of the operator's own is asked without being entered: there it only gives the other address free.
    if (shared) asking.isAway = !(await enter(asking.address.ip)) && !asking.courtesy.own
  }
}

function strangersCourtesy(site: string, wait: Millis, ip: string, tools: SiteTools): SiteCourtesy {
  const courtesy = tools.courtesyOf(site, wait, tools.pauses, tools.clock)
  courtesy.at(ip)
  return courtesy
}

export function schemeOf(url: string): Scheme {
  return url.startsWith('https:') ? 'https' : 'http'
}
