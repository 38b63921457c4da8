/** One pass over all pages that were fetched, in the order in which they came, with their links. */
import { hash64, signed64, unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import { unpackLinks } from '../../contracts/adjacency.ts'
import type { Tx } from '../../database/database.ts'
import { type Queries, queries } from '../../database/queries.ts'
import { isCookielessSession, isSessionId } from '../../web/url/session-ids.ts'
import { pieceOf, rowOf, siteAt } from '../row-id.ts'
import { Distribution, share } from './distribution.ts'

/** Without pages that were refused before any request: they have Heritrix's negative statuses. */
export const ASKED = `NOT (outcome = 'refused' AND status < 0)`

/** Names come from pages and servers; beyond these they count as `other`. */
const MAX_NAMES = 300
/** Each has a distribution of 100 KB. */
const MAX_TYPES = 40

interface Row {
  id: bigint
  site: bigint
  url: string
  depth: bigint
  status: bigint
  outcome: string
  type: string
  sniffed: string | null
  bytes: bigint
  took: bigint
  language: string | null
  links: Uint8Array | null
}

export class PagePass {
  urls = 0
  documents = 0
  readonly depth = new Distribution()
  readonly urlLength = new Distribution()
  readonly outLinks = new Distribution()
  readonly took = new Distribution()
  readonly languages = new Names()
  readonly mistaken = new Names()
  readonly statuses = new Names()
  sessionUrls = 0
  readonly #sessionSites = new HashSet64()
  readonly #sizes = new Map<string, Distribution>()
  readonly #homes = new HomePages()
  readonly #links: LinkCounts = { all: 0, internal: 0, home: 0, deep: 0, unknown: 0 }
  #last = 0

  /** The next pages; false when there are no more. If the database retries the transaction, it goes on where it was. */
  async take(tx: Tx, atMost: number): Promise<boolean> {
    const db = queries(tx)
    const { after, order } = pieceOf(tx.dialect, 'p')
    // Both tables need the condition, or PostgreSQL may scan one of them from its beginning.
    const { after: alike } = pieceOf(tx.dialect, 'l', 'page')
    // Row by row: the links of one page may take a megabyte.
    const rows = db.eachExact<Row>(
      `SELECT p.id, p.site, p.url, p.depth, p.status, p.outcome, p.media_type AS type, p.sniffed, p.bytes,
         p.took_ms AS took, p.language, l.links
       FROM page p LEFT JOIN page_links l ON l.bucket = p.bucket AND l.page = p.id AND ${alike}
       WHERE ${after} AND ${ASKED} ${order} LIMIT ?`,
      ...rowOf(this.#last),
      atMost,
    )
    let taken = 0
    for await (const row of rows) {
      const links = row.links === null || row.links.length === 0 ? undefined : await this.#countLinks(row.links, db)
      this.#add(row, links)
      this.#last = Number(row.id)
      taken++
    }
    return taken === atMost
  }

  /** The most frequent type first. */
  sizes() {
    const all = [...this.#sizes].map(([type, sizes]) => ({ type, ...sizes.summary() }))
    return all.sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
  }

  sizesOf(type: string): Distribution | undefined {
    return this.#sizes.get(type)
  }

  get sessionSites(): number {
    return this.#sessionSites.size
  }

  /**
   * `internal`: into the page's own site. `home`, `deep`, `unknown`: to another site's home page, to another page of it, to a
   * site whose name is no longer known.
   */
  shares() {
    const { all, internal, home, deep } = this.#links
    const shares = { internalShare: share(internal, all), deepShare: share(deep, home + deep) }
    return { ...this.#links, external: all - internal, ...shares }
  }

  #add(row: Row, links: LinkCounts | undefined): void {
    this.urls++
    this.depth.add(Number(row.depth))
    this.urlLength.add(row.url.length)
    this.took.add(Number(row.took))
    this.statuses.add(String(row.status))
    if (hasSessionId(row.url)) {
      this.sessionUrls++
      this.#sessionSites.add(unsigned64(row.site))
    }
    if (links !== undefined) this.#addLinks(links)
    if (row.outcome !== 'kept') return
    this.documents++
    this.#addSize(row.type, Number(row.bytes))
    this.languages.add(primary(row.language))
    if (row.sniffed !== null) this.mistaken.add(`${row.type} → ${row.sniffed}`)
    if (row.links === null && row.type === 'text/html') this.outLinks.add(0)
  }

  #addSize(type: string, bytes: number): void {
    let sizes = this.#sizes.get(type)
    if (sizes === undefined) {
      const name = this.#sizes.size < MAX_TYPES ? type : 'other'
      sizes = this.#sizes.get(name)
      if (sizes === undefined) this.#sizes.set(name, (sizes = new Distribution()))
    }
    sizes.add(bytes)
  }

  #addLinks(links: LinkCounts): void {
    this.outLinks.add(links.all)
    for (const name of Object.keys(links) as (keyof LinkCounts)[]) this.#links[name] += links[name]
  }

  /** By where the links of a page lead. */
  async #countLinks(packed: Uint8Array, db: Queries): Promise<LinkCounts> {
    const links = unpackLinks(packed)
    const counts: LinkCounts = { all: links.length, internal: 0, home: 0, deep: 0, unknown: 0 }
    const crossSite = links.flatMap(({ siteKey, url }) => (siteKey === undefined || url !== undefined ? [] : [siteKey]))
    await this.#homes.learn(db, new Set(crossSite.map(signed64)))
    for (const { key, siteKey, url } of links) {
      if (siteKey === undefined) counts.internal++
      else {
        const isHome = url === undefined ? this.#homes.has(signed64(siteKey), key) : isHomePage(url)
        counts[isHome === undefined ? 'unknown' : isHome ? 'home' : 'deep']++
      }
    }
    return counts
  }
}

type LinkCounts = Record<'all' | 'internal' | 'home' | 'deep' | 'unknown', number>

function isHomePage(url: string): boolean {
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 || path === url.length - 1
}

/** `pt-BR` and `pt-PT` are Portuguese. */
function primary(language: string | null): string {
  return language === null ? '' : language.split('-', 1)[0].toLowerCase()
}

class Names {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    const known = this.#counts.get(name)
    const kept = known === undefined && this.#counts.size >= MAX_NAMES ? 'other' : name
    this.#counts.set(kept, (this.#counts.get(kept) ?? 0) + 1)
  }

  /** The most frequent first. */
  sorted(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))
  }
}

/** In a parameter of the query or of the path (V26). */
export function hasSessionId(url: string): boolean {
  const at = url.indexOf('/', url.indexOf('://') + 3)
  if (at < 0) return false
  const path = url.slice(at)
  if (path.includes('(') && path.split('/').some(isCookielessSession)) return true
  if (!path.includes('=')) return false
  const pairs = path.split(/[?&;]/).slice(1)
  const besideToken = /[?&;]cftoken=/i.test(path)
  return pairs.some((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 0) return false
    return isSessionId(pair.slice(0, equals).toLowerCase(), pair.slice(equals + 1), besideToken)
  })
}

/** Sites whose home pages are cached: most links lead to few sites. */
const MAX_SITES = 200_000

/** Whether a URL, known only by its keys, is the home page of its site. */
class HomePages {
  readonly #keys = new Map<bigint, readonly [bigint, bigint] | undefined>()

  /** Reads the sites that are not cached, together; call it before `has`. */
  async learn(db: Queries, sites: ReadonlySet<bigint>): Promise<void> {
    if (this.#keys.size + sites.size > MAX_SITES) this.#keys.clear()
    const fresh = [...sites].filter((site) => !this.#keys.has(site))
    const found = await Promise.all(fresh.map((site) => keysOf(db, site)))
    for (const [i, site] of fresh.entries()) this.#keys.set(site, found[i])
  }

  /** Undefined: the site's name is not known. No normalisation rule changes a home page's URL. */
  has(site: bigint, key: bigint): boolean | undefined {
    const keys = this.#keys.get(site)
    return keys === undefined ? undefined : key === keys[0] || key === keys[1]
  }
}

async function keysOf(db: Queries, site: bigint): Promise<readonly [bigint, bigint] | undefined> {
  const row = await db.get<{ name: string }>(
    `SELECT name FROM site WHERE bucket = ?1 AND key = ?2
     UNION ALL SELECT name FROM site_stats WHERE bucket = ?1 AND site = ?2 LIMIT 1`,
    ...siteAt(db.dialect, site),
  )
  return row === undefined ? undefined : [hash64(`http://${row.name}/`), hash64(`https://${row.name}/`)]
}
