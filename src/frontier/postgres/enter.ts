import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { SiteRow } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import { lockVisits } from './lock-visits.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * One row when it is the worker's now: it was, or it was nobody's any more. While sites are still set aside for the one who
 * had it, it is nobody's to take: they would wait for him, who may be gone, for as long as others have it. `until` of the
 * row that is proposed says which ends of a hold are over by now. That one row is given, not only counted: Citus counts those
 * that were proposed, and it takes no subquery after ON CONFLICT.
 */
export const HOLD_ADDRESS = `
  INSERT INTO address AS a (shard, address, worker, visits, until)
  SELECT $1::smallint, $2::text, $3::text, 1, CASE WHEN EXISTS (
    SELECT FROM address_reserved s WHERE s.shard = $1 AND s.address = $2) THEN -1 ELSE $4::bigint END
  ON CONFLICT (shard, address) DO UPDATE
    SET visits = CASE a.worker WHEN excluded.worker THEN a.visits + 1 ELSE 1 END, worker = excluded.worker
    WHERE a.worker = excluded.worker OR (a.visits = 0 AND a.until <= excluded.until)
  RETURNING a.visits`

export interface Entry {
  worker: WorkerId
  visit: VisitId
  address: string
}

interface Attempt extends Entry {
  site: SiteRow
  here: boolean
}

/**
 * One visit holds one address. Where it was refused is remembered: the site then goes to the holder. Each visit at most once
 * in `entries`; the answers in their order.
 */
export async function enter(working: WorkingSet, entries: readonly Entry[]): Promise<('here' | 'elsewhere')[]> {
  const siteOf = await lockVisits(
    working,
    entries.map(({ visit }) => visit),
  )
  const attempts = entries.map((entry): Attempt | undefined => {
    const site = siteOf(entry.visit)
    if (site?.state !== 'leased' || site.worker !== entry.worker) return undefined
    if (site.fence !== readVisitId(entry.visit)?.fence) return undefined
    return { ...entry, site, here: site.entered === entry.address }
  })
  const asking = attempts.flatMap((attempt) => (attempt === undefined || attempt.here ? [] : [attempt]))
  asking.sort(byAddress)
  await Promise.all(
    asking.map(async (attempt) => {
      const { worker, address } = attempt
      attempt.here = (await working.tx.run(HOLD_ADDRESS, shardOf(address), address, worker, working.now)) === 1
    }),
  )
  for (const { site, address, here } of asking) {
    if (here && site.entered !== null)
      working.addresses.release(site.entered, working.now + working.tools.addressPauseMs)
    if (here) site.entered = address
    working.addresses.learn(site, address)
    working.sites.change(site)
  }
  await working.flush()
  return attempts.map((attempt) => (attempt?.here ? 'here' : 'elsewhere'))
}

function byAddress(a: Entry, b: Entry): number {
  return shardOf(a.address) - shardOf(b.address) || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)
}
