/** The inbox, a logged table, bucket by bucket: parts that are durable and not yet applied, whichever server took them in. */
import { hash64, signed64 } from '../../base/digest.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { BUCKETS, bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'

/** Advisory locks go by two numbers: what for (the letters `orbI`), and the bucket. */
const STORING = 0x6f726249

/** Whoever stores holds these until his parts can be seen; who ends leases (`quietBuckets`) waits for nobody. */
export const LOCK_TO_STORE = `SELECT pg_advisory_xact_lock_shared(${STORING}, bucket) FROM unnest($1::integer[]) AS bucket`
export const STORE = `
  INSERT INTO inbox (bucket, visit, part, fence, site, last, bytes, body)
  SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[])
  ON CONFLICT (bucket, visit, part) DO NOTHING RETURNING visit, part`
/** The oldest, as many as their bytes allow, at least one. */
export const READ_READY = `
  SELECT visit, part, body FROM (
    SELECT visit, part, body, id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM inbox
    WHERE bucket = $1 AND corrupt IS NULL AND early = 0 ORDER BY id LIMIT $2
  ) AS oldest WHERE before < $3 ORDER BY id`
export const REMOVE = `
  DELETE FROM inbox USING unnest($2::text[], $3::bigint[]) AS done(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = done.visit AND inbox.part = done.part`
export const MARK_EARLY = `
  UPDATE inbox SET early = 1 FROM unnest($2::text[], $3::bigint[]) AS found(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = found.visit AND inbox.part = found.part`
export const MAKE_READY = `
  UPDATE inbox SET early = 0 FROM unnest($2::text[], $3::bigint[]) AS next(visit, part)
  WHERE inbox.bucket = $1 AND inbox.visit = next.visit AND inbox.part = next.part AND inbox.early = 1`
const MAKE_READY_ALL = 'UPDATE inbox SET early = 0 WHERE early = 1'
const SET_ASIDE = `
  UPDATE inbox SET corrupt = aside.why FROM unnest($2::text[], $3::bigint[], $4::text[]) AS aside(visit, part, why)
  WHERE inbox.bucket = $1 AND inbox.visit = aside.visit AND inbox.part = aside.part`
/** A look into each bucket, and a count with an end: of 100,000 parts a count by bucket took 300 ms, each second, on every server. */
const READ_READY_BUCKETS = `
  SELECT b.bucket FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT FROM inbox i WHERE i.bucket = b.bucket AND i.corrupt IS NULL AND i.early = 0 AND i.id <= $1 LIMIT 1) found
  ORDER BY b.bucket`
const COUNT_READY = `
  SELECT count(*) AS parts FROM (
    SELECT id FROM inbox WHERE corrupt IS NULL AND early = 0 AND id <= $1 LIMIT $2) AS counted`
const READ_NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM inbox'
const LOCK_TO_END = `SELECT bucket, pg_try_advisory_xact_lock(${STORING}, bucket) AS mine FROM unnest($1::integer[]) AS bucket`
const READ_QUIET = `
  SELECT bucket FROM frontier_bucket b WHERE bucket = ANY($1::smallint[]) AND NOT EXISTS
    (SELECT FROM inbox i WHERE i.bucket = b.bucket AND i.corrupt IS NULL AND i.early = 0)
  ORDER BY bucket`

export interface PartName {
  visit: string
  part: number
}

export interface ReadyPart extends PartName {
  body: Uint8Array
}

/** The visit's name says its site; what has none such is nobody's, and lies where its site would. */
export function bucketOfPart({ visit, site }: SealedPart): number {
  return bucketOf('postgres', signed64(readVisitId(visit)?.site ?? hash64(site)))
}

/** (visit, part) is stored once. Says how many were not there before, bucket by bucket. */
export async function storeParts(
  tx: Tx,
  ledger: Pick<Ledger, 'returning'>,
  parts: readonly SealedPart[],
): Promise<Map<number, number>> {
  const db = postgresTx(tx)
  const buckets = [...byBucket(parts)].sort(([one], [other]) => one - other)
  const lock = db.all(
    LOCK_TO_STORE,
    buckets.map(([bucket]) => bucket),
  )
  const [, ...fresh] = await Promise.all([lock, ...buckets.map(([bucket, members]) => store(db, bucket, members))])
  const all = fresh.flat()
  if (all.length > 0) await ledger.returning(tx, all)
  return new Map(buckets.map(([bucket], at) => [bucket, fresh[at].length]))
}

async function store(db: PostgresTx, bucket: number, parts: readonly SealedPart[]): Promise<SealedPart[]> {
  const stored = await db.all<PartName>(
    STORE,
    bucket,
    parts.map(({ visit }) => visit),
    parts.map(({ part }) => part),
    parts.map(({ fence }) => fence),
    parts.map(({ site }) => site),
    parts.map(({ last }) => (last ? 1 : 0)),
    parts.map(({ body }) => body.length),
    parts.map(({ body }) => body),
  )
  const names = new Set(stored.map(nameOf))
  // Of one that was brought twice at once, the first was stored.
  return parts.filter((part) => names.delete(nameOf(part)))
}

function byBucket(parts: readonly SealedPart[]): Map<number, SealedPart[]> {
  const buckets = new Map<number, SealedPart[]>()
  for (const part of parts) {
    const bucket = bucketOfPart(part)
    const others = buckets.get(bucket)
    if (others === undefined) buckets.set(bucket, [part])
    else others.push(part)
  }
  return buckets
}

const nameOf = ({ visit, part }: PartName): string => `${visit} ${part}`

export function readyParts(db: PostgresTx, bucket: number, atMost: number, maxBytes: number): Promise<ReadyPart[]> {
  return db.all<ReadyPart>(READ_READY, bucket, atMost, maxBytes)
}

export function removeParts(db: PostgresTx, bucket: number, parts: readonly PartName[]): Promise<number> {
  return change(db, REMOVE, bucket, parts)
}

/** A part before each is missing: they are not looked at again before that has come. */
export function markEarly(db: PostgresTx, bucket: number, parts: readonly PartName[]): Promise<number> {
  return change(db, MARK_EARLY, bucket, parts)
}

/** What they waited for was applied. Says how many there were. */
export function makeReady(db: PostgresTx, bucket: number, parts: readonly PartName[]): Promise<number> {
  return change(db, MAKE_READY, bucket, parts)
}

async function change(db: PostgresTx, sql: string, bucket: number, parts: readonly PartName[]): Promise<number> {
  if (parts.length === 0) return 0
  return db.run(
    sql,
    bucket,
    parts.map(({ visit }) => visit),
    parts.map(({ part }) => part),
  )
}

/** They may be those of visits that are over: then nothing they wait for ever comes. */
export function makeAllReady(tx: Tx): Promise<number> {
  return postgresTx(tx).run(MAKE_READY_ALL)
}

/** What cannot be applied was acknowledged, so it is never thrown away, and it holds nobody up. */
export async function setAside(
  db: PostgresTx,
  bucket: number,
  parts: readonly (PartName & { why: string })[],
): Promise<void> {
  if (parts.length === 0) return
  await db.run(
    SET_ASIDE,
    bucket,
    parts.map(({ visit }) => visit),
    parts.map(({ part }) => part),
    parts.map(({ why }) => why),
  )
}

export interface Waiting {
  /** In which something waits. */
  readonly buckets: readonly number[]
  /** How much; so much at the most. */
  readonly rows: number
}

/** Far more than may wait before workers are told to. */
const MAX_COUNTED = 5000

/** Of those stored up to `newest`, what can be applied. */
export async function readyUpTo(tx: Tx, newest = Number.MAX_SAFE_INTEGER): Promise<Waiting> {
  return waitingBy(tx, READ_READY_BUCKETS, COUNT_READY, newest, MAX_COUNTED)
}

/** `read`: the buckets up to $1; `count`: rows up to $1, at most $2. */
export async function waitingBy(tx: Tx, read: string, count: string, newest: number, max: number): Promise<Waiting> {
  const db = postgresTx(tx)
  const [found, counted] = await Promise.all([
    db.all<{ bucket: number }>(read, newest),
    db.get<{ parts: number }>(count, newest, max),
  ])
  return { buckets: found.map(({ bucket }) => bucket), rows: counted!.parts }
}

export async function newestPart(tx: Tx): Promise<number> {
  return (await postgresTx(tx).get<{ id: number }>(READ_NEWEST))!.id
}

const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

/**
 * Of some buckets, those in which no part waits to be applied, and into which none is stored before this transaction ends:
 * whoever checks in there waits for it. The locks first, in a statement of their own: only what begins after that sees all
 * that was stored before.
 */
export async function quietBuckets(tx: Tx, among = ALL_BUCKETS): Promise<number[]> {
  const db = postgresTx(tx)
  if (among.length === 0) return []
  const locks = await db.all<{ bucket: number; mine: boolean }>(LOCK_TO_END, among)
  const mine = locks.filter(({ mine }) => mine).map(({ bucket }) => bucket)
  return (await db.all<{ bucket: number }>(READ_QUIET, mine)).map(({ bucket }) => bucket)
}
