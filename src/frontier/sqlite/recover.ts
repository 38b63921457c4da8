import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { loseVisit } from './leases.ts'
import { beginToWait, readSite, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'

export const READ_OUT = `SELECT key FROM site WHERE lease_until IS NOT NULL`
export const FREE_HELD_SITES = `UPDATE site SET holder = '' WHERE holder > ''`
export const FORGET_ADDRESSES = `DELETE FROM address`
export const READ_META = `SELECT value FROM frontier_meta WHERE name = ?`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const READ_RESTING = `SELECT key FROM site WHERE state IN ('waiting', 'free')`

/**
 * The last process is gone, with all its workers unless `leasesOutlive`, and what it had made durable is applied: what is
 * still out is lost.
 * Which addresses it was asking a moment ago is not asked: nothing at all goes out for one address pause (`first`: there
 * was no process before this one).
 */
export function recover(tx: SqliteTx, tools: FrontierTools, leasesOutlive: boolean): { lost: number; first: boolean } {
  const now = tools.time.now()
  const lost = leasesOutlive ? 0 : loseAll(tx, tools, now)
  const before = tx.get<{ value: string }>(READ_META, 'order')?.value
  if (before !== undefined && before !== tools.order.name) rankAnew(tx, tools)
  tx.run(WRITE_META, 'order', tools.order.name)
  const first = tx.get(READ_META, 'opened_at') === undefined
  tx.run(WRITE_META, 'opened_at', String(now))
  return { lost, first }
}

function loseAll(tx: SqliteTx, tools: FrontierTools, now: Instant): number {
  const out = tx.allExact<{ key: bigint }>(READ_OUT)
  for (const { key } of out) {
    const site = readSite(tx, key)
    assert(site !== undefined, 'a lease without a site')
    loseVisit(tx, tools, site, now, true)
  }
  tx.run(FREE_HELD_SITES)
  tx.run(FORGET_ADDRESSES)
  return out.length
}

/** Ranks of another order mean nothing in this one. Once, when the operator changes it. */
function rankAnew(tx: SqliteTx, tools: FrontierTools): void {
  for (const { key } of tx.allExact<{ key: bigint }>(READ_RESTING)) {
    const site = readSite(tx, key)
    if (site === undefined) continue
    site.state = 'waiting'
    beginToWait(tx, tools, site)
    writeSite(tx, site)
  }
}
