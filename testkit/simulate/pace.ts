/** How fast a simulated crawl went: its rate, when it had how much, how long URLs waited and collectors did nothing. */
import type { Millis } from '../../src/base/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { RequestEntry } from '../web/ledger-of-requests.ts'
import { canonicalUrl } from '../web/spelling.ts'
import { documentsOf } from './judge.ts'

export interface Pace {
  /** Workers × visits at a time. */
  collectors: number
  /** Virtual seconds, up to the time at which half of all requests were sent: then sites begin to run out. */
  requestsPerSecond: number
  /** Share of the collectors' time in which a request of theirs was under way, up to then. */
  busyShare: number
  /** When half and nine tenths of the documents were there, and when nine tenths of the sites had brought their first. */
  halfMs: Millis
  ninetyMs: Millis
  sitesMs: Millis
  /** From the moment a document's URL was known until it was asked for. */
  meanWaitMs: Millis
  longestWaitMs: Millis
}

export async function paceOf(
  { ledger, database }: { ledger: { entries: readonly RequestEntry[] }; database: Database },
  collectors: number,
): Promise<Pace> {
  const { entries } = ledger
  const documents = await documentsOf(database)
  const known = await knownSince(database)
  const collected: Millis[] = []
  const waits: Millis[] = []
  const sites = new Map<string, Millis>()
  for (const { url, site, at, wall, endedAt = at, whole } of entries) {
    // A document that failed at first is asked for again; its first request ends the wait.
    const since = known.get(url)
    if (since !== undefined && documents.has(url)) waits.push(wall - since)
    known.delete(url)
    if (!whole || !documents.delete(url)) continue
    collected.push(endedAt)
    if (!sites.has(site)) sites.set(site, endedAt)
  }
  collected.sort((a, b) => a - b)
  const until = entries[entries.length >> 1]?.at ?? 0
  const early = entries.filter(({ at }) => at < until)
  const busy = early.reduce((sum, { at, endedAt = at }) => sum + Math.min(endedAt, until) - at, 0)
  return {
    collectors,
    requestsPerSecond: until > 0 ? (early.length / until) * 1000 : 0,
    busyShare: until > 0 ? busy / (collectors * until) : 0,
    halfMs: shareOf(collected, 0.5),
    ninetyMs: shareOf(collected, 0.9),
    sitesMs: shareOf(
      [...sites.values()].sort((a, b) => a - b),
      0.9,
    ),
    meanWaitMs: waits.reduce((sum, wait) => sum + wait, 0) / Math.max(1, waits.length),
    longestWaitMs: waits.reduce((max, wait) => Math.max(max, wait), 0),
  }
}

/** When this share of the times, which are sorted, had passed. */
function shareOf(times: readonly Millis[], share: number): Millis {
  return times[Math.ceil(times.length * share) - 1] ?? 0
}

async function knownSince(database: Database): Promise<Map<string, Millis>> {
  const known = new Map<string, Millis>()
  await database.read(async (tx) => {
    for (const row of sqliteTx(tx).each<{ url: string; enqueued_at: number }>('SELECT url, enqueued_at FROM url'))
      known.set(canonicalUrl(row.url), row.enqueued_at)
  })
  return known
}
