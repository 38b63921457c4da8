/**
 * What a server does once a second, for itself and for all, with every tick of the coordinator, so that no check-out waits
 * for it.
 */

import type { WorkerId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { TOTAL_NAMES } from '../../database/schema/frontier.ts'
import { readPrice } from '../records.ts'
import type { SiteState } from '../rules/site.ts'
import { readTotals } from '../rules/totals.ts'
import { forgetAddresses, freeAddresses } from './addresses.ts'
import { classOf, type DueCache } from './due-cache.ts'
import type { FrontierTools } from './tools.ts'

export async function lookAround(
  tx: PostgresTx,
  { dueCache, clock, time, texts, trusted, refresh }: FrontierTools,
): Promise<void> {
  dueCache.refreshing(clock.elapsed())
  const [{ sites, urls }, price] = await Promise.all([
    readTotals(tx),
    refresh && readPrice(tx),
    refreshDueCache(tx, dueCache),
    foldTotals(tx),
  ])
  if (refresh !== undefined && price !== undefined) refresh.price = price
  // Uses what was just read. It comes last because addresses are locked after all else.
  await Promise.all([freeAddresses(tx, dueCache, time.now()), forgetAddresses(tx, dueCache, time.now())])
  // The caches grow with the tables.
  texts.refresh(0, () => urls.known)
  trusted.refresh(0, () => Object.values(sites).reduce((sum, some) => sum + some, 0))
}

/**
 * Every statement that changes sites adds a row to the totals of a bucket; now and then many become one. The sum is the same
 * at any moment, whatever others add, read or fold.
 */

/** This many rows of a bucket are read as quickly as one. */
const MANY = 32
const MAX_ROWS = 10_000

export const READ_LONG_TOTALS = `
  SELECT bucket FROM frontier_total GROUP BY bucket HAVING count(*) > ${MANY} ORDER BY bucket`
export const FOLD_TOTALS = `
  WITH old AS (
    SELECT id FROM frontier_total WHERE bucket = $1 ORDER BY id LIMIT ${MAX_ROWS} FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM frontier_total t USING old WHERE t.bucket = $1 AND t.id = old.id RETURNING t.*)
  INSERT INTO frontier_total (bucket, ${TOTAL_NAMES.join(', ')})
  SELECT $1::smallint, ${TOTAL_NAMES.map((name) => `sum(${name})`).join(', ')} FROM gone HAVING count(*) > 0`

/** All at once would hold the thread, and with it each check-out that comes meanwhile, for some milliseconds. */
const FOLDED_TOGETHER = 16

export async function foldTotals(tx: PostgresTx): Promise<void> {
  const long = await tx.all<{ bucket: number }>(READ_LONG_TOTALS)
  for (let at = 0; at < long.length; at += FOLDED_TOGETHER)
    await Promise.all(long.slice(at, at + FOLDED_TOGETHER).map(({ bucket }) => tx.run(FOLD_TOTALS, bucket)))
}

/** What is due in every bucket, whichever server wrote it: the head of each index. */

export const READ_DUE = `
  SELECT b.bucket, s.not_before::float8 AS due, s.losses::float8 AS losses, s.deferral::float8 AS deferral,
    s.state, s.region
  FROM frontier_bucket b CROSS JOIN LATERAL (
    (SELECT 0 AS not_before, losses, deferral, state, region FROM site WHERE site.bucket = b.bucket AND state = 'free' AND holder = ''
      ORDER BY losses, deferral LIMIT 1)
    UNION ALL
    (SELECT not_before, losses, deferral, state, region FROM site WHERE site.bucket = b.bucket AND state = 'waiting'
      ORDER BY not_before LIMIT 1)) s`
export const READ_IDLE = `
  SELECT b.bucket AS shard, a.until::float8 AS until FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT until FROM address WHERE address.shard = b.bucket AND visits = 0
      AND EXISTS (SELECT FROM address_reservation s WHERE s.shard = b.bucket AND s.address = address.address)
    ORDER BY until LIMIT 1) a`
export const READ_RESERVED = `
  SELECT b.bucket FROM frontier_bucket b
  WHERE EXISTS (SELECT FROM site WHERE site.bucket = b.bucket AND state = 'free' AND holder = $1)`

interface DueRow {
  bucket: number
  due: number
  losses: number
  deferral: number
  state: SiteState
  region: string
}

async function refreshDueCache(tx: PostgresTx, dueCache: DueCache): Promise<void> {
  const [due, idle] = await Promise.all([tx.all<DueRow>(READ_DUE), tx.all<{ shard: number; until: number }>(READ_IDLE)])
  for (const { bucket, due: at, state, region, ...site } of due)
    if (state === 'free') dueCache.free(bucket, classOf(site))
    else dueCache.waits(bucket, region, at, classOf(site))
  for (const { shard, until } of idle) dueCache.idle(shard, until)
}

export async function refreshReserved(tx: PostgresTx, dueCache: DueCache, worker: WorkerId): Promise<void> {
  for (const { bucket } of await tx.all<{ bucket: number }>(READ_RESERVED, worker)) dueCache.reserve(bucket, worker)
}
