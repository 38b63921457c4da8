/** The URLs of a transaction. Their sites are locked: no other transaction changes or adds any. */

import { assert } from '../../base/assert.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { GONE, HELD, MAX_REQUEUED, WAITING } from '../rules/mark.ts'
import { compareBigints } from '../rules/site.ts'
import type { UrlAt, UrlText } from '../rules/spellings.ts'
import { bySite, column, eachBucket, itself } from './by-bucket.ts'

export interface UrlRow extends UrlAt, UrlText {
  seq: number
  enqueued_at: number
  due_at: number
  tries: number
  mark: number
  lastmod: number | null
}

type Columns = Omit<UrlRow, 'site' | 'key'>

const COLUMNS: Readonly<Record<keyof Columns, 'text' | 'bigint'>> = {
  url: 'text',
  depth: 'bigint',
  via_site: 'bigint',
  via_key: 'bigint',
  path: 'text',
  seq: 'bigint',
  enqueued_at: 'bigint',
  due_at: 'bigint',
  tries: 'bigint',
  mark: 'bigint',
  lastmod: 'bigint',
}
const NAMES = Object.keys(COLUMNS) as (keyof Columns)[]
const isKey = (name: keyof Columns) => name === 'via_site' || name === 'via_key'
const READ = NAMES.map((name) =>
  COLUMNS[name] === 'bigint' && !isKey(name) ? `u.${name}::float8 AS ${name}` : `u.${name}`,
).join(', ')
const UNNESTED = `unnest($2::bigint[], $3::bigint[], ${NAMES.map((name, index) => `$${index + 4}::${COLUMNS[name]}[]`).join(', ')})
    AS n (site, key, ${NAMES.join(', ')})`

export const URL_COLUMNS = `u.site, u.key, ${READ}`
export const READ_URLS = `
  SELECT ${URL_COLUMNS}, EXISTS (
    SELECT FROM url_spelling s WHERE s.bucket = $1 AND s.site = u.site AND s.key = u.key) AS spelt
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`
export const ADD_URLS = `
  INSERT INTO url (bucket, site, key, ${NAMES.join(', ')})
  SELECT $1::smallint, n.site, n.key, ${NAMES.map((name) => `n.${name}`).join(', ')} FROM ${UNNESTED}`
export const WRITE_URLS = `
  UPDATE url SET ${NAMES.map((name) => `${name} = n.${name}`).join(', ')} FROM ${UNNESTED}
  WHERE url.bucket = $1 AND url.site = n.site AND url.key = n.key`
export const READ_HELD = `
  SELECT ${URL_COLUMNS} FROM url u WHERE u.bucket = $1 AND u.site = $2 AND u.mark = ${HELD} LIMIT ${MAX_REQUEUED}`
export const GIVE_UP_URLS = `
  UPDATE url SET mark = ${GONE} WHERE bucket = $1 AND site = ANY($2::bigint[]) AND mark = ${WAITING}`

export class UrlRows {
  readonly #tx: PostgresTx
  /** By site and key. null: it was read and does not exist. */
  readonly #rows = new Map<bigint, Map<bigint, UrlRow | null>>()
  readonly #added = new Set<UrlRow>()
  readonly #changed = new Set<UrlRow>()
  readonly #givenUp = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** Those that were not read before, once each. They count as absent until `read` has them. */
  unread(all: Iterable<UrlAt>): UrlAt[] {
    const missing: UrlAt[] = []
    for (const { site, key } of all) {
      const rows = this.#of(site)
      if (rows.has(key)) continue
      rows.set(key, null)
      missing.push({ site, key })
    }
    return missing
  }

  /** Returns those that have other spellings. */
  async read(unread: readonly UrlAt[]): Promise<UrlAt[]> {
    const found = await eachBucket(unread, bySite, (bucket, some) =>
      this.#tx.allExact<UrlRow & { spelt: boolean }>(READ_URLS, bucket, column(some, 'site'), column(some, 'key')),
    )
    return found.flat().flatMap(({ spelt, ...row }) => {
      this.#of(row.site).set(row.key, row)
      return spelt ? [row] : []
    })
  }

  /** URLs that findings hold back in a site. */
  async readHeld(site: bigint): Promise<void> {
    const rows = await eachBucket([{ site }], bySite, (bucket) => this.#tx.allExact<UrlRow>(READ_HELD, bucket, site))
    this.take(rows.flat())
  }

  heldOf(site: bigint): UrlRow[] {
    return [...this.#of(site).values()].filter((row) => row?.mark === HELD) as UrlRow[]
  }

  isRead({ site, key }: UrlAt): boolean {
    return this.#rows.get(site)?.has(key) === true
  }

  get(site: bigint, key: bigint): UrlRow | undefined {
    const row = this.#rows.get(site)?.get(key)
    assert(row !== undefined, 'a URL that was not read')
    return row ?? undefined
  }

  add(row: UrlRow): void {
    assert(this.get(row.site, row.key) === undefined, 'a URL that is known')
    this.#of(row.site).set(row.key, row)
    this.#added.add(row)
  }

  /** Rows that another statement of this transaction has read. */
  take(rows: readonly UrlRow[]): void {
    for (const row of rows) if (!this.isRead(row)) this.#of(row.site).set(row.key, row)
  }

  change(row: UrlRow): void {
    if (!this.#added.has(row)) this.#changed.add(row)
  }

  /** Everything that waits in the site, read or not, is gone. */
  giveUp(site: bigint): void {
    for (const row of this.#of(site).values()) if (row?.mark === WAITING) row.mark = GONE
    this.#givenUp.add(site)
  }

  /** Sorted: batches in the order of their keys go in twice as fast. */
  write(): Promise<unknown>[] {
    const writes = [
      this.#write(ADD_URLS, this.#added),
      this.#write(WRITE_URLS, this.#changed),
      eachBucket(this.#givenUp, itself, (bucket, sites) => this.#tx.run(GIVE_UP_URLS, bucket, sites)),
    ]
    this.#added.clear()
    this.#changed.clear()
    this.#givenUp.clear()
    return writes
  }

  #write(sql: string, all: Iterable<UrlRow>): Promise<unknown> {
    // `byBucket` sorts by site, and leaves the rows of a site as they were.
    const sorted = [...all].sort((a, b) => compareBigints(a.key, b.key))
    return eachBucket(sorted, bySite, (bucket, rows) => {
      const columns = NAMES.map((name) => column(rows, name))
      return this.#tx.run(sql, bucket, column(rows, 'site'), column(rows, 'key'), ...columns)
    })
  }

  #of(site: bigint): Map<bigint, UrlRow | null> {
    const known = this.#rows.get(site)
    if (known !== undefined) return known
    const rows = new Map<bigint, UrlRow | null>()
    this.#rows.set(site, rows)
    return rows
  }
}

export const READ_URL_TEXTS = `
  SELECT u.site, u.key, u.url FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

/** The texts of the pages on which URLs were found, wherever they are. */
export async function readVias(
  tx: PostgresTx,
  rows: readonly UrlText[],
): Promise<(row: UrlText) => string | undefined> {
  const nameOf = (site: bigint, key: bigint) => `${site} ${key}`
  const texts = new Map<string, string>()
  const pages = new Map<string, UrlAt>()
  for (const { via_site: site, via_key: key } of rows)
    if (site !== null && key !== null) pages.set(nameOf(site, key), { site, key })
  await eachBucket(pages.values(), bySite, async (bucket, some) => {
    const columns = [column(some, 'site'), column(some, 'key')]
    const found = await tx.allExact<UrlAt & { url: string }>(READ_URL_TEXTS, bucket, ...columns)
    for (const { site, key, url } of found) texts.set(nameOf(site, key), url)
  })
  return ({ via_site, via_key }) =>
    via_site === null || via_key === null ? undefined : texts.get(nameOf(via_site, via_key))
}
