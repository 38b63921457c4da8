/** Sites that nobody vouches for. A row belongs to whoever has its site's. */
import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'

export interface StrangerRow {
  readonly site: bigint
  readonly domain: bigint
  speaker: bigint | null
  readonly since: Instant
  standing: number
}

export const STRANGER_COLUMNS = `site, domain, speaker, since::float8 AS since, standing::float8 AS standing`
export const READ_STRANGERS = `
  SELECT ${STRANGER_COLUMNS} FROM stranger WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const ADD_STRANGERS = `
  INSERT INTO stranger (bucket, site, domain, speaker, since, standing)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n`
export const WRITE_STRANGERS = `
  UPDATE stranger SET speaker = n.speaker, standing = n.standing
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS n (site, speaker, standing)
  WHERE stranger.bucket = $1 AND stranger.site = n.site`
export const REMOVE_STRANGERS = `DELETE FROM stranger WHERE bucket = $1 AND site = ANY($2::bigint[])`

/** As they are now, for nobody to change. */
export async function readStrangers(tx: PostgresTx, sites: Iterable<bigint>): Promise<Map<bigint, StrangerRow>> {
  const found = new Map<bigint, StrangerRow>()
  await eachBucket(byBucket(new Set(sites), itself), async (bucket, some) => {
    for (const row of await tx.allExact<StrangerRow>(READ_STRANGERS, bucket, some)) found.set(row.site, row)
  })
  return found
}

export class StrangerRows {
  readonly #tx: PostgresTx
  /** null: it is none. */
  readonly #rows = new Map<bigint, StrangerRow | null>()
  /** Of sites that are not locked: whether they are. */
  readonly #seen = new Map<bigint, boolean>()
  readonly #added = new Set<StrangerRow>()
  readonly #changed = new Set<StrangerRow>()
  readonly #removed = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** Of locked sites. */
  async read(sites: Iterable<bigint>): Promise<void> {
    const missing = [...sites].filter((site) => !this.#rows.has(site))
    for (const site of missing) this.#rows.set(site, null)
    for (const row of (await readStrangers(this.#tx, missing)).values()) this.#rows.set(row.site, row)
  }

  async peek(sites: Iterable<bigint>): Promise<void> {
    const missing = [...sites].filter((site) => !this.#rows.has(site) && !this.#seen.has(site))
    const found = await readStrangers(this.#tx, missing)
    for (const site of missing) this.#seen.set(site, found.has(site))
  }

  isStranger(site: bigint): boolean {
    const row = this.#rows.get(site)
    return row === undefined ? this.#seen.get(site) === true : row !== null
  }

  get(site: bigint): StrangerRow | undefined {
    return this.#rows.get(site) ?? undefined
  }

  add(row: StrangerRow): void {
    this.#rows.set(row.site, row)
    this.#added.add(row)
  }

  change(row: StrangerRow): void {
    if (!this.#added.has(row)) this.#changed.add(row)
  }

  remove(row: StrangerRow): void {
    this.#rows.set(row.site, null)
    this.#changed.delete(row)
    if (!this.#added.delete(row)) this.#removed.add(row.site)
  }

  write(): Promise<unknown>[] {
    const added = byBucket(this.#added, siteOf)
    const changed = byBucket(this.#changed, siteOf)
    const removed = byBucket(this.#removed, itself)
    this.#added.clear()
    this.#changed.clear()
    this.#removed.clear()
    return [
      eachBucket(added, (bucket, rows) =>
        this.#tx.run(
          ADD_STRANGERS,
          bucket,
          column(rows, 'site'),
          column(rows, 'domain'),
          column(rows, 'speaker'),
          column(rows, 'since'),
          column(rows, 'standing'),
        ),
      ),
      eachBucket(changed, (bucket, rows) =>
        this.#tx.run(WRITE_STRANGERS, bucket, column(rows, 'site'), column(rows, 'speaker'), column(rows, 'standing')),
      ),
      eachBucket(removed, (bucket, sites) => this.#tx.run(REMOVE_STRANGERS, bucket, sites)),
    ]
  }
}

function siteOf({ site }: StrangerRow): bigint {
  return site
}

function itself(site: bigint): bigint {
  return site
}
