/**
 * Writes the reverse index: which pages link to a URL (Y5). A row per link, or per target, would cost more than fetching the
 * page. So the coordinator's tick takes a batch of pages whose links are new or changed and writes one row per site they link to, with
 * its targets and the pages that gained or lost the link (`link-targets.ts`). Each batch is one short transaction. The rows
 * of a site, read in order, give the links as of the last batch.
 *
 * Pages are taken in the order in which they came, up to `inlink_upto`. When the links of a page change after that, a row of
 * `links_changed` holds the links that the index has.
 */
import { bucketOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'
import { rowWriter, writeRows } from '../../database/write-rows.ts'
import { reserveRows, tryBucket } from '../bucket.ts'
import { type Change, LinkTargets, type TargetRow } from './link-targets.ts'

/** A page may have 50,000 links: a batch ends with the page that reaches this, however many pages were asked for. */
const MAX_BYTES = 1024 * 1024

export function linkIndexer(database: Database) {
  /** Buckets that had enough pages when they were looked up. */
  let buckets: number[] = []
  return {
    /**
     * Indexes one batch of at most `atMost` pages, if `atLeast` wait (on PostgreSQL: of one bucket). False: fewer wait,
     * or other servers index them.
     */
    async next(atLeast: number, atMost: number): Promise<boolean> {
      if (buckets.length === 0) buckets = await database.read((tx) => bucketsToIndex(tx, atLeast))
      for (let bucket = buckets.pop(); bucket !== undefined; bucket = buckets.pop()) {
        const at: number = bucket
        if ((await database.transact((tx) => indexLinks(tx, atMost, MAX_BYTES, at))) > 0) return true
      }
      return false
    },
  }
}

/** Pages that are not indexed yet. */
export function linksToIndex(tx: Tx): Promise<number> {
  // Per bucket: the new pages are a small end of a large table.
  const sql = `SELECT (SELECT count(*) FROM links_changed) + (SELECT sum(fresh) FROM
      (SELECT (SELECT count(*) FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page) AS fresh
       FROM inlink_upto u) each_bucket) AS n`
  return countOf(tx, sql)
}

/** Buckets in which at least ?1 pages wait; each is counted only that far. */
const READ_BUCKETS = `
  SELECT bucket FROM inlink_upto u WHERE
    (SELECT count(*) FROM (SELECT 1 FROM links_changed c WHERE c.bucket = u.bucket LIMIT ?1) AS changed)
    + (SELECT count(*) FROM (SELECT 1 FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page LIMIT ?1) AS fresh) >= ?1
  ORDER BY bucket`

async function bucketsToIndex(tx: Tx, pages: number): Promise<number[]> {
  return (await queries(tx).all<{ bucket: number }>(READ_BUCKETS, pages)).map(({ bucket }) => bucket)
}

/** As many of the first pages as their links stay below the limit, at least one. */
const within = (changes: string) => `
  SELECT page, site, before, after FROM (
    SELECT page, site, before, after, row_number() OVER (ORDER BY page) AS nth,
      sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)) OVER (ORDER BY page) AS bytes
    FROM (${changes} ORDER BY 1 LIMIT ?2) AS changes
  ) AS counted WHERE bytes <= ?3 OR nth = 1 ORDER BY page`
export const READ_CHANGED = within(`
  SELECT c.page, p.site, c.before, l.links AS after FROM links_changed c
  JOIN page p ON p.bucket = c.bucket AND p.id = c.page LEFT JOIN page_links l ON l.bucket = c.bucket AND l.page = c.page
  WHERE c.bucket = ?1`)
export const READ_NEW = within(`
  SELECT l.page, p.site, nullif(l.links, l.links) AS before, l.links AS after FROM page_links l JOIN page p ON p.bucket = l.bucket AND p.id = l.page
  WHERE l.bucket = ?1 AND l.page > (SELECT page FROM inlink_upto WHERE bucket = ?1)`)
export const ADD_TARGETS = rowWriter<TargetRow & { id: number | null }>('inlink', ['id', 'site', 'slot', 'targets'])
export const FORGET_CHANGED = 'DELETE FROM links_changed WHERE bucket = ? AND page <= ?'
export const ADVANCE_INDEXED = 'UPDATE inlink_upto SET page = ?2 WHERE bucket = ?1'

/**
 * Returns the number of pages taken: 0 also if another transaction has the bucket. 200 pages with 40 links each take 4 ms
 * on SQLite.
 */
export async function indexLinks(tx: Tx, atMostPages: number, atMostBytes = MAX_BYTES, bucket = 0): Promise<number> {
  // Under the lock that applying reports takes, so that no page gets other links between being read and being marked as taken.
  if (!(await tryBucket(tx, bucket))) return 0
  const read = (sql: string) => queries(tx).allExact<Change>(sql, bucket, atMostPages, atMostBytes)
  const [changed, fresh] = await Promise.all([read(READ_CHANGED), read(READ_NEW)])
  // If there are changed ones, only these: page ids must ascend.
  const pages = changed.length > 0 ? changed : fresh
  const last = pages.at(-1)
  if (last === undefined) return 0
  const targets = new LinkTargets()
  for (const page of pages) targets.add(page)
  await Promise.all([
    addTargets(tx, bucket, [...targets.rows()]),
    queries(tx).run(changed.length > 0 ? FORGET_CHANGED : ADVANCE_INDEXED, bucket, last.page),
  ])
  return pages.length
}

/** One statement per linked bucket, sent at once. The ids are the linking bucket's, which only its lock's holder gives out. */
async function addTargets(tx: Tx, bucket: number, targets: readonly TargetRow[]): Promise<void> {
  if (targets.length === 0) return
  const nextId = await reserveRows(tx, bucket, targets.length)
  const buckets = [...Map.groupBy(targets, ({ site }) => bucketOf(tx.dialect, site))].sort(([a], [b]) => a - b)
  const rows = buckets.map(([to, members]) => [to, members.map((row) => ({ ...row, id: nextId() }))] as const)
  await Promise.all(rows.map(([to, members]) => writeRows(tx, ADD_TARGETS, to, members)))
}
