/** Unendorsed sites. A row belongs to the transaction that has locked its site. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UnendorsedRow } from '../rules/domains.ts'
import { bySite, column, eachBucket, itself } from './by-bucket.ts'

export const READ_UNENDORSED = `
  SELECT site, domain, referrer, since::float8 AS since, hold_state::float8 AS hold_state FROM unendorsed_site WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const ADD_UNENDORSED = `
  INSERT INTO unendorsed_site (bucket, site, domain, referrer, since, hold_state)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n`
export const WRITE_UNENDORSED = `
  UPDATE unendorsed_site SET referrer = n.referrer, hold_state = n.hold_state
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS n (site, referrer, hold_state)
  WHERE unendorsed_site.bucket = $1 AND unendorsed_site.site = n.site`
export const REMOVE_UNENDORSED = `DELETE FROM unendorsed_site WHERE bucket = $1 AND site = ANY($2::bigint[])`

const ADDED = ['site', 'domain', 'referrer', 'since', 'hold_state'] as const
const CHANGED = ['site', 'referrer', 'hold_state'] as const

/** Reads them without a lock. */
export async function readUnendorsed(tx: PostgresTx, sites: Iterable<bigint>): Promise<Map<bigint, UnendorsedRow>> {
  const found = new Map<bigint, UnendorsedRow>()
  await eachBucket(new Set(sites), itself, async (bucket, some) => {
    for (const row of await tx.allExact<UnendorsedRow>(READ_UNENDORSED, bucket, some)) found.set(row.site, row)
  })
  return found
}

export class UnendorsedRows {
  readonly #tx: PostgresTx
  /** null: it is endorsed. */
  readonly #rows = new Map<bigint, UnendorsedRow | null>()
  /** Of sites that are not locked: whether they are unendorsed. */
  readonly #seen = new Map<bigint, boolean>()
  readonly #added = new Set<UnendorsedRow>()
  readonly #changed = new Set<UnendorsedRow>()
  readonly #removed = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** Of locked sites. */
  async read(sites: Iterable<bigint>): Promise<void> {
    const missing = [...sites].filter((site) => !this.#rows.has(site))
    for (const site of missing) this.#rows.set(site, null)
    for (const row of (await readUnendorsed(this.#tx, missing)).values()) this.#rows.set(row.site, row)
  }

  async peek(sites: Iterable<bigint>): Promise<void> {
    const missing = [...sites].filter((site) => !this.#rows.has(site) && !this.#seen.has(site))
    const found = await readUnendorsed(this.#tx, missing)
    for (const site of missing) this.#seen.set(site, found.has(site))
  }

  isUnendorsed(site: bigint): boolean {
    const row = this.#rows.get(site)
    return row === undefined ? this.#seen.get(site) === true : row !== null
  }

  get(site: bigint): UnendorsedRow | undefined {
    return this.#rows.get(site) ?? undefined
  }

  add(row: UnendorsedRow): void {
    this.#rows.set(row.site, row)
    this.#added.add(row)
  }

  change(row: UnendorsedRow): void {
    if (!this.#added.has(row)) this.#changed.add(row)
  }

  remove(row: UnendorsedRow): void {
    this.#rows.set(row.site, null)
    this.#changed.delete(row)
    if (!this.#added.delete(row)) this.#removed.add(row.site)
  }

  write(): Promise<unknown>[] {
    const writes = [
      eachBucket(this.#added, bySite, (bucket, rows) =>
        this.#tx.run(ADD_UNENDORSED, bucket, ...ADDED.map((name) => column(rows, name))),
      ),
      eachBucket(this.#changed, bySite, (bucket, rows) =>
        this.#tx.run(WRITE_UNENDORSED, bucket, ...CHANGED.map((name) => column(rows, name))),
      ),
      eachBucket(this.#removed, itself, (bucket, sites) => this.#tx.run(REMOVE_UNENDORSED, bucket, sites)),
    ]
    this.#added.clear()
    this.#changed.clear()
    this.#removed.clear()
    return writes
  }
}
