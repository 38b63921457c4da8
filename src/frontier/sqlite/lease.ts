import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { Visit, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions } from '../house.ts'
import { stateAfter } from '../site.ts'
import { visitId } from '../visit-id.ts'
import { readAgenda } from './read-agenda.ts'
import { readKnown } from './read-known.ts'
import { readMemory } from './read-memory.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { writeSite } from './write-site.ts'

/** A free site becomes a visit. */
export function lease(
  tx: SqliteTx,
  rules: Rules,
  slice: FrontierOptions['slice'],
  key: bigint,
  worker: WorkerId,
  pages: number,
  now: Instant,
): Visit {
  const site = readSite(tx, key)
  assert(site !== undefined, 'a free site that is not there')
  site.state = stateAfter(site.state, { kind: 'checked-out' })
  site.fence++
  site.worker = worker
  site.lease_until = now + rules.leaseMs
  site.holder = ''
  site.entered = null
  site.granted = pages
  site.part = 0
  writeSite(tx, site)
  return {
    id: visitId(key, site.fence),
    fence: site.fence,
    site: site.name,
    ...(site.address === null ? {} : { address: site.address }),
    agenda: readAgenda(tx, key, now, pages),
    // Of another name of a site only what waits there is asked for: what it leads to is entered at the original.
    known: rules.aliases.originalOf(site.name) === undefined ? readKnown(tx, key, site.known) : 'too many',
    memory: readMemory(tx, key),
    wait: Math.max(0, site.polite_at - now),
    pause: rules.pauseOf(site),
    limits: { pages, time: slice.time },
    lease: rules.leaseMs,
  }
}
