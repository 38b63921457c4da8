import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteMemory } from '../../visit/site-memory.ts'

export const WRITE_MEMORY = `
  INSERT INTO site_memory (site, memory) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET memory = excluded.memory`

/** Carried, never read. In a table of its own: a robots.txt of 500 KiB in it must not make the site's row heavy. */
export function writeMemory(tx: SqliteTx, site: bigint, memory: SiteMemory): void {
  tx.run(WRITE_MEMORY, site, JSON.stringify(memory))
}
