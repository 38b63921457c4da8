/** Judges of a record of requests. Each returns what was done wrong; an empty list is the verdict wished for. */
import type { Millis } from '../../src/base/clock.ts'
import type { RequestEntry } from './ledger-of-requests.ts'
import { permits } from './robots-plan.ts'
import { canonicalUrl, splitUrl } from './spelling.ts'
import type { RightAnswer } from './walker.ts'
import type { TestWeb } from './web.ts'

type Entries = readonly RequestEntry[]

export interface TooSoon {
  /** The site or the address. */
  where: string
  before: RequestEntry
  after: RequestEntry
  gapMs: Millis
  pauseMs: Millis
}

export interface CourtesyRule {
  /** The pause in force for the site, as it must be kept after this answer. */
  pauseOf(site: string, before: RequestEntry): Millis
  /** What server and crawler may differ in measuring. */
  toleranceMs: Millis
}

/** The pause counts from the end of an answer to the start of the next request of the same site, robots.txt included. */
export function courtesyViolations(entries: Entries, rule: CourtesyRule): TooSoon[] {
  const found: TooSoon[] = []
  eachPair(entries, 'site', (before, after) => {
    const pauseMs = rule.pauseOf(after.site, before)
    const gapMs = after.at - (before.endedAt ?? before.at)
    if (gapMs < pauseMs - rule.toleranceMs) found.push({ where: after.site, before, after, gapMs, pauseMs })
  })
  return found
}

export interface AddressRule {
  pauseOf(address: string): Millis
  toleranceMs: Millis
  /** The address's courtesy spaces the starts of requests, or counts from the end of an answer as the site's does. */
  from: 'start' | 'end'
}

export function addressViolations(entries: Entries, rule: AddressRule): TooSoon[] {
  const found: TooSoon[] = []
  eachPair(entries, 'address', (before, after) => {
    const pauseMs = rule.pauseOf(after.address)
    const gapMs = after.at - (rule.from === 'start' ? before.at : (before.endedAt ?? before.at))
    if (gapMs < pauseMs - rule.toleranceMs) found.push({ where: after.address, before, after, gapMs, pauseMs })
  })
  return found
}

/** Two requests under way in one site at the same time. */
export function overlaps(entries: Entries): [RequestEntry, RequestEntry][] {
  const found: [RequestEntry, RequestEntry][] = []
  for (const group of groups(entries, (entry) => entry.site).values()) {
    let latest: RequestEntry | undefined
    for (const entry of group) {
      if (latest !== undefined && (latest.endedAt ?? Number.POSITIVE_INFINITY) > entry.at) found.push([latest, entry])
      if (latest === undefined || end(entry) > end(latest)) latest = entry
    }
  }
  return found
}

/** The most requests that were under way at one address at the same time. */
export function maxAtOnce(entries: Entries, by: 'site' | 'address'): number {
  let max = 0
  for (const group of groups(entries, (entry) => entry[by]).values()) {
    const moments = group.flatMap((entry) => [
      { at: entry.at, step: 1 },
      { at: end(entry), step: -1 },
    ])
    moments.sort((a, b) => a.at - b.at || a.step - b.step)
    let now = 0
    for (const { step } of moments) max = Math.max(max, (now += step))
  }
  return max
}

/** Asked for although robots.txt forbids it to this token, or although robots.txt itself could not be had. */
export function forbiddenRequests(entries: Entries, web: TestWeb, token: string): RequestEntry[] {
  return entries.filter((entry) => {
    const { path } = splitUrl(entry.url)
    const robots = web.siteOf(entry.url)?.robots
    return robots !== undefined && path !== robots.movedTo && !permits(robots, token, path)
  })
}

export interface Repeat {
  url: string
  before: RequestEntry
  again: RequestEntry
}

export interface RepeatRule {
  /** Repeats that are right in this run: pages in flight when the crawler was killed, robots.txt after a restart. */
  allow?: (before: RequestEntry, again: RequestEntry) => boolean
  /** How long an answer of robots.txt lasts. Default: a day. */
  robotsLastsMs?: Millis
  /** Its pages that redirect to themselves and set a cookie may be asked for again with it. */
  web?: TestWeb
}

const DAY: Millis = 86_400_000
const ASK_AGAIN = new Set([0, 408, 425, 429, 500, 502, 503, 504])

/**
 * The same URL asked for again. `retries`: the answer before was a failure that one may try again (none, cut off, 408, 429,
 * 5xx): to be matched with the failure table. `repeats`: it had its answer. http and https are two URLs.
 */
export function repeats(entries: Entries, rule: RepeatRule = {}): { repeats: Repeat[]; retries: Repeat[] } {
  const found = { repeats: [] as Repeat[], retries: [] as Repeat[] }
  const last = new Map<string, RequestEntry>()
  for (const again of entries) {
    const before = last.get(again.url)
    last.set(again.url, again)
    if (before === undefined || rule.allow?.(before, again) || isRespelled(before, again)) continue
    if (rule.web !== undefined && isLedBack(rule.web, before)) continue
    if (again.url.endsWith('/robots.txt') && again.at - before.at >= (rule.robotsLastsMs ?? DAY)) continue
    const failed = ASK_AGAIN.has(before.status) || !before.whole
    ;(failed ? found.retries : found.repeats).push({ url: again.url, before, again })
  }
  return found
}

/** A server that sends `/%70` to `/p` is taken at its word: the other spelling is asked for. */
function isRespelled(before: RequestEntry, again: RequestEntry): boolean {
  return before.status >= 300 && before.status < 400 && before.asked !== again.asked
}

function isLedBack(web: TestWeb, { url, status }: RequestEntry): boolean {
  if (status < 300 || status > 399 || !web.siteOf(url)?.cookies) return false
  const to = web.define(url)?.to
  return to !== undefined && canonicalUrl(to) === url
}

/** A page asked for before its site's robots.txt (of the same scheme) had been answered. */
export function beforeRobots(entries: Entries): RequestEntry[] {
  const answered = new Map<string, Millis>()
  for (const entry of entries) {
    const { scheme, host, path } = splitUrl(entry.url)
    if (path !== '/robots.txt' || entry.endedAt === undefined) continue
    const key = `${scheme}://${host}`
    answered.set(key, Math.min(entry.endedAt, answered.get(key) ?? entry.endedAt))
  }
  return entries.filter((entry) => {
    const { scheme, host, path } = splitUrl(entry.url)
    return path !== '/robots.txt' && !(entry.at >= (answered.get(`${scheme}://${host}`) ?? Number.POSITIVE_INFINITY))
  })
}

/** What was asked for against what was right to ask for; robots.txt and where it sends its readers aside. */
export function askedAgainst(
  entries: Entries,
  right: RightAnswer,
  web: TestWeb,
): { extra: string[]; lacking: string[] } {
  const asked = new Set<string>()
  for (const { url } of entries) {
    const { path } = splitUrl(url)
    if (path !== '/robots.txt' && path !== web.siteOf(url)?.robots.movedTo) asked.add(url)
  }
  return {
    extra: [...asked].filter((url) => !right.asked.has(url) && !right.sitemapFiles.has(url)),
    lacking: [...right.asked, ...right.sitemapFiles].filter((url) => !asked.has(url)),
  }
}

/** Requests without an honest name: `NAME/VERSION (+CONTACT)`. */
export function nameless(entries: Entries): RequestEntry[] {
  return entries.filter((entry) => !/^[A-Za-z][\w.-]*\/\d[\w.+-]*( \(\+[^)]+\))?$/.test(entry.userAgent))
}

function end(entry: RequestEntry): Millis {
  return entry.endedAt ?? Number.POSITIVE_INFINITY
}

function eachPair(
  entries: Entries,
  by: 'site' | 'address',
  visit: (before: RequestEntry, after: RequestEntry) => void,
): void {
  for (const group of groups(entries, (entry) => entry[by]).values()) {
    for (let i = 1; i < group.length; i++) visit(group[i - 1], group[i])
  }
}

/** In the order in which they began. */
function groups(entries: Entries, key: (entry: RequestEntry) => string): Map<string, RequestEntry[]> {
  const map = new Map<string, RequestEntry[]>()
  for (const entry of entries) {
    const group = map.get(key(entry))
    if (group === undefined) map.set(key(entry), [entry])
    else group.push(entry)
  }
  for (const group of map.values()) group.sort((a, b) => a.at - b.at)
  return map
}
