import { signed64 } from '../../base/digest.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, isBegun, type SiteRow } from '../site-row.ts'
import { readVisitId, visitId } from '../visit-id.ts'
import { beginToWait } from './begin-to-wait.ts'
import { endLease } from './end-lease.ts'
import { readSite } from './read-site.ts'
import { READ_LEASES_OF_WORKER } from './reap.ts'
import type { FrontierTools } from './tools.ts'
import { writeSite } from './write-site.ts'

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export function giveBack(tx: SqliteTx, tools: FrontierTools, visits: readonly VisitId[]): void {
  for (const visit of visits) {
    const id = readVisitId(visit)
    const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== id?.fence || isBegun(site)) continue
    end(tx, tools, { ...site, fence: site.fence - 1 })
  }
}

/** Its number is not given again: the worker may yet come with it, for all that is known here. */
export function takeBack(tx: SqliteTx, tools: FrontierTools, worker: WorkerId, has: readonly VisitId[]): VisitId[] {
  const named = new Set(has)
  return tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, worker).flatMap(({ key }) => {
    const site = readSite(tx, key)
    if (site === undefined || isBegun(site)) return []
    const visit = visitId(site.key, site.fence)
    if (named.has(visit)) return []
    end(tx, tools, site)
    return [visit]
  })
}

function end(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  endLease(tx, tools, site, tools.time.now())
  site.part = ALL_PARTS
  site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
  writeSite(tx, site)
}
