/**
 * Site memory is carried, never interpreted. It has tables of its own: a robots.txt of 500 KiB must not make the site's row
 * heavy, nor be written again with every part that does not change it.
 */

import { freshMemory, type MemoryNews, type SiteMemory } from '../../contracts/site-memory.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { memoryOf, type StoredMemory } from '../rules/row-views.ts'
import { bySite, column, eachBucket, itself } from './by-bucket.ts'

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

interface Text {
  site: bigint
  text: string
}

export class MemoryRows {
  readonly #tx: PostgresTx
  readonly #news = new Map<bigint, MemoryNews>()
  readonly #forgotten = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  record(site: bigint, news: MemoryNews): void {
    this.#news.set(site, news)
  }

  forget(site: bigint): void {
    this.#forgotten.add(site)
  }

  write(): Promise<unknown>[] {
    const memory: Text[] = []
    const robots: Text[] = []
    const traps: Text[] = []
    for (const [site, { robots: rules, traps: seen, ...rest }] of this.#news) {
      memory.push({ site, text: JSON.stringify(rest) })
      if (rules !== undefined) robots.push({ site, text: JSON.stringify(rules) })
      if (seen !== undefined) traps.push({ site, text: JSON.stringify(seen) })
    }
    const writes = [
      eachBucket(this.#forgotten, itself, (bucket, sites) =>
        Promise.all(FORGET.map((sql) => this.#tx.run(sql, bucket, sites))),
      ),
      this.#write(WRITE_MEMORY, memory),
      this.#write(WRITE_ROBOTS, robots),
      this.#write(WRITE_TRAPS, traps),
    ]
    this.#news.clear()
    this.#forgotten.clear()
    return writes
  }

  #write(sql: string, texts: readonly Text[]): Promise<unknown> {
    return eachBucket(texts, bySite, (bucket, some) =>
      this.#tx.run(sql, bucket, column(some, 'site'), column(some, 'text')),
    )
  }
}

export async function readMemories(tx: PostgresTx, sites: Iterable<bigint>): Promise<(site: bigint) => SiteMemory> {
  const found = new Map<bigint, SiteMemory>()
  await eachBucket(sites, itself, async (bucket, some) => {
    for (const row of await tx.allExact<StoredMemory & { site: bigint }>(READ_MEMORY, bucket, some))
      found.set(row.site, memoryOf(row))
  })
  return (site) => found.get(site) ?? freshMemory()
}
