/** Compares what was collected, and what the servers saw, with what the web's own definition says is right. */

import { pagesSince } from '../collection/pages/read-pages.ts'
import type { Settings } from '../config/keys.ts'
import type { Database } from '../database/database.ts'
import {
  addressViolations,
  beforeRobots,
  courtesyViolations,
  forbiddenRequests,
  overlaps,
  repeats,
} from '../testweb/judges.ts'
import type { RequestLedger } from '../testweb/ledger-of-requests.ts'
import { canonicalUrl } from '../testweb/spelling.ts'
import { walk } from '../testweb/walker.ts'
import type { TestWeb } from '../testweb/web.ts'

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
  violations: number
}

export async function judge(
  web: TestWeb,
  ledger: RequestLedger,
  database: Database,
  settings: Settings,
  seeds: readonly string[],
): Promise<Judgement> {
  const right = walk(web, { seeds, scope: { kind: 'host' }, links: settings.links, maxDepth: settings.maxDepth })
  const collected = new Set<string>()
  for (let last = 0; ; ) {
    const pages = await database.read((tx) => pagesSince(tx, last, 1000))
    for (const page of pages) if (page.outcome === 'kept') collected.add(canonicalUrl(page.url))
    if (pages.length === 0) break
    last = pages[pages.length - 1].id
  }
  const { entries } = ledger
  const sites = {
    tooSoon: courtesyViolations(entries, { pauseOf: () => settings.pause, toleranceMs: 1 }).length,
    tooSoonAtAddress: addressViolations(entries, {
      pauseOf: () => settings.addressPause,
      toleranceMs: 1,
      from: 'start',
    }).length,
    atOnce: overlaps(entries).length,
    forbidden: forbiddenRequests(entries, web, settings.userAgentName).length,
    beforeRobots: beforeRobots(entries).length,
    repeated: repeats(entries).repeats.length,
  }
  return {
    expected: right.documents.size,
    missing: [...right.documents].filter((url) => !collected.has(url)),
    surplus: [...collected].filter((url) => !right.documents.has(url) && !right.doubtful.has(url)),
    ...sites,
    violations: Object.values(sites).reduce((sum, count) => sum + count, 0),
  }
}
