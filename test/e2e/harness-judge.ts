/**
 * A crawl judged by what its servers saw: courtesy with each site's own waits, retries matched line by line with the
 * failure table, everything else by the judges of the synthetic web. Runs that were killed say when.
 */

import type { FailureKind } from '../../src/contracts/outcome.ts'
import { waitAfter } from '../../src/crawl/failures.ts'
import {
  addressViolations,
  askedAgainst,
  beforeRobots,
  courtesyViolations,
  forbiddenRequests,
  nameless,
  overlaps,
  type Repeat,
  repeats,
} from '../../testkit/web/judges.ts'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import { crawlDelay, ROBOTS_TOKEN } from '../../testkit/web/robots-plan.ts'
import { splitUrl } from '../../testkit/web/spelling.ts'
import type { RightAnswer } from '../../testkit/web/walker.ts'
import type { TestWeb } from '../../testkit/web/web.ts'

export interface JudgeRules {
  /** The configured pause, by site. */
  pauseOf(site: string): number
  /** Of sites at one address together; not judged where it is left out, for `--pause-for` replaces it. */
  addressPauseMs?: number
  patience: number
  /** How long the crawler waits for an answer to begin. */
  firstByteMs: number
  /** What server and crawler may differ in measuring: both round, and a timer's millisecond is not the clock's. */
  toleranceMs: number
  /** How far the crawler's time of day may be off: a wait until a date is kept only so closely. */
  clockMs?: number
  /** When the crawler was killed, if it was. */
  killed?: Kills
}

/** What a crawler that was killed and started again may not know. */
export interface Kills {
  /** It was killed between the two, so soon after the first that its part need not have been durable. */
  mayHaveForgotten(before: RequestEntry, again: RequestEntry): boolean
  /** Some of these answers of robots.txt was noted. Else a Crawl-delay counts as forgotten with the answer before. */
  knewRobots?(read: readonly RequestEntry[], again: RequestEntry): boolean
}

export interface Judged {
  tooSoon: unknown[]
  tooSoonAtAddress: unknown[]
  /** Crawl-delay or Retry-After not kept, though the crawler knew of it. */
  waitsBroken: unknown[]
  overlaps: unknown[]
  forbidden: unknown[]
  beforeRobots: unknown[]
  repeated: unknown[]
  /** Retries that no line of the failure table names, or that came too soon for it. */
  unnamedRetries: unknown[]
  nameless: unknown[]
  extra: string[]
  lacking: string[]
}

export interface Seen extends Judged {
  retries: Map<string, number>
}

export function judgeRequests(entries: RequestEntry[], web: TestWeb, right: RightAnswer, rules: JudgeRules): Seen {
  const { toleranceMs, killed } = rules
  const again = repeats(entries, { web, ...(killed && { allow: killed.mayHaveForgotten }) })
  const matched = matchRetries(entries, again.retries, web, rules)
  const asked = askedAgainst(entries, right, web)
  const seen = asTheCrawlerSaw(entries, web, right)
  const atAddress = rules.addressPauseMs
  return {
    tooSoon: courtesyViolations(seen, { pauseOf: (site) => rules.pauseOf(site), toleranceMs }),
    tooSoonAtAddress:
      atAddress === undefined ? [] : addressViolations(seen, { pauseOf: () => atAddress, toleranceMs, from: 'end' }),
    waitsBroken: waitsBroken(entries, web, rules),
    overlaps: overlaps(entries),
    forbidden: forbiddenRequests(entries, web, ROBOTS_TOKEN),
    beforeRobots: beforeRobots(entries),
    repeated: again.repeats,
    unnamedRetries: matched.unnamed,
    retries: matched.lines,
    nameless: nameless(entries),
    // Once a site, a name that cannot exist may be asked for; twice is a repeat like any other.
    extra: asked.extra.filter((url) => !/\/no-such-page-[a-z0-9]+\.html$/.test(url)),
    lacking: asked.lacking,
  }
}

/**
 * An answer that the crawler broke off (an unwanted body, a robots.txt beyond its limit) ended for it before its server
 * knew: its pause is counted from the request.
 */
function asTheCrawlerSaw(entries: readonly RequestEntry[], web: TestWeb, right: RightAnswer): RequestEntry[] {
  const brokenOff = (entry: RequestEntry) =>
    !entry.whole ||
    right.declined.has(entry.url) ||
    (entry.url.endsWith('/robots.txt') && web.siteOf(entry.url)?.robots.kind === 'large')
  return entries.map((entry) => (brokenOff(entry) ? { ...entry, endedAt: entry.at } : entry))
}

/**
 * Waits that the site asked for itself, longer than the pause. A crawler killed before it could note them does not know: not
 * of a Retry-After that was said just then, nor of a Crawl-delay when no robots.txt was noted before.
 */
function waitsBroken(entries: readonly RequestEntry[], web: TestWeb, rules: JudgeRules): unknown[] {
  const last = new Map<string, RequestEntry>()
  const robots = new Map<string, RequestEntry[]>()
  const broken: unknown[] = []
  for (const after of entries) {
    const before = last.get(after.site)
    last.set(after.site, after)
    const read = robots.get(after.site) ?? []
    if (splitUrl(after.url).path === '/robots.txt') robots.set(after.site, [...read, after])
    if (before === undefined) continue
    const isNoted = rules.killed?.mayHaveForgotten(before, after) !== true
    const delay = (rules.killed?.knewRobots?.(read, after) ?? isNoted) ? robotsPause(web, before) : 0
    const wait = Math.max(delay, isNoted ? retryAfterOf(web, before, rules) : 0)
    const gap = after.at - (before.whole ? (before.endedAt ?? before.at) : before.at)
    if (gap < wait - rules.toleranceMs) broken.push({ wait, gap, before, after })
  }
  return broken
}

/** Crawl-delay of the site that was asked. */
function robotsPause(web: TestWeb, before: RequestEntry): number {
  const site = web.siteOf(before.url)
  return site === undefined ? 0 : crawlDelay(site.robots, ROBOTS_TOKEN)
}

/** What the answer asked for by Retry-After, counted from its end. `answer.ts` of the synthetic web says which page says what. */
function retryAfterOf(web: TestWeb, answer: RequestEntry, { clockMs = 0 }: JudgeRules): number {
  if (answer.status !== 429 && answer.status !== 503) return 0
  const page = web.define(answer.url)
  if (page === undefined) return 0
  const planted = page.headers.find(([name]) => name.toLowerCase() === 'retry-after')
  if (planted !== undefined) return Number(planted[1]) * 1000
  switch (page.flaky?.kind) {
    case '429':
    case '503-seconds':
      return 1000
    case '503-date': {
      const until = Math.floor((answer.wall + 2000) / 1000) * 1000
      return Math.max(0, until - clockMs - (answer.wall + (answer.endedAt ?? answer.at) - answer.at))
    }
    default:
      return 0
  }
}

function matchRetries(
  entries: readonly RequestEntry[],
  retries: readonly Repeat[],
  web: TestWeb,
  rules: JudgeRules,
): { unnamed: unknown[]; lines: Map<string, number> } {
  const reused = onReusedConnection(entries)
  const failures = new Map<string, number>()
  const stale = new Set<string>()
  const unnamed: unknown[] = []
  const lines = new Map<string, number>()
  for (const { url, before, again } of retries) {
    const waited = again.at - endForTheCrawler(before, web, rules) + rules.toleranceMs
    // A kept connection that was closed under the request: once more on a new one, after the pause; no failure (DESIGN §7).
    if (before.status === 0 && reused.has(before) && !stale.has(url) && waited >= rules.pauseOf(before.site)) {
      stale.add(url)
      count(lines, 'stale connection')
      continue
    }
    stale.delete(url)
    const tries = (failures.get(url) ?? 0) + 1
    failures.set(url, tries)
    const kind = failureOf(before)
    const wait = waitAfter(kind, tries, rules.patience)
    const atLeast = Math.max(wait ?? Number.POSITIVE_INFINITY, retryAfterOf(web, before, rules))
    if (waited < atLeast) unnamed.push({ kind, tries, waited, atLeast, before, again })
    else count(lines, kind)
  }
  return { unnamed, lines }
}

/** How late a server may be to read a request, on a machine that does much else: its silence seems that much shorter. */
const SERVER_LATENESS_MS = 500

/** The crawler parts before its server knows: from a silent one when its patience ends, from others at the earliest at once. */
function endForTheCrawler(entry: RequestEntry, web: TestWeb, rules: JudgeRules): number {
  if (entry.whole) return entry.endedAt ?? entry.at
  const site = web.siteOf(entry.url)
  const silent = site?.failing === 'silent' || (site?.failing === undefined && site?.robots.kind === 'timeout')
  return silent ? entry.at + rules.firstByteMs - SERVER_LATENESS_MS : entry.at
}

function failureOf({ url, status }: RequestEntry): FailureKind {
  if (splitUrl(url).path === '/robots.txt') return 'robots-unreachable'
  switch (status) {
    case 0:
      return 'reset'
    case 429:
      return 'status-429'
    case 503:
      return 'status-503'
    case 408:
      return 'status-408'
    default:
      return 'status-5xx'
  }
}

/** Requests on a connection that had carried another before. */
function onReusedConnection(entries: readonly RequestEntry[]): Set<RequestEntry> {
  const connections = new Set<number>()
  const reused = new Set<RequestEntry>()
  for (const entry of entries) {
    if (connections.has(entry.connection)) reused.add(entry)
    connections.add(entry.connection)
  }
  return reused
}

function count(lines: Map<string, number>, name: string): void {
  lines.set(name, (lines.get(name) ?? 0) + 1)
}
