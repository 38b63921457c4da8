/** Rows as views, whichever database they came from. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { SITE_STATES, type TOTAL_NAMES } from '../../database/schema/frontier.ts'
import type { Totals } from '../contract.ts'

export type SeenTotals = Record<(typeof TOTAL_NAMES)[number], number>

export function totalsView(row: SeenTotals | undefined): Totals {
  assert(row !== undefined, 'no totals')
  return {
    sites: Object.fromEntries(SITE_STATES.map((state) => [state, row[`sites_${state}`]])) as Totals['sites'],
    urls: {
      known: row.urls_known,
      marked: row.urls_known - row.urls_waiting,
      waiting: row.urls_waiting - row.urls_held,
      refreshing: row.urls_refreshing,
    },
    granted: row.pages_granted,
  }
}

export interface SeenDue {
  name: SiteName
  not_before: Instant
  polite_at: Instant
  waiting: number
}

export interface StoredMemory {
  memory: string
  robots: string | null
  traps: string | null
}

/** A field that the stored text lacks reads as it does for a new site. */
export function memoryOf(stored: StoredMemory | undefined): SiteMemory {
  const memory = freshMemory()
  if (stored === undefined) return memory
  Object.assign(memory, JSON.parse(stored.memory))
  if (stored.robots !== null) memory.robots = JSON.parse(stored.robots)
  if (stored.traps !== null) memory.traps = JSON.parse(stored.traps)
  return memory
}
