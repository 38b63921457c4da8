/** The sites of a transaction: locked and read in bulk, changed in memory, written once. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { type ByBucket, byBucket, byKey, column, eachBucket, readBy } from '../../database/postgres/by-bucket.ts'
import { columnsOf, type PostgresTx } from '../../database/postgres/tx.ts'
import { type ColumnTypes, columnTypes, selected } from '../../database/schema/columns.ts'
import { updating } from '../../database/write-rows.ts'
import { newSite, type SiteRow } from '../rules/site.ts'
import type { SiteRows } from '../rules/site-rows.ts'
import { type Nearness, UNKNOWN } from './nearness.ts'

/** A site's row on PostgreSQL. */
export interface SharedSite extends SiteRow, Nearness {
  /** Leased: its worker's region; waiting: the region that it leans to; '' for any. */
  region: string
}

type Sites = SiteRows<SharedSite>

const TYPES: ColumnTypes = new Map([
  ...columnTypes('site'),
  ...(['region', 'near_region'] as const).map((name) => [name, 'text'] as const),
  ...(['near_ms', 'far_ms'] as const).map((name) => [name, 'double precision'] as const),
  ['near_tried', 'bigint'],
])
const NAMES = [...TYPES.keys()] as (keyof SharedSite)[]

export const SITE_COLUMNS = selected(TYPES, 'site')
export const READ_SITES = `SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])`
export const LOCK_SITES = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND key = ANY($2::bigint[]) ORDER BY key FOR UPDATE`
export const LOCK_IDLE_SITES = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND key = ANY($2::bigint[]) ORDER BY key FOR UPDATE SKIP LOCKED`
/** Without a URL. A transaction that makes the same site at the same time waits here, and then finds it. */
export const MAKE_SITES = `
  INSERT INTO site (bucket, key, name, state, since, rank, part)
  SELECT $1::smallint, n.key, n.name, $4::text, $5::bigint, 0, $6::bigint FROM unnest($2::bigint[], $3::text[]) AS n (key, name) ORDER BY n.key
  ON CONFLICT (bucket, key) DO NOTHING RETURNING key`
/**
 * Every column of a row, whatever changed: where no indexed column did, no index is touched. (The rows are locked, so they
 * need no order.)
 */
export const WRITE_SITES = updating('site', TYPES, 'key')
const READ_SEEDS = `
  SELECT key, seed::float8 AS seed FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])`

/** Locks those that exist, in the order of buckets and keys, as every transaction does. */
export async function lockSites(tx: PostgresTx, sites: Sites, keys: Iterable<bigint>): Promise<void> {
  const missing = [...new Set(keys)].filter((key) => !sites.isLocked(key))
  const rows = await readBy<SharedSite>(tx, LOCK_SITES, missing)
  for (const key of missing) sites.keepAbsent(key)
  sites.keep(rows)
}

/** As `lockSites`, and makes those that do not exist. After all others were locked: no other transaction waits for a new site. */
export async function makeSites(
  tx: PostgresTx,
  sites: Sites,
  wanted: readonly { key: bigint; name: SiteName }[],
  now: Instant,
): Promise<void> {
  await lockSites(
    tx,
    sites,
    wanted.map(({ key }) => key),
  )
  const absent = new Map(wanted.filter(({ key }) => sites.get(key) === undefined).map((site) => [site.key, site]))
  const taken: bigint[] = []
  await eachBucket(absent.values(), byKey, async (bucket, some) => {
    const { state, part } = newSite(0n, '', now)
    const keys = column(some, 'key')
    const values = [keys, column(some, 'name'), state, now, part]
    const made = await tx.allExact<{ key: bigint }>(MAKE_SITES, bucket, ...values)
    const ours = new Set(column(made, 'key'))
    for (const { key, name } of some)
      if (ours.has(key)) sites.made({ ...newSite(key, name, now), ...UNKNOWN, region: '' })
      else taken.push(key)
  })
  for (const key of taken) sites.unkeep(key)
  await lockSites(tx, sites, taken)
}

/** Locks those that no other transaction has locked, for sites out of the order of locks. Returns them. */
export async function lockIdle(tx: PostgresTx, sites: Sites, keys: Iterable<bigint>): Promise<SharedSite[]> {
  const wanted = [...new Set(keys)]
  const missing = wanted.filter((key) => !sites.isLocked(key))
  sites.keep(await readBy<SharedSite>(tx, LOCK_IDLE_SITES, missing))
  return wanted.flatMap((key) => (sites.isLocked(key) ? (sites.get(key) ?? []) : []))
}

/** Returns what was written, by bucket. */
export async function writeSites(tx: PostgresTx, sites: Sites): Promise<ByBucket<SharedSite>> {
  const { changed, grown } = sites.take()
  const written = byBucket([...changed, ...grown], byKey)
  const counts = [...written].map(([bucket, rows]) => tx.run(WRITE_SITES, bucket, ...columnsOf(rows, ...NAMES)))
  const count = (await Promise.all(counts)).reduce((sum, one) => sum + one, 0)
  assert(count === changed.length + grown.length, 'a site that is not there')
  return written
}

/** Whether the operator named sites that are not locked. */
export async function readSeeds(tx: PostgresTx, sites: Sites, keys: readonly bigint[]): Promise<void> {
  const missing = keys.filter((key) => !sites.isSeedRead(key))
  for (const key of missing) sites.keepSeed(key, undefined)
  const rows = await readBy<{ key: bigint; seed: number }>(tx, READ_SEEDS, missing)
  for (const { key, seed } of rows) sites.keepSeed(key, seed)
}

/** Reads them without a lock. */
export async function readSites(tx: PostgresTx, keys: Iterable<bigint>): Promise<Map<bigint, SiteRow>> {
  return new Map((await readBy<SiteRow>(tx, READ_SITES, new Set(keys))).map((row) => [row.key, row]))
}
