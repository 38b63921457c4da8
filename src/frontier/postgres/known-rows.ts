/** Known pages on PostgreSQL: what is due of sites. */
import type { Instant } from '../../base/clock.ts'
import { byKey, bySite, column, eachBucket } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type HeadRow, type KnownDue, PER_CLASS, refreshHead } from '../rules/refresh-agenda.ts'
import type { QueueHead, SiteRow } from '../rules/site.ts'
import type { UrlAt } from '../rules/url-rows.ts'
import type { RefreshTools } from '../tools.ts'

export const READ_DUE_PAGES = `
  SELECT n.site, k.key FROM unnest($2::bigint[], $3::bigint[]) AS n (site, looks)
  CROSS JOIN LATERAL (
    SELECT key, refresh_at FROM known_page WHERE bucket = $1 AND site = n.site AND refresh_at <= $4
    ORDER BY refresh_at, key LIMIT n.looks) k
  ORDER BY n.site, k.refresh_at, k.key`
export const READ_FIRST_DUE = `
  SELECT n.site, k.refresh_at::float8 AS due FROM unnest($2::bigint[]) AS n (site)
  CROSS JOIN LATERAL (
    SELECT refresh_at FROM known_page WHERE bucket = $1 AND site = n.site AND refresh_at IS NOT NULL
    ORDER BY refresh_at LIMIT 1) k`
/** From class to class by the index: however many pages a class has, only its first are read. */
export const READ_HEADS = `
  SELECT n.site, k.key, c.class::float8 AS class, k.looked_at::float8 AS looked_at, k.rate, k.weight
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, looks)
  CROSS JOIN LATERAL (
    WITH RECURSIVE c AS (
      (SELECT class FROM known_page WHERE bucket = $1 AND site = n.site AND class IS NOT NULL ORDER BY class LIMIT 1)
      UNION ALL
      SELECT (SELECT class FROM known_page WHERE bucket = $1 AND site = n.site AND class > c.class ORDER BY class LIMIT 1)
      FROM c WHERE c.class IS NOT NULL)
    SELECT class FROM c WHERE class IS NOT NULL) c
  CROSS JOIN LATERAL (
    SELECT key, looked_at, rate, weight FROM known_page WHERE bucket = $1 AND site = n.site AND class = c.class
    ORDER BY looked_at, key LIMIT n.looks) k
  ORDER BY n.site, c.class, k.looked_at, k.key`
interface Wanted {
  site: SiteRow
  looks: number
}

/** What may be looked at in each of these sites by `until`: at most `looks` by time. */
export async function readKnownDue(
  tx: PostgresTx,
  { once }: RefreshTools,
  wanted: readonly Wanted[],
  until: Instant,
): Promise<(site: bigint) => KnownDue> {
  const byTime = new Map<bigint, { key: bigint }[]>()
  const heads = new Map<bigint, HeadRow[]>()
  const keyOf = ({ site }: Wanted) => site.key
  await eachBucket(wanted, keyOf, async (bucket, some) => {
    const sites = [some.map(keyOf), column(some, 'looks')]
    const [due, first] = await Promise.all([
      tx.allExact<UrlAt>(READ_DUE_PAGES, bucket, ...sites, Math.min(until, once ?? until)),
      once === undefined
        ? tx.allExact<HeadRow & { site: bigint }>(
            READ_HEADS,
            bucket,
            some.map(keyOf),
            some.map(() => PER_CLASS),
          )
        : [],
    ])
    for (const [site, rows] of Map.groupBy(due, bySite)) byTime.set(site, rows)
    for (const [site, rows] of Map.groupBy(first, bySite)) heads.set(site, rows)
  })
  return (site) => ({ byTime: byTime.get(site) ?? [], heads: heads.get(site) ?? [] })
}

/** When these sites are worth a visit. `reading`: by their new URLs. */
export async function readRefreshHeads(
  work: { tx: PostgresTx; now: Instant },
  refresh: RefreshTools,
  sites: readonly SiteRow[],
  reading: Promise<ReadonlyMap<bigint, QueueHead>>,
): Promise<ReadonlyMap<bigint, QueueHead>> {
  const all = new Map<bigint, QueueHead>()
  const known = sites.filter(({ refreshing }) => refreshing > 0)
  await eachBucket(known, byKey, async (bucket, some) => {
    const keys = column(some, 'key')
    const ones = keys.map(() => 1)
    const [due, heads] = await Promise.all([
      work.tx.allExact<{ site: bigint; due: Instant }>(READ_FIRST_DUE, bucket, keys),
      refresh.once === undefined ? work.tx.allExact<HeadRow & { site: bigint }>(READ_HEADS, bucket, keys, ones) : [],
    ])
    const fresh = await reading
    const dueOf = new Map(due.map((row) => [row.site, row.due]))
    const headsOf = Map.groupBy(heads, bySite)
    for (const key of keys) {
      const head = refreshHead(work, refresh, fresh.get(key), dueOf.get(key), headsOf.get(key) ?? [])
      if (head !== undefined) all.set(key, head)
    }
  })
  for (const [key, head] of await reading) if (!all.has(key)) all.set(key, head)
  return all
}
