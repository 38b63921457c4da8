/**
 * Applies parts: the frontier's marks, pages, captures, links, hazards, counters and log lines of each, all in one
 * transaction, with its removal from the inbox if it lay there. So a crash before its end repeats it, and none after it can.
 *
 * A transaction takes several slices and lets others have the thread between two of them: a commit costs about a
 * millisecond whatever is in it, for it writes every page of the database that was touched.
 */
import { turn } from '../../base/clock.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Tx } from '../../database/database.ts'
import type { Arrivals } from './arrivals.ts'
import { type Applied, type ApplyTools, Batch } from './batch.ts'
import { removeParts, setAside, storeAside, storeParts, type WaitingPart, waitingParts } from './inbox.ts'
import type { Pace } from './pace.ts'

/** Who needs the database meanwhile waits for all of them: some 25 ms. */
const SLICES_A_TRANSACTION = 4

export interface FromInbox extends Applied {
  /** The last one looked at. */
  lastId: number
  /** There is nothing after it. */
  isAll: boolean
}

/** Looks at the oldest parts after `afterId`. */
export function applyWaiting(tools: ApplyTools, pace: Pace, afterId: number): Promise<FromInbox> {
  return transact(tools, async (tx, batch) => {
    let lastId = afterId
    let isAll = false
    const next = (): WaitingPart[] => {
      const parts = waitingParts(tx, lastId, pace.bytes)
      isAll = bytesOf(parts) < pace.bytes
      lastId = parts.at(-1)?.id ?? lastId
      return parts
    }
    const source = { hasMore: () => !isAll, next }
    await inSlices(tools, pace, source, async (parts) => {
      const { done } = await batch.apply(parts, ({ id }, why) => setAside(tx, id, why))
      removeParts(
        tx,
        done.map(({ id }) => id),
      )
    })
    return { ...batch.applied, lastId, isAll }
  })
}

export interface FromArrivals extends Applied {
  /** Of the early ones, those that were not in the inbox before. */
  stored: number
}

/**
 * Parts that have just come, without the way through the inbox: durable and applied with one commit. They are taken when
 * the transaction has begun, so that who came while another was under way is among them.
 */
export function applyArrived(tools: ApplyTools, pace: Pace, arrivals: Arrivals): Promise<FromArrivals> {
  return transact(tools, async (tx, batch) => {
    const early: SealedPart[] = []
    const source = { hasMore: () => arrivals.parts > 0, next: () => arrivals.take(pace.bytes) }
    await inSlices(tools, pace, source, async (parts) => {
      const applied = await batch.apply(parts, (part, why) => storeAside(tx, part, why))
      early.push(...applied.early)
    })
    return { ...batch.applied, stored: await storeParts(tx, tools.ledger, early) }
  })
}

interface Source<Part> {
  hasMore(): boolean
  next(): readonly Part[]
}

async function inSlices<Part extends { body: Uint8Array }>(
  { clock }: ApplyTools,
  pace: Pace,
  { hasMore, next }: Source<Part>,
  work: (parts: readonly Part[]) => Promise<void>,
): Promise<void> {
  for (let slice = 0; slice < SLICES_A_TRANSACTION && hasMore(); slice++) {
    if (slice > 0) await turn()
    const began = clock.elapsed()
    const parts = next()
    if (parts.length > 0) await work(parts)
    pace.learn(bytesOf(parts), clock.elapsed() - began)
  }
}

async function transact<Result extends Applied>(
  tools: ApplyTools,
  work: (tx: Tx, batch: Batch) => Promise<Result>,
): Promise<Result> {
  const begin = tools.clock.elapsed()
  const { applied, batch } = await tools.database.transact(async (tx) => {
    const batch = new Batch(tx, tools)
    const applied = await work(tx, batch)
    batch.end()
    if (applied.parts > 0) tools.journal.record({ kind: 'applying', part: applied.parts, pages: applied.pages })
    return { applied, batch }
  })
  batch.durable()
  if (applied.parts > 0) {
    const tookMs = tools.clock.elapsed() - begin
    tools.journal.record({ kind: 'applied', parts: applied.parts, pages: applied.pages, tookMs })
  }
  return applied
}

const bytesOf = (parts: readonly { body: Uint8Array }[]): number =>
  parts.reduce((sum, { body }) => sum + body.length, 0)
