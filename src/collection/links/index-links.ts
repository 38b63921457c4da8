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
import { columnsOf, type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { reserveRows, tryBucket } from '../postgres/bucket.ts'
import { type Change, LinkTargets, type TargetRow } from './link-targets.ts'

/** A page may have 50,000 links: a batch ends with the page that reaches this, however many pages were asked for. */
const MAX_BYTES = 1024 * 1024

export interface LinkIndexer {
  /**
   * Indexes one batch of at most so many pages, if `atLeast` wait (on PostgreSQL: of one bucket). False: fewer wait, or
   * other servers index them.
   */
  next(atLeast: number, atMost: number): Promise<boolean>
}

export function linkIndexer(database: Database): LinkIndexer {
  return database.dialect === 'sqlite' ? onSqlite(database) : onPostgres(database)
}

function onSqlite(database: Database): LinkIndexer {
  return {
    async next(atLeast, atMost) {
      if (!(await database.read((tx) => hasLinksToIndex(tx, atLeast)))) return false
      return (await database.transact((tx) => indexLinks(tx, atMost))) > 0
    },
  }
}

function onPostgres(database: Database): LinkIndexer {
  /** Those that had enough pages when they were looked up. */
  let buckets: number[] = []
  return {
    async next(atLeast, atMost) {
      if (buckets.length === 0) buckets = await database.read((tx) => bucketsToIndex(tx, atLeast))
      for (let bucket = buckets.pop(); bucket !== undefined; bucket = buckets.pop()) {
        const at: number = bucket
        const taken = await database.transact((tx) => indexLinksOf(tx, at, atMost, MAX_BYTES))
        if (taken !== undefined && taken > 0) return true
      }
      return false
    },
  }
}

/** Pages that are not indexed yet. */
export async function linksToIndex(tx: Tx): Promise<number> {
  // Per bucket: the new pages are a small end of a large table.
  const sql = `SELECT (SELECT count(*) FROM links_changed) + (SELECT sum(fresh) FROM
      (SELECT (SELECT count(*) FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page) AS fresh
       FROM inlink_upto u) each_bucket) AS n`
  return (await queries(tx).get<{ n: number }>(sql))!.n
}

// On SQLite.

const SQLITE_CHANGED = `
  SELECT c.page, p.site, c.before, l.links AS after FROM links_changed c JOIN page p ON p.id = c.page
  LEFT JOIN page_links l ON l.page = c.page ORDER BY c.page LIMIT ?`
const SQLITE_NEW = `
  SELECT l.page, p.site, NULL AS before, l.links AS after FROM page_links l JOIN page p ON p.id = l.page
  WHERE l.page > (SELECT page FROM inlink_upto) ORDER BY l.page LIMIT ?`

/** Returns the number of pages taken; 200 pages with 40 links each take 3 ms. */
export function indexLinks(tx: Tx, atMostPages: number, atMostBytes = MAX_BYTES): number {
  const db = sqliteTx(tx)
  let bytes = 0
  const taken = (sql: string, atMost: number): Change[] => {
    const changes: Change[] = []
    if (bytes >= atMostBytes) return changes
    for (const change of db.eachExact<Change>(sql, atMost)) {
      changes.push(change)
      bytes += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      if (bytes >= atMostBytes) break
    }
    return changes
  }
  // The indexed ones first, because page ids must ascend.
  const changed = taken(SQLITE_CHANGED, atMostPages)
  const fresh = taken(SQLITE_NEW, atMostPages - changed.length)
  const targets = new LinkTargets(changed.length + fresh.length)
  for (const change of [...changed, ...fresh]) targets.add(change)
  for (const { site, slot, packed } of targets.rows())
    db.run('INSERT INTO inlink (site, slot, targets) VALUES (?, ?, ?)', site, slot, packed)
  const last = changed.at(-1)
  if (last !== undefined) db.run('DELETE FROM links_changed WHERE page <= ?', last.page)
  const upto = fresh.at(-1)
  if (upto !== undefined) db.run('UPDATE inlink_upto SET page = ?', upto.page)
  return changed.length + fresh.length
}

/** Whether at least so many pages wait. */
function hasLinksToIndex(tx: Tx, pages: number): boolean {
  const sql = `SELECT count(*) AS n FROM (SELECT page FROM links_changed UNION ALL
    SELECT page FROM page_links WHERE page > (SELECT page FROM inlink_upto) LIMIT ?)`
  return sqliteTx(tx).get<{ n: number }>(sql, pages)!.n >= pages
}

// On PostgreSQL: a batch of one bucket's pages at a time.

export const READ_CHANGED = `
  SELECT page, site, before, after FROM (
    SELECT c.page, p.site, c.before, l.links AS after,
      sum(coalesce(octet_length(c.before), 0) + coalesce(octet_length(l.links), 0)) OVER (ORDER BY c.page) AS bytes,
      row_number() OVER (ORDER BY c.page) AS nth
    FROM (SELECT page, before FROM links_changed WHERE bucket = $1 ORDER BY page LIMIT $2) c
    JOIN page p ON p.bucket = $1 AND p.id = c.page LEFT JOIN page_links l ON l.bucket = $1 AND l.page = c.page
  ) AS piece WHERE bytes <= $3 OR nth = 1 ORDER BY page`
export const READ_NEW = `
  SELECT page, site, NULL::bytea AS before, after FROM (
    SELECT l.page, p.site, l.links AS after, sum(octet_length(l.links)) OVER (ORDER BY l.page) AS bytes,
      row_number() OVER (ORDER BY l.page) AS nth
    FROM (
      SELECT page, links FROM page_links WHERE bucket = $1 AND page > (SELECT page FROM inlink_upto WHERE bucket = $1)
      ORDER BY page LIMIT $2
    ) l JOIN page p ON p.bucket = $1 AND p.id = l.page
  ) AS piece WHERE bytes <= $3 OR nth = 1 ORDER BY page`
export const ADD_TARGETS = `
  INSERT INTO inlink (bucket, id, site, slot, targets)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])`
export const FORGET_CHANGED = 'DELETE FROM links_changed WHERE bucket = $1 AND page <= $2'
export const ADVANCE_INDEXED = 'UPDATE inlink_upto SET page = $2 WHERE bucket = $1'
/** Buckets in which so many pages wait; each is counted only that far. */
const READ_BUCKETS = `
  SELECT bucket FROM inlink_upto u WHERE
    (SELECT count(*) FROM (SELECT FROM links_changed c WHERE c.bucket = u.bucket LIMIT $1) AS changed)
    + (SELECT count(*) FROM (SELECT FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page LIMIT $1) AS fresh) >= $1
  ORDER BY bucket`

/** Returns the number of pages taken; undefined: another transaction has the bucket. */
async function indexLinksOf(
  tx: Tx,
  bucket: number,
  atMostPages: number,
  atMostBytes: number,
): Promise<number | undefined> {
  const db = postgresTx(tx)
  // Under the lock that applying reports takes, so that no page gets other links between being read and being marked as taken.
  if (!(await tryBucket(db, bucket))) return undefined
  const [changed, fresh] = await Promise.all([
    db.allExact<Change>(READ_CHANGED, bucket, atMostPages, atMostBytes),
    db.allExact<Change>(READ_NEW, bucket, atMostPages, atMostBytes),
  ])
  // If there are changed ones, only these: page ids must ascend.
  const pages = changed.length > 0 ? changed : fresh
  const last = pages.at(-1)
  if (last === undefined) return 0
  const targets = new LinkTargets(pages.length)
  for (const page of pages) targets.add(page)
  await Promise.all([
    addTargets(db, bucket, [...targets.rows()]),
    changed.length > 0 ? db.run(FORGET_CHANGED, bucket, last.page) : db.run(ADVANCE_INDEXED, bucket, last.page),
  ])
  return pages.length
}

/** One statement per linked bucket, sent at once. The ids are the linking bucket's, which only its lock's holder gives out. */
async function addTargets(db: PostgresTx, bucket: number, rows: readonly TargetRow[]): Promise<void> {
  if (rows.length === 0) return
  const nextId = await reserveRows(db, bucket, rows.length)
  const buckets = Map.groupBy(rows, ({ site }) => bucketOf('postgres', site))
  const sorted = [...buckets].sort(([one], [other]) => one - other)
  await Promise.all(
    sorted.map(([target, members]) => {
      const ids = members.map(() => nextId())
      return db.run(ADD_TARGETS, target, ids, ...columnsOf(members, 'site', 'slot', 'packed'))
    }),
  )
}

async function bucketsToIndex(tx: Tx, pages: number): Promise<number[]> {
  return (await postgresTx(tx).all<{ bucket: number }>(READ_BUCKETS, pages)).map(({ bucket }) => bucket)
}
