/** The inbox, a logged table with buckets: parts that are durable and not applied yet, whichever server stored them. */
import { hash64, signed64 } from '../../base/digest.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { columnsOf, type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { Ledger } from '../../frontier/contract.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'
import type { ClosedPart } from '../report-parts.ts'

/** Advisory locks have two numbers: the purpose (the letters `orbI`) and the bucket. */
const STORING = 0x6f726249

/** A storing transaction holds these until its parts are visible; ending leases (`settledSites`) does not wait for it. */
export const LOCK_TO_STORE = `SELECT pg_advisory_xact_lock_shared(${STORING}, bucket) FROM unnest($1::integer[]) AS bucket`
export const STORE = `
  INSERT INTO inbox (bucket, visit, part, fence, site, last, bytes, body)
  SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[])
  ON CONFLICT (bucket, visit, part) DO NOTHING RETURNING visit, part`
/** The oldest, as many as their bytes allow, at least one. */
export const READ_READY = `
  SELECT visit, part, body FROM (
    SELECT visit, part, body, id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM inbox
    WHERE bucket = $1 AND corrupt IS NULL AND out_of_order = 0 ORDER BY id LIMIT $2
  ) AS oldest WHERE before < $3 ORDER BY id`
export const REMOVE = `
  DELETE FROM inbox USING unnest($2::text[], $3::bigint[]) AS done(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = done.visit AND inbox.part = done.part`
/** A part before each is missing: they are not read again until it has been applied. */
export const MARK_OUT_OF_ORDER = `
  UPDATE inbox SET out_of_order = 1 FROM unnest($2::text[], $3::bigint[]) AS found(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = found.visit AND inbox.part = found.part`
/** The part before each was applied. */
export const MAKE_READY = `
  UPDATE inbox SET out_of_order = 0 FROM unnest($2::text[], $3::bigint[]) AS next(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = next.visit AND inbox.part = next.part AND inbox.out_of_order = 1`
const MAKE_READY_ALL = 'UPDATE inbox SET out_of_order = 0 WHERE out_of_order = 1'
const QUARANTINE = `
  UPDATE inbox SET corrupt = found.why FROM unnest($2::text[], $3::bigint[], $4::text[]) AS found(visit, part, why)
  WHERE inbox.bucket = $1 AND inbox.visit = found.visit AND inbox.part = found.part`
/** One probe per bucket, and a limited count: counting 100,000 parts by bucket took 300 ms, each second, on every server. */
const LOCK_TO_END = `SELECT bucket, pg_try_advisory_xact_lock(${STORING}, bucket) AS mine FROM unnest($1::integer[]) AS bucket`
const READ_QUIET = `
  SELECT bucket FROM frontier_bucket b WHERE bucket = ANY($1::smallint[]) AND NOT EXISTS
    (SELECT FROM inbox i WHERE i.bucket = b.bucket AND i.corrupt IS NULL AND i.out_of_order = 0)
  ORDER BY bucket`

export type PartName = Pick<ClosedPart, 'visit' | 'part'>

/** The visit's id contains its site; a part with another id is stored where its site would be. */
function bucketOfPart({ visit, site }: SealedPart): number {
  return bucketOf('postgres', signed64(readVisitId(visit)?.site ?? hash64(site)))
}

/** (visit, part) is stored once. Returns how many were new, by bucket. */
export async function storeParts(
  tx: Tx,
  ledger: Pick<Ledger, 'returning'>,
  parts: readonly SealedPart[],
): Promise<Map<number, number>> {
  const db = postgresTx(tx)
  const buckets = [...Map.groupBy(parts, bucketOfPart)].sort(([one], [other]) => one - other)
  const numbers = buckets.map(([bucket]) => bucket)
  const [, ...fresh] = await Promise.all([
    db.all(LOCK_TO_STORE, numbers),
    ...buckets.map(([bucket, members]) => store(db, bucket, members)),
  ])
  const all = fresh.flat()
  if (all.length > 0) await ledger.returning(tx, all)
  return new Map(numbers.map((bucket, at) => [bucket, fresh[at].length]))
}

async function store(db: PostgresTx, bucket: number, parts: readonly SealedPart[]): Promise<SealedPart[]> {
  const rows = parts.map((part) => ({ ...part, last: part.last ? 1 : 0, bytes: part.body.length }))
  const columns = columnsOf(rows, 'visit', 'part', 'fence', 'site', 'last', 'bytes', 'body')
  const stored = await db.all<PartName>(STORE, bucket, ...columns)
  const names = new Set(stored.map(nameOf))
  // If the same part came twice at once, the first was stored.
  return parts.filter((part) => names.delete(nameOf(part)))
}

const nameOf = ({ visit, part }: PartName): string => `${visit} ${part}`

export function readyParts(db: PostgresTx, bucket: number, atMost: number, maxBytes: number): Promise<ClosedPart[]> {
  return db.all<ClosedPart>(READ_READY, bucket, atMost, maxBytes)
}

/** `sql`: REMOVE, MARK_OUT_OF_ORDER or MAKE_READY. Returns how many there were. */
export async function change(db: PostgresTx, sql: string, bucket: number, parts: readonly PartName[]): Promise<number> {
  return parts.length === 0 ? 0 : db.run(sql, bucket, ...columnsOf(parts, 'visit', 'part'))
}

/** For parts of visits that are over, which would wait forever. */
export function makeAllReady(tx: Tx): Promise<number> {
  return postgresTx(tx).run(MAKE_READY_ALL)
}

interface FailedPart extends PartName {
  why: string
}

/** A part that cannot be applied was acknowledged, so it is kept; it holds up no other. */
export async function quarantine(db: PostgresTx, bucket: number, parts: readonly FailedPart[]): Promise<void> {
  if (parts.length > 0) await db.run(QUARANTINE, bucket, ...columnsOf(parts, 'visit', 'part', 'why'))
}

export interface Waiting {
  /** Buckets in which something waits. */
  readonly buckets: readonly number[]
  /** How many rows, counted to a limit. */
  readonly rows: number
}

/** The rows of a table that `can` be worked on, counted to `max`. */
export function waitingIn(table: string, can: string, max: number) {
  const buckets = `SELECT b.bucket FROM frontier_bucket b CROSS JOIN LATERAL (
      SELECT FROM ${table} WHERE ${table}.bucket = b.bucket AND ${can} AND id <= $1 LIMIT 1) found ORDER BY b.bucket`
  const count = `SELECT count(*) AS rows FROM (SELECT id FROM ${table} WHERE ${can} AND id <= $1 LIMIT $2) AS counted`
  return {
    /** Those stored up to `newest`. */
    async upTo(tx: Tx, newest = Number.MAX_SAFE_INTEGER): Promise<Waiting> {
      const db = postgresTx(tx)
      const [found, counted] = await Promise.all([
        db.all<{ bucket: number }>(buckets, newest),
        db.get<{ rows: number }>(count, newest, max),
      ])
      return { buckets: found.map(({ bucket }) => bucket), rows: counted!.rows }
    },
    newest: async (tx: Tx): Promise<number> =>
      (await postgresTx(tx).get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`))!.id,
  }
}

/** Parts that can be applied. Counted: far more than may wait before workers are asked to pause. */
export const READY = waitingIn('inbox', 'corrupt IS NULL AND out_of_order = 0', 5000)

/**
 * Those of some sites for whose buckets no part waits to be applied, and none is stored before this transaction ends: whoever
 * accepts one there waits for it. The locks come first, in a statement of their own: only a later statement sees everything
 * that was stored before.
 */
export async function settledSites(tx: Tx, sites: readonly bigint[]): Promise<bigint[]> {
  const db = postgresTx(tx)
  const among = [...new Set(sites.map((site) => bucketOf('postgres', site)))].sort((a, b) => a - b)
  const locks = await db.all<{ bucket: number; mine: boolean }>(LOCK_TO_END, among)
  const mine = locks.filter(({ mine }) => mine).map(({ bucket }) => bucket)
  const quiet = new Set((await db.all<{ bucket: number }>(READ_QUIET, mine)).map(({ bucket }) => bucket))
  return sites.filter((site) => quiet.has(bucketOf('postgres', site)))
}
