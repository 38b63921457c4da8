/**
 * Applies parts on SQLite. A transaction takes several slices and lets other work have the thread between them: a commit
 * costs about a millisecond whatever is in it, because it writes every page of the database that was touched.
 */
import { type Millis, turn } from '../../base/clock.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { type ApplyTools, applyBatch, type Batch, type Decided } from '../apply.ts'
import type { Arrivals, Taken } from '../arrivals.ts'
import { type ClosedPart, totalBytes } from '../report-parts.ts'
import { quarantine, removeParts, storeParts, storeQuarantined, type WaitingPart, waitingParts } from './inbox.ts'

/** Whatever else needs the database waits for all of them: about 25 ms. */
const SLICES_PER_TRANSACTION = 4

/** Applies the oldest parts of the inbox after `afterId`; those that it does not finish stay there. `isAll`: there are none after `lastId`. */
export async function applyWaiting(tools: ApplyTools, pace: Pace, afterId: number) {
  const { result, parts } = await applyBatch(tools, 0, async (tx, batch) => {
    const sums = { lastId: afterId, isAll: false, outOfOrder: 0, corrupt: 0 }
    const next = (): WaitingPart[] => {
      const parts = waitingParts(tx, sums.lastId, pace.bytes)
      sums.isAll = totalBytes(parts) < pace.bytes
      sums.lastId = parts.at(-1)?.id ?? sums.lastId
      return parts
    }
    await inSlices(tools, pace, batch, { hasMore: () => !sums.isAll, next }, ({ done, outOfOrder, corrupt }) => {
      removeParts(tx, done)
      for (const { id, why } of corrupt) quarantine(tx, id, why)
      sums.outOfOrder += outOfOrder.length
      sums.corrupt += corrupt.length
    })
    return sums
  })
  return { ...result, parts }
}

/**
 * Applies parts that have just come, without the inbox: durable and applied with one commit. They are taken once the
 * transaction has begun, so those that came while another ran are among them; `taken` receives them, also if it fails.
 * `stored`: parts out of order that are new to the inbox.
 */
export async function applyArrived(tools: ApplyTools, pace: Pace, arrivals: Arrivals, taken: Taken[]) {
  const { result: stored, parts } = await applyBatch(tools, 0, async (tx, batch) => {
    const early: SealedPart[] = []
    const next = () => {
      const some = arrivals.take(pace.bytes)
      taken.push(some)
      return some.parts
    }
    const source = { hasMore: () => arrivals.parts > 0, next }
    await inSlices(tools, pace, batch, source, ({ outOfOrder, corrupt }) => {
      for (const { why, ...part } of corrupt) storeQuarantined(tx, part, why)
      early.push(...outOfOrder)
    })
    return storeParts(tx, tools.ledger, early)
  })
  return { stored, parts }
}

interface Source<Part> {
  hasMore(): boolean
  next(): readonly Part[]
}

async function inSlices<Part extends ClosedPart>(
  { clock }: ApplyTools,
  pace: Pace,
  batch: Batch,
  { hasMore, next }: Source<Part>,
  settle: (decided: Decided<Part>) => void,
): Promise<void> {
  for (let slice = 0; slice < SLICES_PER_TRANSACTION && hasMore(); slice++) {
    if (slice > 0) await turn()
    const began = clock.elapsed()
    const parts = next()
    if (parts.length > 0) {
      const decided = await batch.decide(parts)
      await decided.write()
      settle(decided)
    }
    pace.learn(totalBytes(parts), clock.elapsed() - began)
  }
  await batch.end()
}

/** Below the limit of 10 ms: the commit's sync comes on top. */
const AIM_MS = 6
const MIN_BYTES = 4 * 1024
const MAX_BYTES = 512 * 1024
/** A slice has a fixed cost, so a small one says little about the cost of bytes. */
const MIN_LEARNT_BYTES = 2 * 1024

/** How many bytes of parts a slice may take to hold the thread for about 6 ms: learnt from the last ones. */
export class Pace {
  #bytes = 32 * 1024

  get bytes(): number {
    return this.#bytes
  }

  learn(bytes: number, tookMs: Millis): void {
    if (bytes < MIN_LEARNT_BYTES) return
    // Half of the way, so that one slow sync does not decide alone.
    const ideal = tookMs <= 0 ? MAX_BYTES : (bytes / tookMs) * AIM_MS
    const next = (this.#bytes + ideal) / 2
    this.#bytes = Math.round(Math.min(MAX_BYTES, Math.max(MIN_BYTES, next)))
  }
}
