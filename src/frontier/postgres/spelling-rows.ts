/** Other texts of the URLs of a transaction: most have none. Read after the URLs, whose sites are locked. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import type { UrlPlace } from './url-rows.ts'

export interface SpellingRow {
  readonly site: bigint
  readonly key: bigint
  /** 1, 2, 3. */
  readonly ordinal: number
  url: string
  depth: number
  via_site: bigint | null
  via_key: bigint | null
  path: string
  tried: number
}

export const READ_SPELLINGS = `
  SELECT s.site, s.key, s.ordinal::float8 AS ordinal, s.url, s.depth::float8 AS depth, s.via_site, s.via_key, s.path,
    s.tried::float8 AS tried
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url_spelling s ON s.bucket = $1 AND s.site = n.site AND s.key = n.key ORDER BY s.site, s.key, s.ordinal`
export const WRITE_SPELLINGS = `
  INSERT INTO url_spelling (bucket, site, key, ordinal, url, depth, via_site, via_key, path, tried)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::bigint[]) AS n
  ON CONFLICT (bucket, site, key, ordinal) DO UPDATE SET url = excluded.url, depth = excluded.depth,
    via_site = excluded.via_site, via_key = excluded.via_key, path = excluded.path, tried = excluded.tried`
export const FORGET_SPELLINGS = `
  DELETE FROM url_spelling s USING unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  WHERE s.bucket = $1 AND s.site = n.site AND s.key = n.key`
export const FORGET_SPELLINGS_OF_SITES = `DELETE FROM url_spelling WHERE bucket = $1 AND site = ANY($2::bigint[])`

const NAMES = ['site', 'key', 'ordinal', 'url', 'depth', 'via_site', 'via_key', 'path', 'tried'] as const
const NONE: readonly SpellingRow[] = []

export class SpellingRows {
  readonly #tx: PostgresTx
  readonly #rows = new Map<string, { place: UrlPlace; rows: SpellingRow[] }>()
  readonly #changed = new Set<SpellingRow>()
  readonly #forgotten = new Map<string, UrlPlace>()
  readonly #sites = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  async read(places: readonly UrlPlace[]): Promise<void> {
    await eachBucket(
      byBucket(places, ({ site }) => site),
      async (bucket, some) => {
        const sql = [READ_SPELLINGS, bucket, column(some, 'site'), column(some, 'key')] as const
        for (const row of await this.#tx.allExact<SpellingRow>(...sql)) this.#of(row).push(row)
      },
    )
  }

  /** In the order of their places. */
  of(place: UrlPlace): readonly SpellingRow[] {
    return this.#rows.get(nameOf(place))?.rows ?? NONE
  }

  /** In the place of one that is there, or behind the last. */
  put(row: SpellingRow): void {
    const rows = this.#of(row)
    if (rows[row.ordinal - 1] !== undefined) this.#changed.delete(rows[row.ordinal - 1])
    rows[row.ordinal - 1] = row
    this.#changed.add(row)
  }

  keepOnly(place: UrlPlace, isKept: (row: SpellingRow) => boolean): void {
    const rows = this.of(place)
    const kept = rows.filter(isKept)
    if (kept.length === rows.length) return
    this.forget(place)
    for (const [index, row] of kept.entries()) this.put({ ...row, ordinal: index + 1 })
  }

  forget(place: UrlPlace): void {
    const name = nameOf(place)
    const known = this.#rows.get(name)
    if (known === undefined || known.rows.length === 0) return
    for (const row of known.rows.splice(0)) this.#changed.delete(row)
    this.#forgotten.set(name, place)
  }

  /** Read or not. */
  forgetSite(site: bigint): void {
    for (const { place } of this.#rows.values()) if (place.site === site) this.forget(place)
    this.#sites.add(site)
  }

  write(): Promise<unknown>[] {
    const siteOf = ({ site }: UrlPlace) => site
    const sites = byBucket(this.#sites, (site) => site)
    const forgotten = byBucket(this.#forgotten.values(), siteOf)
    const changed = byBucket(this.#changed, siteOf)
    this.#sites.clear()
    this.#forgotten.clear()
    this.#changed.clear()
    return [
      eachBucket(sites, (bucket, keys) => this.#tx.run(FORGET_SPELLINGS_OF_SITES, bucket, keys)),
      eachBucket(forgotten, (bucket, rows) =>
        this.#tx.run(FORGET_SPELLINGS, bucket, column(rows, 'site'), column(rows, 'key')),
      ),
      eachBucket(changed, (bucket, rows) =>
        this.#tx.run(WRITE_SPELLINGS, bucket, ...NAMES.map((name) => column(rows, name))),
      ),
    ]
  }

  #of(place: UrlPlace): SpellingRow[] {
    const name = nameOf(place)
    const known = this.#rows.get(name)
    if (known !== undefined) return known.rows
    const rows: SpellingRow[] = []
    this.#rows.set(name, { place: { site: place.site, key: place.key }, rows })
    return rows
  }
}

function nameOf({ site, key }: UrlPlace): string {
  return `${site} ${key}`
}
