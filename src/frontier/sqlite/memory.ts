import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { MemoryRows } from '../rules/site-rows.ts'

export const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m LEFT JOIN site_robots r ON r.site = m.site
  LEFT JOIN site_traps t ON t.site = m.site WHERE m.site = ?`

export const WRITE_MEMORY = `
  INSERT INTO site_memory (site, memory) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET memory = excluded.memory`
export const WRITE_ROBOTS = `
  INSERT INTO site_robots (site, robots) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET robots = excluded.robots`
export const WRITE_TRAPS = `
  INSERT INTO site_traps (site, traps) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET traps = excluded.traps`
const FORGET = ['site_memory', 'site_robots', 'site_traps'].map((table) => `DELETE FROM ${table} WHERE site = ?`)

export function writeMemories(tx: SqliteTx, rows: MemoryRows): void {
  const { forgotten, memory, robots, traps } = rows.take()
  for (const site of forgotten) for (const sql of FORGET) tx.run(sql, site)
  for (const { site, text } of memory) tx.run(WRITE_MEMORY, site, text)
  for (const { site, text } of robots) tx.run(WRITE_ROBOTS, site, text)
  for (const { site, text } of traps) tx.run(WRITE_TRAPS, site, text)
}
