/**
 * Removes from the catalogue the captures that a rule does not keep. The records stay in their volumes until
 * `compact-volumes.ts` rewrites those.
 *
 * Two passes over all captures, each in constant memory. The first decides over revisits and remembers the payloads of those
 * that stay; the second removes responses, except those payloads: a response that a revisit refers to always stays. A crash
 * between two transactions leaves a catalogue that is whole.
 */
import { type Instant, turn } from '../../base/clock.ts'
import type { CountName } from '../../contracts/counts.ts'
import { bucketsOf, shardOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'
import { writeRows } from '../../database/write-rows.ts'
import { DigestFilter } from '../captures/digest-filter.ts'
import { markIndexStale } from '../captures/index-captures.ts'
import { ADD_COUNTERS, dayOf } from '../counters/counters.ts'
import { type DatedCapture, isGood, pageRetention, type RetentionRule } from './rule.ts'

export interface Thinning {
  database: Database
  rule: RetentionRule
  now: Instant
  /** Ids of the volumes whose captures may go. Those of others stay. */
  volumes: ReadonlySet<number>
  /** False: only count. */
  remove: boolean
  /** Called in each transaction that removes: throws when a crawl has begun meanwhile. */
  guard: (tx: Tx) => Promise<void>
}

export type Thinned = Awaited<ReturnType<typeof thinCaptures>>

interface CaptureRow extends DatedCapture {
  id: number
  site: bigint
  key: bigint
  length: number
  volume: number
  /** What the row of its page says; null if it has none. */
  content: string | null
}

/** Backwards through `capture_of`, piece by piece. */
export const READ_BACKWARDS = `
  SELECT c.id, c.site, c.key, c.at, c.kind, c.digest, c.status, c.length, c.volume, p.digest AS content
  FROM capture c LEFT JOIN page p ON p.bucket = c.bucket AND p.site = c.site AND p.key = c.key
  WHERE c.bucket = ?1 AND (c.site, c.key, c.at, c.id) < (?2, ?3, ?4, ?5)
  ORDER BY c.site DESC, c.key DESC, c.at DESC, c.id DESC LIMIT ?6`
const COUNT_REVISITS = `SELECT count(*) AS n FROM capture WHERE kind = 'revisit'`
export const REMOVE_CAPTURE = 'DELETE FROM capture WHERE bucket = ? AND id = ?'
/** Another response with the same payload may stay: then the next one is stored once more, which is harmless. */
export const REMOVE_PAYLOAD = 'DELETE FROM payload WHERE shard = ? AND digest = ? AND bucket = ? AND capture = ?'
const ADD_REMOVED = 'UPDATE volume SET removed_bytes = removed_bytes + ? WHERE id = ?'

const PIECE = 1000
const LAST = 2n ** 63n - 1n

export async function thinCaptures(thinning: Thinning) {
  const { database, volumes } = thinning
  const thinned = {
    captures: 0,
    /** Of them, records without a payload: unchanged looks, and copies of what is elsewhere in the collection. */
    revisits: 0,
    /** Of their records, without those of the requests. */
    bytes: 0,
    /** How many captures stay though the rule does not keep them, by volume. */
    elsewhere: new Map<number, number>(),
    /** The payloads of the revisits that stay. */
    needed: await filterFor(database),
  }
  const { elsewhere } = thinned
  for (const kind of ['revisit', 'response']) {
    for (const bucket of bucketsOf(database.dialect)) {
      let going: CaptureRow[] = []
      const decide = (capture: CaptureRow, stays: boolean) => {
        if (capture.kind !== kind) return
        const isHere = volumes.has(capture.volume)
        const goes = !stays && (kind === 'revisit' || !thinned.needed.mayHave(capture.digest))
        if (goes && isHere) going.push(capture)
        else if (kind === 'revisit') thinned.needed.add(capture.digest)
        if (goes && !isHere) elsewhere.set(capture.volume, (elsewhere.get(capture.volume) ?? 0) + 1)
      }
      for await (const _ of decisions(thinning, bucket, decide)) {
        for (const { length } of going) thinned.bytes += length
        thinned.captures += going.length
        if (kind === 'revisit') thinned.revisits += going.length
        if (thinning.remove && going.length > 0) await removeCaptures(thinning, bucket, going)
        going = []
        await turn()
      }
    }
  }
  return thinned
}

/** 16 bits for each revisit: one in two thousand responses stays needlessly. At most 128 MB; beyond 60 million revisits more stay. */
async function filterFor(database: Database): Promise<DigestFilter> {
  const n = await database.read((tx) => countOf(tx, COUNT_REVISITS))
  const filter = DigestFilter.ofBits(Math.min(2 ** 30, Math.max(2 ** 16, 2 ** Math.ceil(Math.log2(16 * n + 1)))))
  filter.markFilled()
  return filter
}

/** Yields when a piece of captures has been decided over. */
async function* decisions(
  { database, rule, now }: Thinning,
  bucket: number,
  decide: (capture: CaptureRow, stays: boolean) => void,
): AsyncGenerator<void> {
  let page: { site: bigint; key: bigint; retention: ReturnType<typeof pageRetention<CaptureRow>> } | undefined
  let last = { site: LAST, key: LAST, at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  for (;;) {
    const { site, key, at, id } = last
    const rows = await database.read((tx) =>
      queries(tx).allExact<Record<keyof CaptureRow, bigint>>(READ_BACKWARDS, bucket, site, key, at, id, PIECE),
    )
    for (const row of rows) {
      const capture = captureOf(row)
      if (page === undefined || capture.site !== page.site || capture.key !== page.key) {
        page?.retention.end()
        const retention = pageRetention(rule, now, capture.content, decide)
        page = { site: capture.site, key: capture.key, retention }
      }
      page.retention.add(capture)
      last = capture
    }
    if (rows.length < PIECE) page?.retention.end()
    yield
    if (rows.length < PIECE) return
  }
}

/** Integers are exact because of the keys. */
function captureOf(row: Record<keyof CaptureRow, bigint>): CaptureRow {
  const numbers = { id: Number(row.id), at: Number(row.at), status: Number(row.status) }
  return { ...(row as unknown as CaptureRow), ...numbers, length: Number(row.length), volume: Number(row.volume) }
}

async function removeCaptures(
  { database, now, guard }: Thinning,
  bucket: number,
  captures: readonly CaptureRow[],
): Promise<void> {
  const bytes = new Map<number, number>()
  for (const { volume, length } of captures) bytes.set(volume, (bytes.get(volume) ?? 0) + length)
  const good = captures.filter(isGood).length
  await database.transact(async (tx) => {
    await guard(tx)
    const db = queries(tx)
    await markIndexStale(tx)
    await Promise.all(captures.map(({ id }) => db.run(REMOVE_CAPTURE, bucket, id)))
    if (tx.dialect === 'postgres')
      await Promise.all(
        captures
          .filter(({ kind }) => kind === 'response')
          .map(({ id, digest }) => db.run(REMOVE_PAYLOAD, shardOf(digest), digest, bucket, id)),
      )
    await Promise.all([...bytes].map(([volume, removed]) => db.run(ADD_REMOVED, removed, volume)))
    const count: CountName = 'capturesRemoved'
    await writeRows(tx, ADD_COUNTERS, bucket, [{ name: count, day: dayOf(now), value: good }])
  })
}
