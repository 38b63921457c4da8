import { assert } from '../../base/assert.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { readQueueHead } from './read-queue-head.ts'
import type { Rules } from './rules.ts'

/** Until when a waiting site waits, and its rank; one that need not wait is free at once. */
export function beginToWait(tx: SqliteTx, rules: Rules, site: SiteRow): void {
  const now = rules.time.now()
  const head = readQueueHead(tx, site.key)
  assert(head !== undefined, `${site.name} waits with nothing to ask`)
  site.not_before = Math.max(site.polite_at, head.due)
  site.rank = rules.order.rank({
    oldest: head.oldest,
    since: site.since,
    last: site.fence === 0 ? undefined : site.rank,
    known: site.known,
    waiting: site.waiting,
  })
  if (site.not_before <= now) site.state = stateAfter(site.state, { kind: 'due' })
}
