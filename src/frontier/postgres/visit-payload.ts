/** What visits carry beside their sites' rows. It may be read before a site is granted. */

import type { Visit } from '../../contracts/visit.ts'
import { bySite, column, eachBucket, readAt, readBy } from '../../database/postgres/by-bucket.ts'
import type { FrontierOptions } from '../contract.ts'
import { agendaItem, type Carried, keysFrom, MAX_KNOWN, visitOf } from '../rules/check-out.ts'
import { looksOf } from '../rules/known-rows.ts'
import { type Chosen, chooseAgenda, type KnownDue, looksIn } from '../rules/refresh-agenda.ts'
import { memoryOf, type StoredMemory } from '../rules/site-rows.ts'
import type { UrlRow } from '../rules/url-rows.ts'
import { readKnownDue } from './known-rows.ts'
import type { SharedSite } from './site-rows.ts'
import { READ_URLS, readVias, URL_COLUMNS } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** Never visited URLs first (W10), in the order in which they were found; then those that are due (again). */
export const READ_AGENDAS = `
  SELECT ${URL_COLUMNS} FROM unnest($2::bigint[], $3::bigint[]) AS n (site, pages)
  CROSS JOIN LATERAL (
    SELECT * FROM url WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at <= $4
    ORDER BY due_at, seq LIMIT n.pages) u
  ORDER BY u.site, u.due_at, u.seq`
/** As bytes, the highest first: 8 per key, where digits would take 20. */
export const READ_KNOWN = `
  SELECT site, string_agg(int8send(key), '') AS keys FROM url WHERE bucket = $1 AND site = ANY($2::bigint[]) GROUP BY site`

export const READ_MEMORY = `
  SELECT m.site, m.memory, r.robots, t.traps FROM site_memory m
  LEFT JOIN site_robots r ON r.bucket = $1 AND r.site = m.site
  LEFT JOIN site_traps t ON t.bucket = $1 AND t.site = m.site
  WHERE m.bucket = $1 AND m.site = ANY($2::bigint[])`

export interface Granted {
  site: SharedSite
  pages: number
}

interface ReadPayload extends Omit<Carried, 'agenda'> {
  /** The agenda has this many, at most. */
  pages: number
  /** New URLs. */
  agenda: readonly UrlRow[]
  /** Keys of known pages to look at, when refreshing. */
  looks: readonly bigint[]
}

export class VisitPayload {
  readonly #working: WorkingSet
  readonly #carried = new Map<bigint, ReadPayload>()
  readonly #looks = new Map<bigint, UrlRow[]>()

  /** The working set has read the aliases. */
  constructor(working: WorkingSet) {
    this.#working = working
  }

  /** In one round trip, or two when refreshing, for sites that this transaction has locked. */
  async read(granted: readonly Granted[]): Promise<void> {
    const missing = granted.filter(({ site, pages }) => this.#carried.get(site.key)?.pages !== pages)
    if (missing.length === 0) return
    const { tx, tools } = this.#working
    const [agendas, all, memories, dueOf] = await Promise.all([
      readAgendas(this.#working, missing),
      tools.refresh === undefined ? readKnown(this.#working, missing) : undefined,
      readBy<StoredMemory & { site: bigint }>(tx, READ_MEMORY, missing.map(keyOfGranted)),
      this.#readKnownDue(missing),
    ])
    const chosen = missing.map(({ site, pages }) => {
      const fresh = agendas.get(site.key) ?? []
      const some = dueOf && this.#choose(site, pages, fresh.length, dueOf(site.key))
      return { site, pages, looks: some?.known ?? [], agenda: some === undefined ? fresh : fresh.slice(0, some.fresh) }
    })
    // A visit with looks is short, and a site's keys may be many.
    const exploring = chosen.filter(({ looks, agenda }) => looks.length === 0 && agenda.length > 0)
    const known = all ?? (await readKnown(this.#working, exploring))
    const stored = new Map(memories.map((row) => [row.site, row]))
    for (const { site, ...one } of chosen) {
      const memory = memoryOf(stored.get(site.key))
      this.#carried.set(site.key, { ...one, known: known.get(site.key) ?? 'too many', memory })
    }
  }

  async #readKnownDue(granted: readonly Granted[]): Promise<((site: bigint) => KnownDue) | undefined> {
    const { tx, now, tools } = this.#working
    if (tools.refresh === undefined) return undefined
    const wanted = granted.map(({ site, pages }) => ({ site, looks: looksIn(this.#working, site, pages) }))
    const [dueOf] = await Promise.all([
      readKnownDue(tx, tools.refresh, wanted, now),
      this.#working.looks.read(granted.map(({ site }) => ({ site: site.key }))),
    ])
    return dueOf
  }

  #choose(site: SharedSite, pages: number, fresh: number, due: KnownDue): Chosen | undefined {
    const { refresh } = this.#working.tools
    const looks = looksOf(this.#working, site.key)
    return refresh && chooseAgenda(this.#working, refresh, site, looks, pages, fresh, due)
  }

  /** Requests that a visit to the site may make: as many as it has to make, if it has looks; at most `pages`. */
  pagesOf({ key }: SharedSite, pages: number): number {
    const { agenda, looks } = this.#carried.get(key)!
    return looks.length === 0 ? (agenda.length === 0 ? 0 : pages) : Math.min(pages, agenda.length + looks.length)
  }

  /** Whether a visit to the site looks at known pages, so that it carries no keys. */
  hasLooks({ key }: SharedSite): boolean {
    return this.#carried.get(key)!.looks.length > 0
  }

  /** The URLs of the known pages in the agendas of these sites: the rest is read with the COMMIT. */
  async readLooks(granted: readonly Granted[]): Promise<void> {
    const { tx, now } = this.#working
    const wanted = granted.flatMap(({ site: { key: site } }) =>
      this.#carried.get(site)!.looks.map((key) => ({ site, key })),
    )
    const found = Map.groupBy(await readAt<UrlRow>(tx, READ_URLS, wanted), bySite)
    for (const [site, some] of Map.groupBy(wanted, bySite)) {
      const byKey = new Map(found.get(site)?.map((row) => [row.key, { ...row, due_at: now, tries: 0 }]))
      const looks = some.flatMap(({ key }) => byKey.get(key) ?? [])
      this.#looks.set(site, looks)
    }
  }

  /** For sites whose payload was read. */
  async visitsOf(granted: readonly Granted[], slice: FrontierOptions['slice']): Promise<Visit[]> {
    const read = granted.map((one) => ({ ...one, carried: this.#carried.get(one.site.key)! }))
    const all = read.map((one) => {
      const known = this.#looks.get(one.site.key) ?? []
      return { ...one, agenda: [...known, ...one.carried.agenda].slice(0, one.pages) }
    })
    const viaOf = await readVias(
      this.#working.tx,
      all.flatMap(({ agenda }) => agenda),
    )
    return all.map(({ site, pages, agenda, carried: { known, memory } }) => {
      const items = agenda.map((row) => agendaItem(row, viaOf(row)))
      return visitOf(this.#working, site, { pages, time: slice.time }, { agenda: items, known, memory })
    })
  }
}

const keyOfGranted = ({ site }: Granted): bigint => site.key

async function readAgendas(working: WorkingSet, granted: readonly Granted[]): Promise<Map<bigint, UrlRow[]>> {
  const rows = await eachBucket(granted, keyOfGranted, (bucket, some) => {
    const keys = some.map(keyOfGranted)
    return working.tx.allExact<UrlRow>(READ_AGENDAS, bucket, keys, column(some, 'pages'), working.now)
  })
  return Map.groupBy(rows.flat(), ({ site }) => site)
}

async function readKnown(working: WorkingSet, granted: readonly Granted[]): Promise<Map<bigint, BigUint64Array>> {
  const { names } = working
  // At an alias only what waits there is fetched: what it leads to is entered at the original.
  const knowing = granted.filter(({ site }) => site.known <= MAX_KNOWN && names.originalOf(site.name) === undefined)
  const sites = knowing.map(keyOfGranted)
  const rows = await readBy<{ site: bigint; keys: Uint8Array }>(working.tx, READ_KNOWN, sites)
  return new Map(rows.map(({ site, keys }) => [site, keysFrom(keys.length, keys)]))
}
