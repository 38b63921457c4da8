import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { memoryOf, type SeenMemory } from '../view-of.ts'

export const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m LEFT JOIN site_robots r ON r.site = m.site
  LEFT JOIN site_traps t ON t.site = m.site WHERE m.site = ?`

export function readMemory(tx: SqliteTx, site: bigint): SiteMemory {
  return memoryOf(tx.get<SeenMemory>(READ_MEMORY, site))
}
