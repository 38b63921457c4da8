/** Known pages on SQLite: what is due of a site. */
import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Valued } from '../../refresh/choose-looks.ts'
import { type HeadRow, type KnownDue, PER_CLASS, refreshHead } from '../rules/refresh-agenda.ts'
import { compareBigints, type QueueHead, type SiteRow } from '../rules/site.ts'
import { priceOf, type RefreshTools } from '../tools.ts'

export const READ_DUE_PAGES = `
  SELECT key FROM known_page WHERE site = ? AND refresh_at <= ? ORDER BY refresh_at, key LIMIT ?`
export const READ_FIRST_DUE = `
  SELECT refresh_at FROM known_page WHERE site = ? AND refresh_at IS NOT NULL ORDER BY refresh_at LIMIT 1`
/** From class to class by the index: however many pages a class has, only its first are read. */
export const READ_HEADS = `
  WITH RECURSIVE c (class) AS (
    SELECT (SELECT min(class) FROM known_page WHERE site = ?1 AND class >= 0)
    UNION ALL
    SELECT (SELECT min(class) FROM known_page WHERE site = ?1 AND class > c.class) FROM c WHERE c.class IS NOT NULL)
  SELECT k.key, k.class, k.looked_at, k.rate, k.weight FROM c CROSS JOIN known_page k
    ON k.site = ?1 AND k.class = c.class AND k.looked_at <= coalesce((
      SELECT h.looked_at FROM known_page h WHERE h.site = ?1 AND h.class = c.class
      ORDER BY h.looked_at LIMIT 1 OFFSET ?2 - 1), ${2 ** 53})
  WHERE c.class IS NOT NULL`
/** By the primary key: the columns are not in the index of classes. */
export const READ_VALUED = `
  SELECT key, class, looked_at, rate, weight FROM known_page WHERE site = ? AND +class IS NOT NULL`
export const HAS_VALUED = `SELECT 1 FROM known_page WHERE site = ? AND class >= 0 LIMIT 1`
/** The pages that are due now. `atMost`: of those due by time. */
export function readKnownDue(
  work: { tx: SqliteTx; now: Instant },
  { once }: RefreshTools,
  site: SiteRow,
  atMost: number,
): KnownDue {
  const until = Math.min(work.now, once ?? work.now)
  return {
    byTime: work.tx.allExact<{ key: bigint }>(READ_DUE_PAGES, site.key, until, atMost),
    heads: once === undefined ? readHeads(work, site, PER_CLASS) : [],
  }
}

/** A site with so few known pages is read whole: from class to class takes longer. */
const MAX_READ_WHOLE = 256

type HeadColumns = readonly [key: bigint, klass: bigint, looked_at: bigint, rate: number, weight: number]

/** The first `atMost` of each class. Rows by name take twice as long. */
function readHeads({ tx }: { tx: SqliteTx }, { key: site, refreshing }: SiteRow, atMost: number): HeadRow[] {
  const rows =
    refreshing <= MAX_READ_WHOLE
      ? tx.allColumns<HeadColumns>(READ_VALUED, site)
      : tx.allColumns<HeadColumns>(READ_HEADS, site, atMost)
  const heads = rows.map(
    ([key, klass, looked_at, rate, weight]): HeadRow => ({
      key,
      class: Number(klass),
      looked_at: Number(looked_at),
      rate,
      weight,
    }),
  )
  heads.sort((a, b) => a.class - b.class || a.looked_at - b.looked_at || compareBigints(a.key, b.key))
  return heads.filter((head, at) => head.class !== heads.at(at - atMost)?.class || at < atMost)
}

export function readRefreshHead(
  work: { tx: SqliteTx; now: Instant },
  refresh: RefreshTools,
  site: SiteRow,
  fresh: QueueHead | undefined,
): QueueHead | undefined {
  if (site.refreshing === 0) return fresh
  const due = work.tx.get<{ refresh_at: Instant }>(READ_FIRST_DUE, site.key)?.refresh_at
  return refreshHead(work, refresh, fresh, due, headsToValue(work, refresh, site))
}

/** Where every look is worth its price, that there is a page is enough. */
function headsToValue(work: { tx: SqliteTx; now: Instant }, refresh: RefreshTools, site: SiteRow): readonly Valued[] {
  if (refresh.once !== undefined) return []
  if (priceOf(refresh) > 0) return readHeads(work, site, 1)
  return work.tx.get(HAS_VALUED, site.key) === undefined ? [] : [WORTH_ANYTHING]
}

const WORTH_ANYTHING: Valued = { looked_at: 0, rate: 1, weight: 1 }
