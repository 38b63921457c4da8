/** What visits carry beside their sites' rows. It may be read before it is known whether a site is granted. */
import { unsigned64 } from '../../base/digest.ts'
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../../contracts/visit.ts'
import type { FrontierOptions } from '../options.ts'
import { MAX_KNOWN } from '../rules/check-out.ts'
import { visitId } from '../rules/visit.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import type { Granted } from './check-out.ts'
import { readMemories } from './memory-rows.ts'
import { readUrlTexts, URL_COLUMNS, type UrlRow, type UrlTexts } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** Never visited URLs first (W10), in the order in which they were found; then those that are due (again). */
export const READ_AGENDAS = `
  SELECT ${URL_COLUMNS} FROM unnest($2::bigint[], $3::bigint[]) AS n (site, pages)
  CROSS JOIN LATERAL (
    SELECT * FROM url WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at <= $4
    ORDER BY due_at, seq LIMIT n.pages) u
  ORDER BY u.site, u.due_at, u.seq`
/** As bytes, the highest first: 8 for each key, where its digits would be 20. */
export const READ_KNOWN = `
  SELECT site, string_agg(int8send(key), '') AS keys FROM url WHERE bucket = $1 AND site = ANY($2::bigint[]) GROUP BY site`

interface Carried {
  /** Of so many pages. */
  pages: number
  agenda: readonly UrlRow[]
  known: BigUint64Array | 'too many'
  memory: SiteMemory
}

export class VisitPayload {
  readonly #working: WorkingSet
  readonly #carried = new Map<bigint, Carried>()

  /** Other names of sites are known to the working set. */
  constructor(working: WorkingSet) {
    this.#working = working
  }

  /** In one trip. Of sites that are this transaction's: nobody changes it meanwhile. */
  async read(granted: readonly Granted[]): Promise<void> {
    const missing = this.#missing(granted)
    if (missing.length === 0) return
    const { tx, names } = this.#working
    // Of another name of a site only what waits there is asked for: what it leads to is entered at the original.
    const knowing = missing.filter(({ site }) => site.known <= MAX_KNOWN && names.originalOf(site.name) === undefined)
    const [agendas, known, memoryOf] = await Promise.all([
      readAgendas(this.#working, missing),
      readKnown(this.#working, knowing),
      readMemories(
        tx,
        missing.map(({ site }) => site.key),
      ),
    ])
    for (const { site, pages } of missing) {
      const { key } = site
      const agenda = agendas.get(key) ?? []
      this.#carried.set(key, { pages, agenda, known: known.get(key) ?? 'too many', memory: memoryOf(key) })
    }
  }

  /** Of sites for which it was read. */
  async visitsOf(granted: readonly Granted[], slice: FrontierOptions['slice']): Promise<Visit[]> {
    const { tx, now, tools } = this.#working
    const all = granted.map((one) => ({ ...one, carried: this.#carried.get(one.site.key)! }))
    const pages = all
      .flatMap(({ carried }) => carried.agenda)
      .flatMap(({ via_site, via_key }) =>
        via_site === null || via_key === null ? [] : { site: via_site, key: via_key },
      )
    const texts = await readUrlTexts(tx, pages)
    return all.map(({ site, pages, carried: { agenda, known, memory } }) => ({
      id: visitId(site.key, site.fence),
      fence: site.fence,
      site: site.name,
      ...(site.address === null ? {} : { address: site.address }),
      agenda: agenda.map((row) => itemOf(row, texts)),
      known,
      memory,
      wait: Math.max(0, site.polite_at - now),
      pause: tools.pauseOf(site),
      limits: { pages, time: slice.time },
      lease: tools.leaseMs,
    }))
  }

  #missing(granted: readonly Granted[]): Granted[] {
    return granted.filter(({ site, pages }) => this.#carried.get(site.key)?.pages !== pages)
  }
}
async function readAgendas(working: WorkingSet, granted: readonly Granted[]): Promise<Map<bigint, UrlRow[]>> {
  const rows = await eachBucket(
    byBucket(granted, ({ site }) => site.key),
    (bucket, some) => {
      const keys = some.map(({ site }) => site.key)
      return working.tx.allExact<UrlRow>(READ_AGENDAS, bucket, keys, column(some, 'pages'), working.now)
    },
  )
  return Map.groupBy(rows.flat(), ({ site }) => site)
}

async function readKnown(working: WorkingSet, granted: readonly Granted[]): Promise<Map<bigint, BigUint64Array>> {
  const known = new Map<bigint, BigUint64Array>()
  await eachBucket(
    byBucket(granted, ({ site }) => site.key),
    async (bucket, some) => {
      const sites = some.map(({ site }) => site.key)
      const rows = await working.tx.allExact<{ site: bigint; keys: Uint8Array }>(READ_KNOWN, bucket, sites)
      for (const { site, keys } of rows) known.set(site, keysOf(keys))
    },
  )
  return known
}

/** Typed arrays have the machine's order, the lowest byte first. */
function keysOf(bytes: Uint8Array): BigUint64Array {
  const keys = new BigUint64Array(bytes.length / 8)
  const own = Buffer.from(keys.buffer)
  own.set(bytes)
  own.swap64()
  return keys
}

function itemOf(row: UrlRow, texts: UrlTexts): AgendaItem {
  const item: AgendaItem = {
    url: row.url,
    key: unsigned64(row.key),
    depth: row.depth,
    dueAt: row.due_at === 0 ? row.enqueued_at : row.due_at,
    tries: row.tries,
    path: row.path,
  }
  if (row.lastmod !== null) item.hint = row.lastmod
  const via = row.via_site === null || row.via_key === null ? undefined : texts.of(row.via_site, row.via_key)
  if (via !== undefined) item.via = via
  return item
}
