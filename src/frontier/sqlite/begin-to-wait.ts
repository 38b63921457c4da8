import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import type { FrontierTools } from './tools.ts'

/** Until when a waiting site waits, and its rank; one that need not wait is free at once. */
export function beginToWait(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  const now = tools.time.now()
  const head = readQueueHead(tx, site.key)
  assert(head !== undefined, `${site.name} waits with nothing to ask`)
  site.not_before = Math.max(site.polite_at, head.due)
  site.rank = tools.order.rank({
    oldest: head.oldest,
    since: site.since,
    last: site.fence === 0 ? undefined : site.rank,
    known: site.known,
    waiting: site.waiting,
  })
  if (site.not_before <= now) site.state = stateAfter(site.state, { kind: 'due' })
}

export const READ_FRESH_HEAD = `
  SELECT enqueued_at FROM url WHERE site = ? AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1`
export const READ_DUE_HEAD = `
  SELECT due_at FROM url WHERE site = ? AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1`

export interface QueueHead {
  /** Since when the oldest unmarked URL waits, or will. */
  oldest: Instant
  /** When the first of them may be asked for; 0 is at once. */
  due: Instant
}

export function readQueueHead(tx: SqliteTx, site: bigint): QueueHead | undefined {
  const fresh = tx.get<{ enqueued_at: number }>(READ_FRESH_HEAD, site)?.enqueued_at
  const due = tx.get<{ due_at: number }>(READ_DUE_HEAD, site)?.due_at
  if (fresh === undefined) return due === undefined ? undefined : { oldest: due, due }
  return { oldest: due === undefined ? fresh : Math.min(fresh, due), due: 0 }
}
