import type { WorkerId } from '../../contracts/visit.ts'
import { ANYWHERE } from '../affinity.ts'
import type { Post } from '../known-workers.ts'
import { stateAfter } from '../site.ts'
import type { SharedSite } from './site-rows.ts'
import type { WorkingSet } from './working-set.ts'

export interface Granted {
  site: SharedSite
  pages: number
}

/** A site whose time has come becomes a visit: in memory, until the working set writes it. */
export function grant(
  working: WorkingSet,
  site: SharedSite,
  worker: WorkerId,
  post: Post | undefined,
  pages: number,
): Granted {
  if (site.state === 'waiting') site.state = stateAfter(site.state, { kind: 'due' })
  site.state = stateAfter(site.state, { kind: 'checked-out' })
  site.fence++
  site.worker = worker
  site.region = post?.region ?? ANYWHERE
  site.lease_until = working.now + working.tools.leaseMs
  site.holder = ''
  site.entered = null
  site.granted = pages
  site.part = 0
  working.sites.change(site)
  return { site, pages }
}
