import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { freshMemory, type SiteMemory } from '../../visit/site-memory.ts'

export const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m LEFT JOIN site_robots r ON r.site = m.site
  LEFT JOIN site_traps t ON t.site = m.site WHERE m.site = ?`

/** A field that a newer version knows and the stored text does not reads as it does for a new site. */
export function readMemory(tx: SqliteTx, site: bigint): SiteMemory {
  const memory = freshMemory()
  const stored = tx.get<{ memory: string; robots: string | null; traps: string | null }>(READ_MEMORY, site)
  if (stored === undefined) return memory
  Object.assign(memory, JSON.parse(stored.memory))
  if (stored.robots !== null) memory.robots = JSON.parse(stored.robots)
  if (stored.traps !== null) memory.traps = JSON.parse(stored.traps)
  return memory
}
