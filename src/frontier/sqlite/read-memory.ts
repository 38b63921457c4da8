import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { freshMemory, type SiteMemory } from '../../visit/site-memory.ts'

export const READ_MEMORY = `SELECT memory FROM site_memory WHERE site = ?`

/** A field that a newer version knows and the stored text does not reads as it does for a new site. */
export function readMemory(tx: SqliteTx, site: bigint): SiteMemory {
  const stored = tx.get<{ memory: string }>(READ_MEMORY, site)
  return stored === undefined ? freshMemory() : { ...freshMemory(), ...(JSON.parse(stored.memory) as SiteMemory) }
}
