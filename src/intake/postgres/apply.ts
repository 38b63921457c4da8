/** Applies the oldest parts of one bucket, in bulk. */
import { tryBucket } from '../../collection/bucket.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { type ApplyTools, applyBatch } from '../apply.ts'
import { totalBytes } from '../report-parts.ts'
import { addCrossSite, leaving, staying } from './cross-site.ts'
import { change, MAKE_READY, MARK_OUT_OF_ORDER, type PartName, quarantine, REMOVE, readyParts } from './inbox.ts'

/** About 100 pages: this thread needs 10 ms to read and pack them, and as much again for the statements. */
const MAX_BYTES = 512 * 1024

/**
 * `parts`: finished, whether they counted or not. `setAside`: no longer waiting, though not applied: out of order, or corrupt. `madeReady`:
 * out of order before, and ready now. `crossSite`: buckets for which links were stored. `isFull`: there may be more.
 */
export type Applied = NonNullable<Awaited<ReturnType<typeof applyBucket>>>

/**
 * A batch costs about ten round trips whatever its size, and holds the thread while it is read and packed. Undefined: another
 * transaction has the bucket. `taken` receives the parts that the transaction works on, also if it fails.
 */
export async function applyBucket(
  tools: ApplyTools,
  bucket: number,
  atMost: number,
  taken: (parts: readonly PartName[]) => void,
) {
  const { result, parts } = await applyBatch(tools, bucket, async (tx, batch) => {
    const db = postgresTx(tx)
    // Sent together; without the lock the parts are ignored.
    const [mine, parts] = await Promise.all([tryBucket(db, bucket), readyParts(db, bucket, atMost, MAX_BYTES)])
    if (!mine) return undefined
    taken(parts)
    // Of a visit in their order, in whatever order they came.
    parts.sort((a, b) => (a.visit === b.visit ? a.part - b.part : a.visit < b.visit ? -1 : 1))
    const { done, outOfOrder, corrupt, reports, write } = await batch.decide(parts, (report) => staying(bucket, report))
    const links = reports.flatMap((report) => leaving(bucket, report))
    const [crossSite, madeReady] = await Promise.all([
      addCrossSite(db, tools.clock, links),
      change(db, MAKE_READY, bucket, nextParts(reports)),
      write(),
      batch.end(),
      change(db, MARK_OUT_OF_ORDER, bucket, outOfOrder),
      change(db, REMOVE, bucket, done),
      quarantine(db, bucket, corrupt),
    ])
    const isFull = parts.length >= atMost || totalBytes(parts) >= MAX_BYTES
    return { setAside: outOfOrder.length + corrupt.length, madeReady, crossSite, isFull }
  })
  return result === undefined ? undefined : { ...result, parts }
}

/** The next part of each visit of which a part was applied. */
function nextParts(applied: readonly VisitReport[]): PartName[] {
  const last = new Map(applied.map(({ visit, part }) => [visit, part]))
  return [...last].map(([visit, part]) => ({ visit, part: part + 1 }))
}
