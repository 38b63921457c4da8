import { signed64 } from '../../base/digest.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { readVisitId } from '../visit-id.ts'
import { FREE_SITES_OF_ADDRESS } from './free-addresses.ts'
import { learnAddress } from './learn-address.ts'
import { readSite } from './read-site.ts'
import { releaseAddress } from './release-address.ts'
import type { FrontierTools } from './tools.ts'
import { writeSite } from './write-site.ts'

export const READ_ADDRESS = `SELECT worker, visits, until FROM address WHERE address = ?`
export const HOLD_ADDRESS = `
  INSERT INTO address (address, worker, visits, until) VALUES (?, ?, 1, 0)
  ON CONFLICT (address) DO UPDATE SET visits = CASE worker WHEN excluded.worker THEN visits + 1 ELSE 1 END,
    worker = excluded.worker`

const MAX_FREED = 500

/** Who may ask at an address now: its holder, or undefined when it is anybody's. */
export function holderOf(tx: SqliteTx, address: string, now: number): WorkerId | undefined {
  const row = tx.get<{ worker: WorkerId; visits: number; until: number }>(READ_ADDRESS, address)
  return row !== undefined && (row.visits > 0 || row.until > now) ? row.worker : undefined
}

/**
 * No site is set aside any more for the one who had it: it would wait for him, who may be gone, for as long as others have the
 * address. Where they are more than are freed in one go, the address is nobody's to take yet.
 */
function isNobodys(tx: SqliteTx, address: string): boolean {
  return tx.run(FREE_SITES_OF_ADDRESS, address, MAX_FREED) < MAX_FREED
}

/** One visit holds one address. Where it was refused is remembered: the site then goes to the holder. */
export function holdAddress(
  tx: SqliteTx,
  tools: FrontierTools,
  { worker, visit, address }: { worker: WorkerId; visit: VisitId; address: string },
): 'here' | 'elsewhere' {
  const id = readVisitId(visit)
  const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
  if (site === undefined || site.state !== 'leased' || site.fence !== id?.fence || site.worker !== worker)
    return 'elsewhere'
  if (site.entered === address) return 'here'
  const holder = holderOf(tx, address, tools.time.now())
  const here = holder === worker || (holder === undefined && isNobodys(tx, address))
  if (here) {
    if (site.entered !== null) releaseAddress(tx, site.entered, tools.time.now() + tools.addressPauseMs)
    tx.run(HOLD_ADDRESS, address, worker)
    site.entered = address
  }
  learnAddress(tx, site, address)
  writeSite(tx, site)
  return here ? 'here' : 'elsewhere'
}
