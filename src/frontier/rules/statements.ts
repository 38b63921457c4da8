/**
 * Statements that are the same on both databases, or nearly: for rows that no key tells, as they are in the database, and for
 * rows that are not read. What was changed before is flushed first where it matters.
 */
import type { Instant } from '../../base/clock.ts'
import type { SiteName, WorkerId } from '../../contracts/visit.ts'
import { ALL_BUCKETS, bucketOf } from '../../database/bucket.ts'
import type { Dialect, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { keyed } from '../../database/schema/columns.ts'
import type { SqlValue } from '../../database/sqlite/tx.ts'
import { HELD, HOLDABLE, type UnendorsedRow } from './domain-rows.ts'
import { HELD_BACK, MAX_REQUEUED } from './mark.ts'
import type { InTransaction, Rows } from './rows.ts'
import type { Lease, SiteRow } from './site.ts'
import type { UrlAt, UrlRow } from './url-rows.ts'

/** PostgreSQL's indexes begin with the bucket. */
export const IN_ANY_BUCKET = `bucket IN (${ALL_BUCKETS.join(', ')})`
const BEFORE_ALL = -(2n ** 63n)

/** A statement that reads rows of sites in the order of their primary key, which a bucket leads on PostgreSQL. */
export function inOrder(keys: string, text: (by: string, places: string) => string): Record<Dialect, string> {
  const places = keys.replaceAll(/[\w.]+/g, '?')
  const bucket = keys.replace(/\w+(,.*)?$/, 'bucket')
  return { sqlite: text(keys, places), postgres: text(`${bucket}, ${keys}`, `?, ${places}`) }
}

/** The values of its places: after the row with these keys, the site's first; without it, before all. */
export function after(tx: Tx, last: readonly bigint[] | undefined, keys: number): SqlValue[] {
  const values = last === undefined ? Array<bigint>(keys).fill(BEFORE_ALL) : [...last]
  if (tx.dialect === 'sqlite') return values
  return [last === undefined ? -1 : bucketOf(tx.dialect, last[0]), ...values]
}

async function keysOf({ tx }: Rows, sql: string, ...values: SqlValue[]): Promise<bigint[]> {
  return (await queries(tx).allExact<{ key: bigint }>(sql, ...values)).map(({ key }) => key)
}

/**
 * On PostgreSQL some of every bucket: where parts wait to be applied, those of other buckets must not wait behind them. After an
 * outage all leases may have ended: the next calls see the others.
 */
export const READ_ENDED_LEASES = {
  sqlite: `SELECT key FROM site WHERE lease_until <= ? ORDER BY lease_until LIMIT 500`,
  postgres: `
  SELECT s.key FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT key, lease_until FROM site WHERE site.bucket = b.bucket AND lease_until <= ?
    ORDER BY lease_until LIMIT 4) s
  ORDER BY s.lease_until`,
}
export const endedLeases = (rows: Rows, now: Instant) => keysOf(rows, READ_ENDED_LEASES[rows.tx.dialect], now)

export const READ_LEASES_OF_WORKER = `
  SELECT key, fence FROM site WHERE ${IN_ANY_BUCKET} AND worker = ? AND state = 'leased'`
export async function leasesOf({ tx }: Rows, worker: WorkerId): Promise<Lease[]> {
  return (await queries(tx).allExact<Lease>(READ_LEASES_OF_WORKER, worker)).map(keyed)
}

export const READ_OUT = `SELECT key FROM site WHERE lease_until IS NOT NULL LIMIT ?`
export const leasesOut = (rows: Rows, atMost: number) => keysOf(rows, READ_OUT, atMost)

const READ_RESTING = inOrder(
  'key',
  (by, places) =>
    `SELECT key FROM site WHERE (${by}) > (${places}) AND state IN ('waiting', 'free') ORDER BY ${by} LIMIT ?`,
)
/** Sites that wait or are free, after `last`. */
export const restingAfter = (rows: Rows, last: bigint | undefined, atMost: number) =>
  keysOf(rows, READ_RESTING[rows.tx.dialect], ...after(rows.tx, last === undefined ? last : [last], 1), atMost)

export const READ_HELD_AFTER = inOrder(
  'site',
  (by, places) =>
    `SELECT site AS key FROM unendorsed_site WHERE (${by}) > (${places}) AND hold_state = ${HELD} ORDER BY ${by} LIMIT ?`,
)
export const heldAfter = (rows: Rows, last: bigint | undefined, atMost: number) =>
  keysOf(rows, READ_HELD_AFTER[rows.tx.dialect], ...after(rows.tx, last === undefined ? last : [last], 1), atMost)

export const READ_URLS_AFTER = inOrder(
  'u.site, u.key',
  (by, places) => `
  SELECT u.site, u.key, u.mark, coalesce(p.at, u.enqueued_at) AS at FROM url u
  LEFT JOIN page p ON p.bucket = u.bucket AND p.site = u.site AND p.key = u.key
  WHERE (${by}) > (${places}) ORDER BY ${by} LIMIT ?`,
)
/** All URLs in the order of their keys, as they are without a lock; `at`: when a page was fetched last, or enqueued. */
export async function urlsAfter({ tx }: Rows, last: UrlAt | undefined, atMost: number) {
  const from = after(tx, last && [last.site, last.key], 2)
  const rows = await queries(tx).allExact<UrlAt & { mark: number; at: Instant }>(
    READ_URLS_AFTER[tx.dialect],
    ...from,
    atMost,
  )
  return rows.map(keyed)
}

/** Unendorsed sites of a domain, in an order; those that another transaction has locked are not among them. */
export interface UnendorsedSites {
  /** How many there are, locked or not, up to what was asked for. */
  found: number
  idle: readonly { site: SiteRow; row: UnendorsedRow }[]
}

export const READ_NEWEST = `
  SELECT site AS key FROM unendorsed_site
  WHERE domain = ? AND hold_state = ${HOLDABLE} ORDER BY since DESC, site DESC LIMIT ?`
export const READ_OLDEST_HELD = `
  SELECT site AS key FROM unendorsed_site WHERE domain = ? AND hold_state = ${HELD} ORDER BY since, site LIMIT ?`

export const newestHoldable = (rows: Rows, domain: bigint, atMost: number) =>
  unendorsedBy(rows, READ_NEWEST, HOLDABLE, domain, atMost)
export const oldestHeld = (rows: Rows, domain: bigint, atMost: number) =>
  unendorsedBy(rows, READ_OLDEST_HELD, HELD, domain, atMost)

/** As they are once this transaction has locked them. */
async function unendorsedBy(
  rows: Rows,
  sql: string,
  holdState: number,
  domain: bigint,
  atMost: number,
): Promise<UnendorsedSites> {
  const { unendorsed } = rows
  await unendorsed.write()
  const keys = await keysOf(rows, sql, domain, atMost)
  const locked = new Map((await rows.lockIdle(keys)).map((site) => [site.key, site]))
  await unendorsed.read([...locked.keys()].map((site) => ({ site })))
  const idle = keys.flatMap((key) => {
    const site = locked.get(key)
    const row = unendorsed.get({ site: key })
    return site === undefined || row?.hold_state !== holdState ? [] : [{ site, row }]
  })
  return { found: keys.length, idle }
}

export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 LIMIT ?`
export const READ_NAMES_OF = `SELECT name FROM site_alias WHERE original = ? LIMIT ?`

async function namesIn({ tx }: Rows, sql: string, ...values: SqlValue[]): Promise<string[]> {
  return (await queries(tx).all<{ name: string }>(sql, ...values)).map(({ name }) => name)
}

export const pendingDomains = (rows: Rows, atMost: number) => namesIn(rows, READ_PENDING_DOMAINS, atMost)
/** Aliases of an original. */
export const namesOf = (rows: Rows, original: SiteName, atMost: number) =>
  namesIn(rows, READ_NAMES_OF, original, atMost)

export const READ_WAITING = `
  SELECT key FROM url WHERE bucket = ? AND site = ? AND mark = 0 ORDER BY due_at, seq LIMIT ?`
/** What waits in a locked site, the first first, with the page on which it was found. */
export async function waitingIn(
  rows: Rows,
  { key: site }: SiteRow,
  atMost: number,
): Promise<{ row: UrlRow; via: string | undefined }[]> {
  const keys = await keysOf(rows, READ_WAITING, bucketOf(rows.tx.dialect, site), site, atMost)
  await rows.readUrls(() => keys.map((key) => ({ site, key })))
  const found = keys.flatMap((key) => rows.urls.get(site, key) ?? [])
  const viaOf = await rows.readVias(found)
  return found.map((row) => ({ row, via: viaOf(row) }))
}

const heldBackIn = (from: string) =>
  `SELECT key FROM ${from} WHERE bucket = ? AND site = ? AND mark = ${HELD_BACK} LIMIT ${MAX_REQUEUED}`
/** SQLite would take the primary key. */
export const READ_HELD_BACK = { sqlite: heldBackIn('url INDEXED BY url_held'), postgres: heldBackIn('url') }
/** Reads the URLs that findings hold back in a locked site. */
export async function readHeldBack(rows: Rows, site: bigint): Promise<void> {
  const { dialect } = rows.tx
  const keys = await keysOf(rows, READ_HELD_BACK[dialect], bucketOf(dialect, site), site)
  await rows.readUrls(() => keys.map((key) => ({ site, key })))
  for (const key of keys) rows.urls.get(site, key)
}

export const READ_KNOWN_KEYS = `SELECT key FROM known_page WHERE bucket = ? AND site = ? ORDER BY key LIMIT ?`
/** Known pages of a locked site, in the order of their keys. */
export async function knownIn(rows: Rows, site: bigint, atMost: number) {
  const keys = await keysOf(rows, READ_KNOWN_KEYS, bucketOf(rows.tx.dialect, site), site, atMost)
  await rows.known.read(keys.map((key) => ({ site, key })))
  return keys.flatMap((key) => rows.known.get({ site, key }) ?? [])
}

/** All URLs of a locked site with one of these marks wait again, as if never visited. The rows are flushed. Returns how many do. */
export async function revive({ tx, urls }: Rows, site: bigint, marks: readonly number[]): Promise<number> {
  const at = [bucketOf(tx.dialect, site), site]
  const revived = await Promise.all(marks.map((mark) => queries(tx).run(REVIVE_URLS, ...at, mark)))
  urls.revived(site, marks)
  return revived.reduce((sum, urls) => sum + urls, 0)
}

export const REVIVE_URLS = `
  UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE bucket = ? AND site = ? AND mark = ?`

/** Something waits at an alias that has to be moved, or nothing does any more. */
export async function writePending({ tx }: Rows, alias: bigint, isPending: boolean): Promise<void> {
  const pending = isPending ? 1 : 0
  await queries(tx).run(WRITE_PENDING, pending, bucketOf(tx.dialect, alias), alias, pending, pending)
}

/** 1 is always written, for the lock: otherwise a transaction that found nothing waiting could clear it. */
export const WRITE_PENDING = `
  UPDATE site_alias SET pending = ? WHERE bucket = ? AND site = ? AND (pending <> ? OR ? = 1)`

/** Keys in their order, as many as asked for after the last, each step in a transaction of some milliseconds. */
export async function inSteps(
  transact: InTransaction,
  atOnce: number,
  step: (rows: Rows, last: bigint | undefined) => Promise<readonly bigint[]>,
): Promise<void> {
  let keys: readonly bigint[] = []
  do {
    const last = keys.at(-1)
    keys = await transact((rows) => step(rows, last))
  } while (keys.length >= atOnce)
}

/** Changes every site that waits or is free. */
export function eachResting(
  transact: InTransaction,
  atOnce: number,
  change: (rows: Rows, site: SiteRow) => void,
): Promise<void> {
  return inSteps(transact, atOnce, async (rows, last) => {
    const keys = await restingAfter(rows, last, atOnce)
    await rows.lockSites(keys)
    for (const key of keys) {
      const site = rows.sites.get(key)
      if (site?.state === 'waiting' || site?.state === 'free') change(rows, site)
    }
    await rows.flush()
    return keys
  })
}
