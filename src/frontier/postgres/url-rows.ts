/** The URLs of a transaction that concern it. Their sites are locked: nobody else changes or adds any meanwhile. */
import { assert } from '../../base/assert.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { GONE, HELD, MAX_REQUEUED, WAITING } from '../rules/mark.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'

export interface UrlRow {
  readonly site: bigint
  readonly key: bigint
  url: string
  depth: number
  via_site: bigint | null
  via_key: bigint | null
  path: string
  seq: number
  enqueued_at: number
  due_at: number
  tries: number
  mark: number
  lastmod: number | null
}

export interface UrlPlace {
  site: bigint
  key: bigint
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
  /** By site and key. null: it was asked for and is not there. */
  readonly #rows = new Map<bigint, Map<bigint, UrlRow | null>>()
  readonly #added = new Set<UrlRow>()
  readonly #changed = new Set<UrlRow>()
  readonly #givenUp = new Set<bigint>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** Of these, those that were not read before, once each. They count as absent until `read` has them. */
  unread(places: Iterable<UrlPlace>): UrlPlace[] {
    const missing: UrlPlace[] = []
    for (const { site, key } of places) {
      const rows = this.#of(site)
      if (rows.has(key)) continue
      rows.set(key, null)
      missing.push({ site, key })
    }
    return missing
  }

  /** Says which of them have other spellings. */
  async read(unread: readonly UrlPlace[]): Promise<UrlPlace[]> {
    const found = await eachBucket(byBucket(unread, siteOf), (bucket, some) =>
      this.#tx.allExact<UrlRow & { spelt: boolean }>(READ_URLS, bucket, column(some, 'site'), column(some, 'key')),
    )
    return found.flat().flatMap(({ spelt, ...row }) => {
      this.#of(row.site).set(row.key, row)
      return spelt ? [row] : []
    })
  }

  /** What findings hold back in a site. */
  async readHeld(site: bigint): Promise<void> {
    const rows = await eachBucket(byBucket([{ site }], siteOf), (bucket) =>
      this.#tx.allExact<UrlRow>(READ_HELD, bucket, site),
    )
    this.take(rows.flat())
  }

  heldOf(site: bigint): UrlRow[] {
    return [...this.#of(site).values()].filter((row) => row?.mark === HELD) as UrlRow[]
  }

  isRead({ site, key }: UrlPlace): boolean {
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

  /** Rows of this transaction that another statement of it has read. */
  take(rows: readonly UrlRow[]): void {
    for (const row of rows) if (!this.isRead(row)) this.#of(row.site).set(row.key, row)
  }

  change(row: UrlRow): void {
    if (!this.#added.has(row)) this.#changed.add(row)
  }

  /** Whatever waits in the site, read or not, is gone. */
  giveUp(site: bigint): void {
    for (const row of this.#of(site).values()) if (row?.mark === WAITING) row.mark = GONE
    this.#givenUp.add(site)
  }

  /** Sorted: batches in the order of their keys go in twice as fast. */
  write(): Promise<unknown>[] {
    const added = byBucket(inOrder(this.#added), siteOf)
    const changed = byBucket(inOrder(this.#changed), siteOf)
    const givenUp = byBucket(this.#givenUp, (site) => site)
    this.#added.clear()
    this.#changed.clear()
    this.#givenUp.clear()
    return [
      eachBucket(added, (bucket, rows) => this.#write(ADD_URLS, bucket, rows)),
      eachBucket(changed, (bucket, rows) => this.#write(WRITE_URLS, bucket, rows)),
      eachBucket(givenUp, (bucket, sites) => this.#tx.run(GIVE_UP_URLS, bucket, sites)),
    ]
  }

  #write(sql: string, bucket: number, rows: readonly UrlRow[]): Promise<number> {
    const columns = NAMES.map((name) => column(rows, name))
    return this.#tx.run(sql, bucket, column(rows, 'site'), column(rows, 'key'), ...columns)
  }

  #of(site: bigint): Map<bigint, UrlRow | null> {
    const known = this.#rows.get(site)
    if (known !== undefined) return known
    const rows = new Map<bigint, UrlRow | null>()
    this.#rows.set(site, rows)
    return rows
  }
}

function siteOf({ site }: Pick<UrlPlace, 'site'>): bigint {
  return site
}

/** By key: `byBucket` sorts by site, and leaves the rows of a site as they were. */
function inOrder(rows: Iterable<UrlRow>): UrlRow[] {
  return [...rows].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

export const READ_URL_TEXTS = `
  SELECT u.site, u.key, u.url FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

export interface UrlTexts {
  /** Undefined when it is not there. */
  of(site: bigint, key: bigint): string | undefined
}

/** Of URLs wherever they lie; the same one may be asked for many times. */
export async function readUrlTexts(tx: PostgresTx, places: Iterable<UrlPlace>): Promise<UrlTexts> {
  const nameOf = (site: bigint, key: bigint) => `${site} ${key}`
  const texts = new Map<string, string>()
  const wanted = new Map([...places].map((place) => [nameOf(place.site, place.key), place]))
  await eachBucket(
    byBucket(wanted.values(), ({ site }) => site),
    async (bucket, some) => {
      const rows = await tx.allExact<UrlPlace & { url: string }>(
        READ_URL_TEXTS,
        bucket,
        column(some, 'site'),
        column(some, 'key'),
      )
      for (const { site, key, url } of rows) texts.set(nameOf(site, key), url)
    },
  )
  return { of: (site, key) => texts.get(nameOf(site, key)) }
}
