import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { memoryOf, type StoredMemory } from '../rules/row-views.ts'
import type { MemoryRows, MemoryText } from '../rules/site-rows.ts'
import { bySite, column, eachBucket, readBy, runBy } from './by-bucket.ts'

const writeInto = (table: string, name: string) => `
  INSERT INTO ${table} (bucket, site, ${name})
  SELECT $1::smallint, n.site, n.text FROM unnest($2::bigint[], $3::text[]) AS n (site, text)
  ON CONFLICT (bucket, site) DO UPDATE SET ${name} = excluded.${name}`

export const WRITE_MEMORY = writeInto('site_memory', 'memory')
export const WRITE_ROBOTS = writeInto('site_robots', 'robots')
export const WRITE_TRAPS = writeInto('site_traps', 'traps')
export const READ_MEMORY = `
  SELECT m.site, m.memory, r.robots, t.traps FROM site_memory m
  LEFT JOIN site_robots r ON r.bucket = $1 AND r.site = m.site
  LEFT JOIN site_traps t ON t.bucket = $1 AND t.site = m.site
  WHERE m.bucket = $1 AND m.site = ANY($2::bigint[])`
const FORGET = ['site_memory', 'site_robots', 'site_traps'].map(
  (table) => `DELETE FROM ${table} WHERE bucket = $1 AND site = ANY($2::bigint[])`,
)

export function writeMemories(tx: PostgresTx, rows: MemoryRows): Promise<unknown>[] {
  const { forgotten, memory, robots, traps } = rows.take()
  const write = (sql: string, texts: readonly MemoryText[]) =>
    eachBucket(texts, bySite, (bucket, some) => tx.run(sql, bucket, column(some, 'site'), column(some, 'text')))
  return [
    ...FORGET.map((sql) => runBy(tx, sql, forgotten)),
    write(WRITE_MEMORY, memory),
    write(WRITE_ROBOTS, robots),
    write(WRITE_TRAPS, traps),
  ]
}

export async function readMemories(tx: PostgresTx, sites: Iterable<bigint>): Promise<(site: bigint) => SiteMemory> {
  const rows = await readBy<StoredMemory & { site: bigint }>(tx, READ_MEMORY, sites)
  const found = new Map(rows.map((row) => [row.site, memoryOf(row)]))
  return (site) => found.get(site) ?? freshMemory()
}
