/** What visits carry beside their sites' rows. It may be read before a site is granted. */

import type { Visit } from '../../contracts/visit.ts'
import type { FrontierOptions } from '../contract.ts'
import { agendaItem, type Carried, keysFrom, MAX_KNOWN, visitOf } from '../rules/check-out.ts'
import type { UrlRow } from '../rules/url-rows.ts'
import { column, eachBucket } from './by-bucket.ts'
import { readMemories } from './memory-rows.ts'
import type { SharedSite } from './site-rows.ts'
import { readVias, URL_COLUMNS } from './url-rows.ts'
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

export interface Granted {
  site: SharedSite
  pages: number
}

interface ReadPayload extends Omit<Carried, 'agenda'> {
  /** The agenda has this many, at most. */
  pages: number
  agenda: readonly UrlRow[]
}

export class VisitPayload {
  readonly #working: WorkingSet
  readonly #carried = new Map<bigint, ReadPayload>()

  /** The working set has read the aliases. */
  constructor(working: WorkingSet) {
    this.#working = working
  }

  /** In one round trip, for sites that this transaction has locked. */
  async read(granted: readonly Granted[]): Promise<void> {
    const missing = granted.filter(({ site, pages }) => this.#carried.get(site.key)?.pages !== pages)
    if (missing.length === 0) return
    const { tx, names } = this.#working
    // At an alias only what waits there is fetched: what it leads to is entered at the original.
    const knowing = missing.filter(({ site }) => site.known <= MAX_KNOWN && names.originalOf(site.name) === undefined)
    const [agendas, known, memoryOf] = await Promise.all([
      readAgendas(this.#working, missing),
      readKnown(this.#working, knowing),
      readMemories(tx, missing.map(keyOfGranted)),
    ])
    for (const { site, pages } of missing) {
      const { key } = site
      const agenda = agendas.get(key) ?? []
      this.#carried.set(key, { pages, agenda, known: known.get(key) ?? 'too many', memory: memoryOf(key) })
    }
  }

  /** For sites whose payload was read. */
  async visitsOf(granted: readonly Granted[], slice: FrontierOptions['slice']): Promise<Visit[]> {
    const all = granted.map((one) => ({ ...one, carried: this.#carried.get(one.site.key)! }))
    const rows = all.flatMap(({ carried }) => carried.agenda)
    const viaOf = await readVias(this.#working.tx, rows)
    return all.map(({ site, pages, carried: { agenda, known, memory } }) => {
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
  const known = new Map<bigint, BigUint64Array>()
  await eachBucket(granted, keyOfGranted, async (bucket, some) => {
    const sites = some.map(keyOfGranted)
    const rows = await working.tx.allExact<{ site: bigint; keys: Uint8Array }>(READ_KNOWN, bucket, sites)
    for (const { site, keys } of rows) known.set(site, keysFrom(keys.length, keys))
  })
  return known
}
