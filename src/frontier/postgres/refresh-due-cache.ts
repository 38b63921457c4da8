/** What is due, in every bucket, whoever brought it there: a look at the head of each of its indexes. */

import type { WorkerId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { SiteState } from '../site.ts'
import { classOf, type DueCache } from './due-cache.ts'

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
      AND EXISTS (SELECT FROM address_reserved s WHERE s.shard = b.bucket AND s.address = address.address)
    ORDER BY until LIMIT 1) a`
export const READ_ASIDE = `
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

export async function refreshDueCache(tx: PostgresTx, dueCache: DueCache): Promise<void> {
  const [due, idle] = await Promise.all([tx.all<DueRow>(READ_DUE), tx.all<{ shard: number; until: number }>(READ_IDLE)])
  for (const { bucket, due: at, state, region, ...site } of due)
    if (state === 'free') dueCache.free(bucket, classOf(site))
    else dueCache.waits(bucket, region, at, classOf(site))
  for (const { shard, until } of idle) dueCache.idle(shard, until)
}

export async function refreshAside(tx: PostgresTx, dueCache: DueCache, worker: WorkerId): Promise<void> {
  for (const { bucket } of await tx.all<{ bucket: number }>(READ_ASIDE, worker)) dueCache.setAside(bucket, worker)
}
