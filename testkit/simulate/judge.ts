/** Compares what was collected, and what the servers saw, with what the web's own definition says is right. */

import type { Settings } from '../../src/app/config/keys.ts'
import type { Millis } from '../../src/base/clock.ts'
import { pagesSince } from '../../src/collection/pages/read-pages.ts'
import { absurdPath } from '../../src/crawl/missing-page.ts'
import type { Database } from '../../src/database/database.ts'
import {
  addressViolations,
  askedAgainst,
  beforeRobots,
  courtesyViolations,
  forbiddenRequests,
  overlaps,
  repeats,
  type TooSoon,
} from '../web/judges.ts'
import type { RequestEntry, RequestLedger } from '../web/ledger-of-requests.ts'
import { crawlDelay } from '../web/robots-plan.ts'
import { canonicalUrl, splitUrl } from '../web/spelling.ts'
import { type RightAnswer, type WalkScope, walk } from '../web/walker.ts'
import type { TestWeb } from '../web/web.ts'

export interface Judgement {
  /** Documents that the web's definition says are reachable and permitted. */
  expected: number
  missing: string[]
  surplus: string[]
  /** On the servers' side. */
  tooSoon: number
  tooSoonAtAddress: number
  atOnce: number
  forbidden: number
  beforeRobots: number
  repeated: number
  /** Asked for though nobody who does right would, and the other way round. */
  needless: number
  unasked: number
  violations: number
  /** The first of each kind of violation, in words. */
  examples: Record<string, string>
}

/** What was crawled, how, and what is left of it. */
export interface CrawledWeb {
  web: TestWeb
  ledger: RequestLedger
  database: Database
  settings: Settings
  seeds: readonly string[]
}

/** An answer that the crawler cannot know of when it asks again: the power was cut before it was durable. */
export type Forgotten = (answer: RequestEntry, again?: RequestEntry) => boolean

export async function judge(crawled: CrawledWeb, forgotten: Forgotten = () => false): Promise<Judgement> {
  const { web, ledger, database, settings } = crawled
  const right = rightAnswer(crawled)
  const collected = await documentsOf(database)
  const { entries } = ledger
  const asked = askedAgainst(entries, right, web)
  const found = {
    ...manners({ web, settings }, entries, forgotten),
    repeated: repeats(entries, { allow: forgotten, web }).repeats.map(
      ({ before, again }) => `${wordsOf(again)}, as at ${seconds(before.at)}`,
    ),
    needless: asked.extra.filter((url) => !isProbe(url) && !right.sitemapFiles.has(url)),
    unasked: asked.lacking,
  }
  const counts = Object.fromEntries(Object.entries(found).map(([what, list]) => [what, list.length])) as Record<
    keyof typeof found,
    number
  >
  const broken = Object.entries(found).filter(([, list]) => list.length > 0)
  return {
    expected: right.documents.size,
    missing: [...right.documents].filter((url) => !collected.has(url)),
    surplus: [...collected].filter((url) => !right.documents.has(url) && !right.doubtful.has(url)),
    ...counts,
    violations: Object.values(counts).reduce((sum, count) => sum + count, 0),
    examples: Object.fromEntries(broken.map(([what, [first]]) => [what, first])),
  }
}

/** What breaks the rules whatever was to be collected. Entries may be a stretch of a run. */
export function manners(
  { web, settings }: Pick<CrawledWeb, 'web' | 'settings'>,
  entries: readonly RequestEntry[],
  forgotten: Forgotten = () => false,
) {
  const pauseOf = pauseIn(web, settings, forgotten)
  const atAddress = { pauseOf: () => settings.addressPause, toleranceMs: 1, from: 'start' } as const
  return {
    tooSoon: courtesyViolations(entries, { pauseOf, toleranceMs: 1 }).map(wordsOfTooSoon),
    tooSoonAtAddress: addressViolations(entries, atAddress).map(wordsOfTooSoon),
    atOnce: overlaps(entries).map(([before, after]) => `${wordsOf(after)} while ${before.url} was under way`),
    forbidden: forbiddenRequests(entries, web, settings.userAgentName).map(wordsOf),
    beforeRobots: beforeRobots(entries).map(wordsOf),
  }
}

const seconds = (ms: Millis): string => `${(ms / 1000).toFixed(3)} s`
const wordsOf = ({ url, at }: RequestEntry): string => `${url} at ${seconds(at)}`
const wordsOfTooSoon = ({ before, after, gapMs, pauseMs }: TooSoon): string =>
  `${wordsOf(after)}, ${seconds(gapMs)} after ${before.url} and not ${seconds(pauseMs)}`

/** The one question for a name that cannot exist is the crawler's own; so is where that is redirected to. */
function isProbe(url: string): boolean {
  const { host, path } = splitUrl(url)
  return path.includes(absurdPath(host).slice(1))
}

export function rightAnswer({ web, settings, seeds }: Pick<CrawledWeb, 'web' | 'settings' | 'seeds'>): RightAnswer {
  const { links, maxDepth, queries } = settings
  const sitemaps = settings.sitemaps !== 'no'
  return walk(web, { seeds, scope: walkScope(settings.scope), links, maxDepth, queries, sitemaps })
}

/** URLs of the pages kept, in the synthetic web's own spelling. */
export async function documentsOf(database: Database): Promise<Set<string>> {
  const collected = new Set<string>()
  for (let last = 0; ; ) {
    const pages = await database.read((tx) => pagesSince(tx, last, 1000))
    for (const page of pages) if (page.outcome === 'kept') collected.add(canonicalUrl(page.url))
    if (pages.length === 0) return collected
    last = pages[pages.length - 1].id
  }
}

/** Ours, or the site's Crawl-delay: that one as soon as its robots.txt has been read. */
function pauseIn(web: TestWeb, settings: Settings, forgotten: Forgotten) {
  const delays = new Map(
    web.allSites().map(({ host, robots }) => [host, crawlDelay(robots, settings.userAgentName)] as const),
  )
  return (site: string, before: RequestEntry): Millis => {
    const unread = before.url.endsWith('/robots.txt') && (!before.whole || forgotten(before))
    const delay = unread ? 0 : (delays.get(site) ?? 0)
    return Math.max(settings.pause, Math.min(delay, settings.maxCrawlDelay))
  }
}

function walkScope(scope: string): WalkScope {
  if (scope === 'page' || scope === 'prefix' || scope === 'host' || scope === 'domain') return { kind: scope }
  return { kind: 'tld', tld: scope.replace(/^tld:/, '') }
}
