/**
 * Links from the sites of one bucket to those of another. Entered by the transaction that applies the report, they would
 * lock sites all over the frontier until its end, and so would every other: with eight links a page, five transactions of
 * six waited for each other. So they are only written down there, with the report, and entered by whoever has the lock of
 * the bucket that they lead to, those of many reports together.
 */
import { hash64, signed64 } from '../../base/digest.ts'
import { encodeLinks } from '../../contracts/encode-report.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { type Waiting, waitingBy } from './inbox.ts'

export const ADD_CROSS_SITE = 'INSERT INTO cross_site_link (bucket, links) VALUES ($1, $2)'
/** The oldest; gone with the transaction that enters them. */
export const TAKE_CROSS_SITE = `
  DELETE FROM cross_site_link WHERE bucket = $1 AND id = ANY (ARRAY(
    SELECT id FROM cross_site_link WHERE bucket = $1 AND corrupt IS NULL ORDER BY id LIMIT $2)) RETURNING bucket, id, links`
const SET_ASIDE = 'UPDATE cross_site_link SET corrupt = $3 WHERE bucket = $1 AND id = $2'
const READ_BUCKETS = `
  SELECT b.bucket FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT FROM cross_site_link a WHERE a.bucket = b.bucket AND a.corrupt IS NULL AND a.id <= $1 LIMIT 1) found
  ORDER BY b.bucket`
const COUNT = `
  SELECT count(*) AS parts FROM (SELECT id FROM cross_site_link WHERE corrupt IS NULL AND id <= $1 LIMIT $2) AS counted`
/** A row is little work: so many are as much as the parts that may wait. */
const MAX_COUNTED = 50_000
const READ_NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM cross_site_link'

/** The report without what leads to other buckets. */
export function staying(bucket: number, report: VisitReport): VisitReport {
  return { ...report, crossSite: report.crossSite.filter(({ site }) => bucketOfSite(site) === bucket) }
}

/** What leads to other buckets. */
export function leaving(bucket: number, { crossSite }: VisitReport): Link[] {
  return crossSite.filter(({ site }) => bucketOfSite(site) !== bucket)
}

/** A statement for each bucket that they lead to, sent at once: rows are only added, nobody waits for them. Says to which. */
export async function addCrossSite(db: PostgresTx, links: readonly Link[]): Promise<number[]> {
  const buckets = [...Map.groupBy(links, ({ site }) => bucketOfSite(site))].sort(([one], [other]) => one - other)
  await Promise.all(buckets.map(([bucket, members]) => db.run(ADD_CROSS_SITE, bucket, encodeLinks(members))))
  return buckets.map(([bucket]) => bucket)
}

export interface CrossSiteRow {
  bucket: number
  id: number
  links: Uint8Array
}

/** Of each bucket the oldest rows, in their order. */
export async function takeCrossSite(
  db: PostgresTx,
  buckets: readonly number[],
  atMost: number,
): Promise<{ rows: CrossSiteRow[]; full: number[] }> {
  const taken = await Promise.all(buckets.map((bucket) => db.all<CrossSiteRow>(TAKE_CROSS_SITE, bucket, atMost)))
  return {
    rows: taken.flatMap((rows) => rows.sort((a, b) => a.id - b.id)),
    full: buckets.filter((_, at) => taken[at].length >= atMost),
  }
}

/** What cannot be entered is never thrown away, and holds nobody up. */
export async function setAside(tx: Tx, { bucket, id }: CrossSiteRow, why: string): Promise<void> {
  await postgresTx(tx).run(SET_ASIDE, bucket, id, why)
}

/** Of those written down up to `newest`. */
export function crossSiteUpTo(tx: Tx, newest = Number.MAX_SAFE_INTEGER): Promise<Waiting> {
  return waitingBy(tx, READ_BUCKETS, COUNT, newest, MAX_COUNTED)
}

export async function newestCrossSite(tx: Tx): Promise<number> {
  return (await postgresTx(tx).get<{ id: number }>(READ_NEWEST))!.id
}

function bucketOfSite(site: string): number {
  return bucketOf('postgres', signed64(hash64(site)))
}
