import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { LostVisit } from '../ledger.ts'
import { balancePending } from './balance-domain.ts'
import { loseVisit } from './lose-visit.ts'
import { movePending } from './move-waiting.ts'
import { readSite } from './read-site.ts'
import type { FrontierTools } from './tools.ts'

export const READ_ENDED_LEASES = `
  SELECT key FROM site WHERE lease_until <= ? ORDER BY lease_until LIMIT 500`
export const READ_LEASES_OF_WORKER = `SELECT key FROM site WHERE worker = ? AND state = 'leased'`

/**
 * Leases that ran out. The worker asked nothing after their end, by its own clock, which ends them earlier than ours.
 * Among them those whose last part was stored and cannot be applied: the inbox is empty, so it never will.
 */
export function reap(tx: SqliteTx, tools: FrontierTools, now: Instant): LostVisit[] {
  tools.aliases.refresh(tx)
  const lost = tx.allExact<{ key: bigint }>(READ_ENDED_LEASES, now).map(({ key }) => {
    const site = readSite(tx, key)
    assert(site?.lease_until != null, 'a lease without an end')
    return loseVisit(tx, tools, site, site.lease_until)
  })
  movePending(tx, tools)
  balancePending(tx, tools)
  return lost
}

/** All leases of a worker that is no more; visits whose last part is in the inbox have ended well. */
export function loseWorker(tx: SqliteTx, tools: FrontierTools, worker: WorkerId): LostVisit[] {
  return tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, worker).map(({ key }) => {
    const site = readSite(tx, key)
    assert(site !== undefined, 'a lease without a site')
    return loseVisit(tx, tools, site, tools.time.now())
  })
}
