import type { MemoryNews, SiteMemory } from '../../contracts/site-memory.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { memoryOf, type StoredMemory } from '../rules/row-views.ts'

export const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m LEFT JOIN site_robots r ON r.site = m.site
  LEFT JOIN site_traps t ON t.site = m.site WHERE m.site = ?`

export function readMemory(tx: SqliteTx, site: bigint): SiteMemory {
  return memoryOf(tx.get<StoredMemory>(READ_MEMORY, site))
}

export const WRITE_MEMORY = `
  INSERT INTO site_memory (site, memory) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET memory = excluded.memory`
export const WRITE_ROBOTS = `
  INSERT INTO site_robots (site, robots) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET robots = excluded.robots`
export const WRITE_TRAPS = `
  INSERT INTO site_traps (site, traps) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET traps = excluded.traps`
const FORGET = ['site_memory', 'site_robots', 'site_traps'].map((table) => `DELETE FROM ${table} WHERE site = ?`)

/**
 * Site memory is carried, never interpreted. It has tables of its own: a robots.txt of 500 KiB must not make the site's row
 * heavy, nor be written again with every part that does not change it.
 */
export function writeMemory(tx: SqliteTx, site: bigint, { robots, traps, ...rest }: MemoryNews): void {
  tx.run(WRITE_MEMORY, site, JSON.stringify(rest))
  if (robots !== undefined) tx.run(WRITE_ROBOTS, site, JSON.stringify(robots))
  if (traps !== undefined) tx.run(WRITE_TRAPS, site, JSON.stringify(traps))
}

export function forgetMemory(tx: SqliteTx, site: bigint): void {
  for (const sql of FORGET) tx.run(sql, site)
}
