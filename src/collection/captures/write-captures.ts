/** Captures, with their payloads and volumes. */
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { columnsOf, postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { rowWriter } from '../../database/write-rows.ts'
import { NO_PAYLOAD } from './digest-filter.ts'
import type { StoredCapture } from './read-captures.ts'

/** `id`: null where the database gives it. */
type NewCapture = Omit<StoredCapture, 'id' | 'duplicate'> & { id: number | null; site: bigint; key: bigint }

export const WRITE_CAPTURES = rowWriter<Omit<NewCapture, 'volume'> & { volume: number; duplicate: number }>('capture', [
  ...(['id', 'site', 'key', 'url', 'at', 'volume', 'offset', 'length', 'digest', 'status', 'mediaType'] as const),
  ...(['kind', 'duplicate', 'change', 'place'] as const),
])

/** In the order in which they were applied, which is that of their ids. */
export function capturesIn(reports: readonly VisitReport[], nextId: () => number | null): NewCapture[] {
  const captures: NewCapture[] = []
  for (const report of reports) {
    const site = siteKeyOf(report.site)
    for (const { capture, key, url, at, status, mediaType, change } of report.pages) {
      if (capture === undefined) continue
      const changed = { change: change?.class ?? null, place: change?.place ?? null }
      const of = { site, key: signed64(key), url, at: Math.round(at), status, mediaType }
      captures.push({ ...capture, id: nextId(), ...of, ...changed })
    }
  }
  return captures
}

/** The first capture of each payload. */
export function payloadsOf(captures: readonly NewCapture[]): Map<string, NewCapture> {
  const first = new Map<string, NewCapture>()
  for (const capture of captures) {
    const { kind, digest } = capture
    if (kind === 'response' && digest !== NO_PAYLOAD && !first.has(digest)) first.set(digest, capture)
  }
  return first
}

/**
 * The rows of captures. `fresh`: digests that are new to the collection. A payload that came again before its first record
 * was applied is stored twice: that is harmless, and counted.
 */
export function captureRows(
  captures: readonly NewCapture[],
  fresh: ReadonlySet<string>,
  volumes: ReadonlyMap<string, number>,
) {
  const first = payloadsOf(captures)
  return captures.map((capture) => {
    const { kind, digest } = capture
    const isNew = digest === NO_PAYLOAD || (fresh.has(digest) && first.get(digest) === capture)
    return { ...capture, volume: volumes.get(capture.volume)!, duplicate: kind === 'response' && isNew ? 0 : 1 }
  })
}

/**
 * Two buckets may bring the same new payload at the same time, and the second waits for the first. So they are sorted, and
 * nothing that another bucket needs is written after them.
 */
export const ADD_PAYLOADS = `
  INSERT INTO payload (shard, digest, bucket, capture)
  SELECT shard, digest, $1, capture FROM unnest($2::smallint[], $3::text[], $4::bigint[]) AS given(shard, digest, capture)
  ON CONFLICT (shard, digest) DO NOTHING RETURNING digest`
const IS_STORED = `SELECT 1 FROM capture WHERE digest = ? AND kind = 'response' LIMIT 1`

/** Of some payloads, those that are new to the collection. */
export async function newPayloads(
  tx: Tx,
  bucket: number,
  payloads: ReadonlyMap<string, NewCapture>,
): Promise<ReadonlySet<string>> {
  if (payloads.size === 0) return new Set()
  if (tx.dialect === 'sqlite') {
    return new Set([...payloads.keys()].filter((digest) => sqliteTx(tx).get(IS_STORED, digest) === undefined))
  }
  const rows = [...payloads].map(([digest, { id }]) => ({ shard: shardOf(digest), digest, id }))
  rows.sort((a, b) => a.shard - b.shard || (a.digest < b.digest ? -1 : 1))
  const columns = columnsOf(rows, 'shard', 'digest', 'id')
  const fresh = await postgresTx(tx).all<{ digest: string }>(ADD_PAYLOADS, bucket, ...columns)
  return new Set(fresh.map(({ digest }) => digest))
}

const ADD_VOLUME = 'INSERT INTO volume (name) VALUES (?) ON CONFLICT (name) DO NOTHING'
const READ_VOLUME = 'SELECT id FROM volume WHERE name = ?'

/** The ids of volumes, which never change. */
export async function volumeIds(tx: Tx, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const db = queries(tx)
  const read = (name: string) => db.get<{ id: number }>(READ_VOLUME, name)
  // Sorted: two transactions that meet the same new volumes at the same time do not deadlock.
  const wanted = [...new Set(names)].sort()
  const known = await Promise.all(wanted.map(read))
  const fresh = wanted.filter((_, at) => known[at] === undefined)
  await Promise.all(fresh.map((name) => db.run(ADD_VOLUME, name)))
  const rows = await Promise.all(wanted.map((name, at) => known[at] ?? read(name)))
  return new Map(wanted.map((name, at) => [name, rows[at]!.id]))
}
