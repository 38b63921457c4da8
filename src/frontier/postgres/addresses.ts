import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import { bucketFor, byAddress, column, eachBucket } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { stateAfter } from '../rules/site.ts'
import type { DueCache } from './due-cache.ts'
import type { SharedSite } from './site-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** As `enter` sees it: an address with reserved sites still belongs to its holder. */
export const READ_HOLDERS = `
  SELECT address, worker FROM address a WHERE shard = $1 AND address = ANY($2::text[]) AND (visits > 0 OR until > $3
    OR EXISTS (SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = a.address))`
/**
 * Keeps others from freeing the address until the reserved sites are written. Rounds of a check-out meet addresses in any
 * order: those that another transaction has locked are skipped.
 */
export const PIN_HOLDERS = `
  SELECT address, worker, CASE visits WHEN 0 THEN until::float8 END AS until
  FROM address WHERE shard = $1 AND address = ANY($2::text[]) AND (visits > 0 OR until > $3)
  FOR SHARE SKIP LOCKED`
export const WRITE_RESERVATIONS = `
  INSERT INTO address_reservation (shard, address, bucket)
  SELECT $1::smallint, n.address, n.bucket FROM unnest($2::text[], $3::smallint[]) AS n (address, bucket)
  ORDER BY n.address, n.bucket ON CONFLICT DO NOTHING`

interface Holder {
  address: string
  worker: WorkerId
}

/** Set for a holder without a visit there: until when the address is still its own. */
interface PinnedHolder extends Holder {
  until: Instant | null
}

async function readAt<Row extends Holder>(
  { tx, now }: WorkingSet,
  sql: string,
  sites: Iterable<SharedSite>,
): Promise<ReadonlyMap<string, Row>> {
  const addresses = new Set([...sites].flatMap(({ address }) => address ?? []))
  const keyOf = (address: string) => byAddress({ address })
  const rows = await eachBucket(addresses, keyOf, (shard, some) => tx.all<Row>(sql, shard, some, now))
  return new Map(rows.flat().map((row) => [row.address, row]))
}

/** The workers that hold the addresses of these sites now, by address. Free addresses are not in it. */
export function readHolders(working: WorkingSet, sites: Iterable<SharedSite>): Promise<ReadonlyMap<string, Holder>> {
  return readAt(working, READ_HOLDERS, sites)
}

/**
 * Reserves due sites for the workers that hold their addresses, so that others meet them once, not at every check-out.
 * Returns those whose addresses have changed hands meanwhile.
 */
export async function reserve(working: WorkingSet, sites: readonly SharedSite[]): Promise<SharedSite[]> {
  const { dueCache } = working.tools
  const holders = await readAt<PinnedHolder>(working, PIN_HOLDERS, sites)
  const reservations = new Map<string, { address: string; bucket: number }>()
  const left = sites.filter((site) => {
    const holder = site.address === null ? undefined : holders.get(site.address)
    if (holder === undefined) return true
    const { address, worker, until } = holder
    const bucket = bucketFor(site.key)
    if (site.state === 'waiting') site.state = stateAfter(site.state, { kind: 'due' })
    site.holder = worker
    working.sites.change(site)
    dueCache.reserve(bucket, worker)
    if (until !== null) dueCache.idle(shardOf(address), until)
    reservations.set(`${bucket} ${address}`, { address, bucket })
    return false
  })
  await eachBucket(reservations.values(), byAddress, (shard, some) =>
    working.tx.run(WRITE_RESERVATIONS, shard, column(some, 'address'), column(some, 'bucket')),
  )
  return left
}

/** Of those that have reserved sites. */
export const TAKE_IDLE_ADDRESSES = `
  SELECT a.address, (SELECT string_agg(s.bucket::text, ' ') FROM address_reservation s
    WHERE s.shard = $1 AND s.address = a.address) AS buckets
  FROM address a WHERE a.shard = $1 AND a.visits = 0 AND a.until <= $2
    AND EXISTS (SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = a.address)
  ORDER BY a.until LIMIT $3 FOR UPDATE OF a SKIP LOCKED`
export const FREE_SITES_OF_ADDRESS = `
  UPDATE site SET holder = '' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND address = $2 AND holder > '' LIMIT $3 FOR UPDATE SKIP LOCKED)`
/**
 * Unless some are left: too many at once, or locked by another transaction. On Citus the two tables are on different nodes,
 * and the subquery must select a column.
 */
export const FORGET_RESERVATION = `
  DELETE FROM address_reservation WHERE shard = $1 AND address = $2 AND bucket = $3
  AND NOT EXISTS (SELECT site.key FROM site WHERE site.bucket = $3 AND site.address = $2 AND site.holder > '')`
export const FORGET_ADDRESSES = `
  DELETE FROM address WHERE shard = $1 AND address IN (
    SELECT a.address FROM address a WHERE a.shard = $1 AND a.visits = 0 AND a.until <= $2
      AND NOT EXISTS (SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = a.address)
    ORDER BY a.until LIMIT $3 FOR UPDATE OF a SKIP LOCKED)`
export const READ_NEXT_IDLE = `
  SELECT a.until::float8 AS until FROM address a WHERE a.shard = $1 AND a.visits = 0
    AND EXISTS (SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = a.address)
  ORDER BY a.until LIMIT 1`

/** Shards per call, and rows of each. */
const MAX_SHARDS = 32
const MAX_ROWS = 256
const MAX_FORGOTTEN = 1000
/** So all shards have their turn in half a minute: rows that are not needed do no harm. */
const TIDIED_TOGETHER = 8

interface IdleRow {
  address: string
  buckets: string
}

/**
 * Frees addresses whose pause is over, and the sites reserved for their holders. At most so many rows at a time: shared
 * hosting may have a hundred thousand sites at one address.
 */
export async function freeAddresses(tx: PostgresTx, dueCache: DueCache, now: Instant): Promise<void> {
  const shards = dueCache.idleShards(now).slice(0, MAX_SHARDS)
  await Promise.all(shards.map((shard) => freeShard(tx, dueCache, shard, now)))
}

async function freeShard(tx: PostgresTx, dueCache: DueCache, shard: number, now: Instant): Promise<void> {
  const idle = await tx.all<IdleRow>(TAKE_IDLE_ADDRESSES, shard, now, MAX_ROWS)
  const frees = idle.flatMap(({ address, buckets }) =>
    buckets.split(' ').flatMap((text) => {
      const bucket = Number(text)
      dueCache.free(bucket)
      return [
        tx.run(FREE_SITES_OF_ADDRESS, bucket, address, MAX_ROWS),
        tx.run(FORGET_RESERVATION, shard, address, bucket),
      ]
    }),
  )
  const next = tx.get<{ until: number }>(READ_NEXT_IDLE, shard)
  await Promise.all(frees)
  dueCache.freed(shard, (await next)?.until ?? Number.POSITIVE_INFINITY)
}

/** Free addresses without reserved sites need no row. Some shards at a time, in turn. */
export async function forgetAddresses(tx: PostgresTx, dueCache: DueCache, now: Instant): Promise<void> {
  await Promise.all(
    dueCache.shardsToTidy(TIDIED_TOGETHER).map((shard) => tx.run(FORGET_ADDRESSES, shard, now, MAX_FORGOTTEN)),
  )
}
