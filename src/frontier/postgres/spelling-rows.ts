/** Other spellings of the URLs of a transaction: most have none. Read after the URLs, whose sites are locked. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Spelling, UrlAt } from '../rules/spellings.ts'
import { bySite, column, eachBucket, itself } from './by-bucket.ts'

export interface SpellingRow extends UrlAt, Spelling {}

export const READ_SPELLINGS = `
  SELECT s.site, s.key, s.position::float8 AS position, s.url, s.depth::float8 AS depth, s.via_site, s.via_key, s.path,
    s.tried::float8 AS tried
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url_spelling s ON s.bucket = $1 AND s.site = n.site AND s.key = n.key ORDER BY s.site, s.key, s.position`
export const WRITE_SPELLINGS = `
  INSERT INTO url_spelling (bucket, site, key, position, url, depth, via_site, via_key, path, tried)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::bigint[]) AS n
  ON CONFLICT (bucket, site, key, position) DO UPDATE SET url = excluded.url, depth = excluded.depth,
    via_site = excluded.via_site, via_key = excluded.via_key, path = excluded.path, tried = excluded.tried`
export const FORGET_SPELLINGS = `
  DELETE FROM url_spelling s USING unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  WHERE s.bucket = $1 AND s.site = n.site AND s.key = n.key`
export const FORGET_SPELLINGS_OF_SITES = `DELETE FROM url_spelling WHERE bucket = $1 AND site = ANY($2::bigint[])`

const NAMES = ['site', 'key', 'position', 'url', 'depth', 'via_site', 'via_key', 'path', 'tried'] as const
const NONE: readonly SpellingRow[] = []

export class SpellingRows {
  readonly #tx: PostgresTx
  readonly #rows = new Map<string, { at: UrlAt; rows: SpellingRow[] }>()
  readonly #changed = new Set<SpellingRow>()
  readonly #forgotten = new Map<string, UrlAt>()
  readonly #sites = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  async read(urls: readonly UrlAt[]): Promise<void> {
    await eachBucket(urls, bySite, async (bucket, some) => {
      const sql = [READ_SPELLINGS, bucket, column(some, 'site'), column(some, 'key')] as const
      for (const row of await this.#tx.allExact<SpellingRow>(...sql)) this.#of(row).push(row)
    })
  }

  /** In the order of their positions. */
  of(at: UrlAt): readonly SpellingRow[] {
    return this.#rows.get(nameOf(at))?.rows ?? NONE
  }

  /** At the position of one that is there, or after the last. */
  put(row: SpellingRow): void {
    const rows = this.#of(row)
    if (rows[row.position - 1] !== undefined) this.#changed.delete(rows[row.position - 1])
    rows[row.position - 1] = row
    this.#changed.add(row)
  }

  keepOnly(at: UrlAt, isKept: (row: SpellingRow) => boolean): void {
    const rows = this.of(at)
    const kept = rows.filter(isKept)
    if (kept.length === rows.length) return
    this.forget(at)
    for (const [index, row] of kept.entries()) this.put({ ...row, position: index + 1 })
  }

  forget(at: UrlAt): void {
    const name = nameOf(at)
    const known = this.#rows.get(name)
    if (known === undefined || known.rows.length === 0) return
    for (const row of known.rows.splice(0)) this.#changed.delete(row)
    this.#forgotten.set(name, at)
  }

  /** Read or not. */
  forgetSite(site: bigint): void {
    for (const { at } of this.#rows.values()) if (at.site === site) this.forget(at)
    this.#sites.add(site)
  }

  write(): Promise<unknown>[] {
    const writes = [
      eachBucket(this.#sites, itself, (bucket, keys) => this.#tx.run(FORGET_SPELLINGS_OF_SITES, bucket, keys)),
      eachBucket(this.#forgotten.values(), bySite, (bucket, rows) =>
        this.#tx.run(FORGET_SPELLINGS, bucket, column(rows, 'site'), column(rows, 'key')),
      ),
      eachBucket(this.#changed, bySite, (bucket, rows) =>
        this.#tx.run(WRITE_SPELLINGS, bucket, ...NAMES.map((name) => column(rows, name))),
      ),
    ]
    this.#sites.clear()
    this.#forgotten.clear()
    this.#changed.clear()
    return writes
  }

  #of(at: UrlAt): SpellingRow[] {
    const name = nameOf(at)
    const known = this.#rows.get(name)
    if (known !== undefined) return known.rows
    const rows: SpellingRow[] = []
    this.#rows.set(name, { at: { site: at.site, key: at.key }, rows })
    return rows
  }
}

function nameOf({ site, key }: UrlAt): string {
  return `${site} ${key}`
}
