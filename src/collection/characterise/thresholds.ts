/**
 * Limits proposed from a collection (V26), with what each would have stopped here; and the limits of the Viúva Negra paper, with
 * what they would have stopped here and what they stopped there (its Table 7).
 *
 * A proposed limit is the smallest round number that stops no larger share than the paper found adequate: 1 % of the sites or
 * URLs, 0.1 % of the documents by size, 0.4 % of the URLs by time. (The paper's depth stopped 11.3 % of the sites without any
 * hazard, so it counts as too small.) No number says whether a URL beyond a limit is a hazard.
 */
import type { Tx } from '../../database/database.ts'
import { type Queries, queries } from '../../database/queries.ts'
import { siteAt } from '../row-id.ts'
import type { Distribution } from './distribution.ts'
import { ASKED } from './page-pass.ts'

/** Shares that a proposed limit may stop. */
const SHARE = {
  'urls-per-site': 0.01,
  'duplicates-per-site': 0.01,
  depth: 0.01,
  'url-length': 0.01,
  time: 0.004,
  size: 0.001,
} as const

export type ThresholdName = keyof typeof SHARE

export interface Stopped {
  sites: number
  urls: number
  documents: number
}

export interface Threshold {
  name: ThresholdName
  /** Of sizes: the media type. */
  type?: string
  limit: number
  /** The limit is proposed from this collection, or is the paper's. */
  from: 'here' | 'vn'
  stops: Stopped
  /** The share of sites or URLs that it stopped in the paper's crawl. */
  vn?: { of: 'sites' | 'urls'; share: number }
}

const VN: readonly { name: ThresholdName; limit: number; of: 'sites' | 'urls'; share: number }[] = [
  { name: 'duplicates-per-site', limit: 10, of: 'sites', share: 0.016 },
  { name: 'urls-per-site', limit: 5000, of: 'sites', share: 0.008 },
  { name: 'depth', limit: 5, of: 'sites', share: 0.113 },
  { name: 'time', limit: 60_000, of: 'urls', share: 0.004 },
  { name: 'size', limit: 2_000_000, of: 'urls', share: 0.001 },
  { name: 'url-length', limit: 200, of: 'urls', share: 0.01 },
]

/** Fewer documents of a type say nothing about its largest. */
const MIN_OF_TYPE = 100
const MAX_TYPES = 8

export interface Measured {
  urlsPerSite: Distribution
  duplicatesPerSite: Distribution
  deepest: Distribution
  urlLength: Distribution
  took: Distribution
  /** By media type, the most frequent first. */
  sizes: readonly (readonly [type: string, sizes: Distribution])[]
}

export async function proposeThresholds(tx: Tx, measured: Measured): Promise<Threshold[]> {
  const db = queries(tx)
  const proposals: [ThresholdName, number, string?][] = [
    ['urls-per-site', roundUp(atShare(measured.urlsPerSite, 'urls-per-site'))],
    ['duplicates-per-site', roundUp(atShare(measured.duplicatesPerSite, 'duplicates-per-site'))],
    ['depth', atShare(measured.deepest, 'depth')],
    ['url-length', roundUp(atShare(measured.urlLength, 'url-length'))],
    ['time', roundUp(atShare(measured.took, 'time'))],
  ]
  for (const [type, sizes] of measured.sizes.slice(0, MAX_TYPES)) {
    if (sizes.count >= MIN_OF_TYPE) proposals.push(['size', roundUp(atShare(sizes, 'size')), type])
  }
  const thresholds: Threshold[] = []
  for (const [name, limit, type] of proposals) {
    const threshold = { name, limit, from: 'here', stops: await stoppedBy(db, name, limit, type) } as const
    thresholds.push(type === undefined ? threshold : { ...threshold, type })
  }
  for (const { name, limit, of, share } of VN) {
    const stops = await stoppedBy(db, name, limit, undefined)
    thresholds.push({ name, limit, from: 'vn', stops, vn: { of, share } })
  }
  return thresholds
}

function atShare(values: Distribution, name: ThresholdName): number {
  return values.quantile(1 - SHARE[name])
}

const ROUND = [1, 1.5, 2, 3, 5, 7.5, 10]

/** The next of 1, 1.5, 2, 3, 5, 7.5 times a power of ten, which are easy to remember. */
export function roundUp(value: number): number {
  if (value <= 10) return Math.ceil(value)
  const power = 10 ** Math.floor(Math.log10(value))
  return (ROUND.find((step) => step * power >= value) ?? 10) * power
}

/** The URLs beyond a limit that each URL meets by itself. */
const BEYOND = {
  depth: 'depth > ?',
  'url-length': 'length(url) > ?',
  time: 'took_ms > ?',
  size: `outcome = 'kept' AND bytes > ?`,
} as const

function stoppedBy(db: Queries, name: ThresholdName, limit: number, type: string | undefined): Promise<Stopped> {
  if (name === 'urls-per-site') return afterUrls(db, limit)
  if (name === 'duplicates-per-site') return afterDuplicates(db, limit)
  return type === undefined
    ? count(db, BEYOND[name], limit)
    : count(db, `${BEYOND[name]} AND media_type = ?`, limit, type)
}

/** URLs beyond a limit; a site counts if any of its URLs does. */
async function count(db: Queries, beyond: string, ...values: (number | string)[]): Promise<Stopped> {
  const row = await db.get<Stopped>(
    `SELECT count(*) AS urls, count(*) FILTER (WHERE outcome = 'kept') AS documents, count(DISTINCT site) AS sites
     FROM page WHERE ${ASKED} AND ${beyond}`,
    ...values,
  )
  return { sites: row!.sites, urls: row!.urls, documents: row!.documents }
}

type Rest = Omit<Stopped, 'sites'>

/** SQLite has no OFFSET without a LIMIT, PostgreSQL no LIMIT of -1. */
const ALL = Number.MAX_SAFE_INTEGER

/** All URLs of a site after the first `limit`. */
async function afterUrls(db: Queries, limit: number): Promise<Stopped> {
  const large = await db.allExact<{ site: bigint }>(
    `SELECT site FROM page WHERE ${ASKED} GROUP BY site HAVING count(*) > ?`,
    limit,
  )
  return sumOf(large, (site) =>
    db.get<Rest>(
      `SELECT count(*) AS urls, count(*) FILTER (WHERE outcome = 'kept') AS documents FROM
         (SELECT outcome FROM page WHERE bucket = ? AND site = ? AND ${ASKED} ORDER BY id LIMIT ${ALL} OFFSET ?) rest`,
      ...siteAt(db.dialect, site),
      limit,
    ),
  )
}

/** All URLs of a site after its duplicates (documents whose content an earlier one has) exceed the limit. */
async function afterDuplicates(db: Queries, limit: number): Promise<Stopped> {
  const sites = await db.allExact<{ site: bigint }>(
    `SELECT site FROM page WHERE outcome = 'kept' AND digest IS NOT NULL GROUP BY site
     HAVING count(*) - count(DISTINCT digest) > ?`,
    limit,
  )
  return sumOf(sites, (site) =>
    db.get<Rest>(
      `SELECT count(*) AS urls, count(*) FILTER (WHERE outcome = 'kept') AS documents FROM page
       WHERE bucket = ?1 AND site = ?2 AND ${ASKED} AND id >
         (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY digest ORDER BY id) AS nth FROM page
            WHERE bucket = ?1 AND site = ?2 AND outcome = 'kept' AND digest IS NOT NULL) copies
          WHERE nth > 1 ORDER BY id LIMIT 1 OFFSET ?3)`,
      ...siteAt(db.dialect, site),
      limit,
    ),
  )
}

async function sumOf(
  sites: readonly { site: bigint }[],
  restOf: (site: bigint) => Promise<Rest | undefined>,
): Promise<Stopped> {
  const stopped: Stopped = { sites: sites.length, urls: 0, documents: 0 }
  for (const { site } of sites) {
    const rest = await restOf(site)
    stopped.urls += rest?.urls ?? 0
    stopped.documents += rest?.documents ?? 0
  }
  return stopped
}
