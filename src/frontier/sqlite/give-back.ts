import { signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { VisitId } from '../../visit/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import { beginToWait } from './begin-to-wait.ts'
import { endLease } from './end-lease.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { writeSite } from './write-site.ts'

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export function giveBack(tx: SqliteTx, rules: Rules, visits: readonly VisitId[]): void {
  for (const visit of visits) {
    const id = readVisitId(visit)
    const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== id?.fence || site.part > 0 || site.entered !== null) continue
    endLease(tx, rules, site, rules.time.now())
    site.fence--
    site.part = ALL_PARTS
    site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
    if (site.state === 'waiting') beginToWait(tx, rules, site)
    writeSite(tx, site)
  }
}
