/** Captures in bulk, and which payloads were in the collection already. */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Capture, VisitReport } from '../../contracts/report.ts'
import { shardOf } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { NO_PAYLOAD } from '../captures/no-payload.ts'
import { siteKeyOf } from '../site-key.ts'

export interface NewCapture extends Capture {
  id: number
  site: bigint
  key: bigint
  url: string
  at: Instant
  status: number
  mediaType: string
}

/**
 * The payloads that nobody has yet. Two buckets may bring the same one at the same time: the second waits for the first,
 * so they are sorted, and nothing that another bucket wants is written after them.
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

/** The digests that were not in the collection before. */
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
  const fresh = await tx.all<{ digest: string }>(
    ADD_PAYLOADS,
    bucket,
    sorted.map(({ shard }) => shard),
    sorted.map(({ digest }) => digest),
    sorted.map(({ capture }) => capture),
  )
  return new Set(fresh.map(({ digest }) => digest))
}

/** Stored twice is no harm, and it is counted: the payload was met again before its first record was durable. */
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
  const column = <Value>(of: (capture: NewCapture) => Value) => captures.map(of)
  await tx.run(
    WRITE_CAPTURES,
    bucket,
    column(({ id }) => id),
    column(({ site }) => site),
    column(({ key }) => key),
    column(({ url }) => url),
    column(({ at }) => at),
    column(({ volume }) => volumes.get(volume)!),
    column(({ offset }) => offset),
    column(({ length }) => length),
    column(({ digest }) => digest),
    column(({ status }) => status),
    column(({ mediaType }) => mediaType),
    column(({ kind }) => kind),
    column((capture) => (isDuplicate(capture) ? 1 : 0)),
  )
}
