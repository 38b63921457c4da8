/** Captures in bulk on PostgreSQL, with their payloads and volumes. */
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { NO_PAYLOAD } from '../captures/digest-filter.ts'
import type { StoredCapture } from '../captures/read-captures.ts'
import { columnsOf } from './bucket.ts'

type NewCapture = Omit<StoredCapture, 'duplicate'> & { site: bigint; key: bigint }

/**
 * Two buckets may bring the same new payload at the same time, and the second waits for the first. So they are sorted, and
 * nothing that another bucket needs is written after them.
 */
export const ADD_PAYLOADS = `
  INSERT INTO payload (shard, digest, bucket, capture)
  SELECT shard, digest, $1, capture FROM unnest($2::smallint[], $3::text[], $4::bigint[]) AS given(shard, digest, capture)
  ON CONFLICT (shard, digest) DO NOTHING RETURNING digest`
export const WRITE_CAPTURES = `
  INSERT INTO capture (bucket, id, site, key, url, at, volume, "offset", length, digest, status, media_type, kind, duplicate)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::bigint[])`

/** In the order in which they were applied, which is that of their ids. */
export function capturesIn(reports: readonly VisitReport[], nextId: () => number): NewCapture[] {
  const captures: NewCapture[] = []
  for (const report of reports) {
    const site = siteKeyOf(report.site)
    for (const { capture, key, url, at, status, mediaType } of report.pages) {
      if (capture === undefined) continue
      captures.push({ ...capture, id: nextId(), site, key: signed64(key), url, at: Math.round(at), status, mediaType })
    }
  }
  return captures
}

/** Returns the digests that are new to the collection. */
export async function addPayloads(
  tx: PostgresTx,
  bucket: number,
  captures: readonly NewCapture[],
): Promise<ReadonlySet<string>> {
  const first = new Map<string, { shard: number; digest: string; capture: number }>()
  for (const { kind, digest, id } of captures) {
    if (kind !== 'response' || digest === NO_PAYLOAD || first.has(digest)) continue
    first.set(digest, { shard: shardOf(digest), digest, capture: id })
  }
  if (first.size === 0) return new Set()
  const sorted = [...first.values()].sort((a, b) => a.shard - b.shard || (a.digest < b.digest ? -1 : 1))
  const columns = columnsOf(sorted, 'shard', 'digest', 'capture')
  const fresh = await tx.all<{ digest: string }>(ADD_PAYLOADS, bucket, ...columns)
  return new Set(fresh.map(({ digest }) => digest))
}

/** A payload that came again before its first record was durable is stored twice. That is harmless, and counted. */
export async function writeCaptures(
  tx: PostgresTx,
  bucket: number,
  captures: readonly NewCapture[],
  fresh: ReadonlySet<string>,
  volumes: ReadonlyMap<string, number>,
): Promise<void> {
  if (captures.length === 0) return
  const met = new Set<string>()
  const isDuplicate = ({ kind, digest }: NewCapture): boolean => {
    if (kind === 'revisit') return true
    if (digest === NO_PAYLOAD) return false
    const isFirst = fresh.has(digest) && !met.has(digest)
    met.add(digest)
    return !isFirst
  }
  const rows = captures.map((capture) => ({
    ...capture,
    volume: volumes.get(capture.volume)!,
    duplicate: isDuplicate(capture) ? 1 : 0,
  }))
  await tx.run(
    WRITE_CAPTURES,
    bucket,
    ...columnsOf(rows, 'id', 'site', 'key', 'url', 'at', 'volume', 'offset', 'length'),
    ...columnsOf(rows, 'digest', 'status', 'mediaType', 'kind', 'duplicate'),
  )
}

const READ_VOLUMES = 'SELECT id, name FROM volume WHERE name = ANY($1::text[])'
/** Sorted: two transactions that meet the same new volumes at the same time do not deadlock. */
const ADD_VOLUMES = 'INSERT INTO volume (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING'

/** A crawl writes few volumes at a time, so those closed long ago may be forgotten. */
const MAX_VOLUMES = 10_000

/** The ids of volumes, which never change. */
export class VolumeIds {
  readonly #known = new Map<string, number>()

  /** Ids that are new in this transaction are not remembered: call `remember` when it is durable. */
  async of(tx: PostgresTx, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    // A copy: remembered ids may be forgotten while the transaction runs.
    const ids = new Map<string, number>()
    const missing: string[] = []
    for (const name of [...new Set(names)].sort()) {
      const id = this.#known.get(name)
      if (id === undefined) missing.push(name)
      else ids.set(name, id)
    }
    if (missing.length === 0) return ids
    const [, rows] = await Promise.all([
      tx.run(ADD_VOLUMES, missing),
      tx.all<{ id: number; name: string }>(READ_VOLUMES, missing),
    ])
    for (const { id, name } of rows) ids.set(name, id)
    return ids
  }

  remember(ids: ReadonlyMap<string, number>): void {
    if (this.#known.size > MAX_VOLUMES) this.#known.clear()
    for (const [name, id] of ids) this.#known.set(name, id)
  }
}
