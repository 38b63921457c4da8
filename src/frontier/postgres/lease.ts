import { unsigned64 } from '../../base/digest.ts'
import type { AgendaItem, Visit, WorkerId } from '../../visit/visit.ts'
import { ANYWHERE } from '../affinity.ts'
import type { Post } from '../fleet.ts'
import type { FrontierOptions } from '../house.ts'
import { MOST_KNOWN } from '../most-known.ts'
import { stateAfter } from '../site.ts'
import { visitId } from '../visit-id.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import { readMemories } from './memory-rows.ts'
import { readUrlTexts, type UrlTexts } from './read-url-texts.ts'
import type { Sheaf } from './sheaf.ts'
import type { SharedSite } from './site-rows.ts'
import { URL_COLUMNS, type UrlRow } from './url-rows.ts'

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

export interface Granted {
  site: SharedSite
  pages: number
}

/** A site whose time has come becomes a visit: in memory, until the sheaf writes it. */
export function grant(
  sheaf: Sheaf,
  site: SharedSite,
  worker: WorkerId,
  post: Post | undefined,
  pages: number,
): Granted {
  if (site.state === 'waiting') site.state = stateAfter(site.state, { kind: 'due' })
  site.state = stateAfter(site.state, { kind: 'checked-out' })
  site.fence++
  site.worker = worker
  site.region = post?.region ?? ANYWHERE
  site.lease_until = sheaf.now + sheaf.rules.leaseMs
  site.holder = ''
  site.entered = null
  site.granted = pages
  site.part = 0
  sheaf.sites.change(site)
  return { site, pages }
}

/** What the visits carry, in two round trips for all of them. */
export async function visitsOf(
  sheaf: Sheaf,
  granted: readonly Granted[],
  slice: FrontierOptions['slice'],
): Promise<Visit[]> {
  // Of another name of a site only what waits there is asked for: what it leads to is entered at the original.
  const knowing = granted.filter(
    ({ site }) => site.known <= MOST_KNOWN && sheaf.names.originalOf(site.name) === undefined,
  )
  const [agendas, known, memoryOf] = await Promise.all([
    readAgendas(sheaf, granted),
    readKnown(sheaf, knowing),
    readMemories(
      sheaf.tx,
      granted.map(({ site }) => site.key),
    ),
  ])
  const texts = await readUrlTexts(
    sheaf.tx,
    [...agendas.values()]
      .flat()
      .flatMap(({ via_site, via_key }) =>
        via_site === null || via_key === null ? [] : { site: via_site, key: via_key },
      ),
  )
  return granted.map(({ site, pages }) => ({
    id: visitId(site.key, site.fence),
    fence: site.fence,
    site: site.name,
    ...(site.address === null ? {} : { address: site.address }),
    agenda: (agendas.get(site.key) ?? []).map((row) => itemOf(row, texts)),
    known: known.get(site.key) ?? 'too many',
    memory: memoryOf(site.key),
    wait: Math.max(0, site.polite_at - sheaf.now),
    pause: sheaf.rules.pauseOf(site),
    limits: { pages, time: slice.time },
    lease: sheaf.rules.leaseMs,
  }))
}

async function readAgendas(sheaf: Sheaf, granted: readonly Granted[]): Promise<Map<bigint, UrlRow[]>> {
  const rows = await eachBucket(
    byBucket(granted, ({ site }) => site.key),
    (bucket, some) => {
      const keys = some.map(({ site }) => site.key)
      return sheaf.tx.allExact<UrlRow>(READ_AGENDAS, bucket, keys, column(some, 'pages'), sheaf.now)
    },
  )
  return Map.groupBy(rows.flat(), ({ site }) => site)
}

async function readKnown(sheaf: Sheaf, granted: readonly Granted[]): Promise<Map<bigint, BigUint64Array>> {
  const known = new Map<bigint, BigUint64Array>()
  await eachBucket(
    byBucket(granted, ({ site }) => site.key),
    async (bucket, some) => {
      const sites = some.map(({ site }) => site.key)
      const rows = await sheaf.tx.allExact<{ site: bigint; keys: Uint8Array }>(READ_KNOWN, bucket, sites)
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
