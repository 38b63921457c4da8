/** The reverse index on PostgreSQL: as `links/index-links.ts`, a piece of one bucket's pages at a time. */
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { type Change, LinkTargets, type TargetRow } from '../links/link-targets.ts'
import { tryBucket } from './bucket-lock.ts'
import { reserveRows } from './reserve-rows.ts'

export const READ_CHANGED = `
  SELECT page, site, before, after FROM (
    SELECT c.page, p.site, c.before, l.links AS after,
      sum(coalesce(octet_length(c.before), 0) + coalesce(octet_length(l.links), 0)) OVER (ORDER BY c.page) AS bytes,
      row_number() OVER (ORDER BY c.page) AS place
    FROM (SELECT page, before FROM links_changed WHERE bucket = $1 ORDER BY page LIMIT $2) c
    JOIN page p ON p.bucket = $1 AND p.id = c.page LEFT JOIN page_links l ON l.bucket = $1 AND l.page = c.page
  ) AS piece WHERE bytes <= $3 OR place = 1 ORDER BY page`
export const READ_NEW = `
  SELECT page, site, NULL::bytea AS before, after FROM (
    SELECT l.page, p.site, l.links AS after, sum(octet_length(l.links)) OVER (ORDER BY l.page) AS bytes,
      row_number() OVER (ORDER BY l.page) AS place
    FROM (
      SELECT page, links FROM page_links WHERE bucket = $1 AND page > (SELECT page FROM inlink_upto WHERE bucket = $1)
      ORDER BY page LIMIT $2
    ) l JOIN page p ON p.bucket = $1 AND p.id = l.page
  ) AS piece WHERE bytes <= $3 OR place = 1 ORDER BY page`
export const ADD_TARGETS = `
  INSERT INTO inlink (bucket, id, site, slot, targets)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])`
export const FORGET_CHANGED = 'DELETE FROM links_changed WHERE bucket = $1 AND page <= $2'
export const MOVE_UPTO = 'UPDATE inlink_upto SET page = $2 WHERE bucket = $1'
/** Buckets of which so many pages wait. Each is counted only that far. */
const READ_BUCKETS = `
  SELECT bucket FROM inlink_upto u WHERE
    (SELECT count(*) FROM (SELECT FROM links_changed c WHERE c.bucket = u.bucket LIMIT $1) AS changed)
    + (SELECT count(*) FROM (SELECT FROM page_links l WHERE l.bucket = u.bucket AND l.page > u.page LIMIT $1) AS fresh) >= $1
  ORDER BY bucket`

/** The pages that it took. Undefined: another transaction has the bucket. */
export async function indexLinksOf(
  tx: Tx,
  bucket: number,
  atMostPages: number,
  atMostBytes: number,
): Promise<number | undefined> {
  const db = postgresTx(tx)
  // With the lock of whoever applies reports: else a page could get other links between being read and being noted as taken.
  if (!(await tryBucket(db, bucket))) return undefined
  const [changed, fresh] = await Promise.all([
    db.allExact<Change>(READ_CHANGED, bucket, atMostPages, atMostBytes),
    db.allExact<Change>(READ_NEW, bucket, atMostPages, atMostBytes),
  ])
  // Those first that the index knows, and they alone if there are any: page ids must come in ascending order.
  const pages = changed.length > 0 ? changed : fresh
  const last = pages.at(-1)
  if (last === undefined) return 0
  const targets = new LinkTargets(pages.length)
  for (const page of pages) targets.add(page)
  await Promise.all([
    addTargets(db, bucket, [...targets.rows()]),
    changed.length > 0 ? db.run(FORGET_CHANGED, bucket, last.page) : db.run(MOVE_UPTO, bucket, last.page),
  ])
  return pages.length
}

/** A statement for each bucket that is linked to, sent at once. Ids of the linking bucket: nobody else gives those away. */
async function addTargets(db: PostgresTx, bucket: number, rows: readonly TargetRow[]): Promise<void> {
  if (rows.length === 0) return
  const ids = await reserveRows(db, bucket, rows.length)
  const buckets = Map.groupBy(rows, ({ site }) => bucketOf('postgres', site))
  const sorted = [...buckets].sort(([one], [other]) => one - other)
  await Promise.all(
    sorted.map(([target, members]) =>
      db.run(
        ADD_TARGETS,
        target,
        members.map(() => ids.next()),
        members.map(({ site }) => site),
        members.map(({ slot }) => slot),
        members.map(({ packed }) => packed),
      ),
    ),
  )
}

export async function bucketsToIndex(tx: Tx, pages: number): Promise<number[]> {
  return (await postgresTx(tx).all<{ bucket: number }>(READ_BUCKETS, pages)).map(({ bucket }) => bucket)
}
