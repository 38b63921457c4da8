import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { DueCache } from './due-cache.ts'

/** Of those for whose holders sites were set aside. */
export const TAKE_IDLE_ADDRESSES = `
  SELECT a.address, (SELECT string_agg(s.bucket::text, ' ') FROM address_reserved s
    WHERE s.shard = $1 AND s.address = a.address) AS buckets
  FROM address a WHERE a.shard = $1 AND a.visits = 0 AND a.until <= $2
    AND EXISTS (SELECT FROM address_reserved s WHERE s.shard = $1 AND s.address = a.address)
  ORDER BY a.until LIMIT $3 FOR UPDATE OF a SKIP LOCKED`
export const FREE_SITES_OF_ADDRESS = `
  UPDATE site SET holder = '' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND address = $2 AND holder > '' LIMIT $3 FOR UPDATE SKIP LOCKED)`
/**
 * Unless some are left: too many for one time, or in the hands of another transaction. On Citus the two tables lie in two
 * places, and what is asked at the other must have a column.
 */
export const FORGET_ASIDE = `
  DELETE FROM address_reserved WHERE shard = $1 AND address = $2 AND bucket = $3
  AND NOT EXISTS (SELECT site.key FROM site WHERE site.bucket = $3 AND site.address = $2 AND site.holder > '')`
export const FORGET_ADDRESSES = `
  DELETE FROM address WHERE shard = $1 AND address IN (
    SELECT a.address FROM address a WHERE a.shard = $1 AND a.visits = 0 AND a.until <= $2
      AND NOT EXISTS (SELECT FROM address_reserved s WHERE s.shard = $1 AND s.address = a.address)
    ORDER BY a.until LIMIT $3 FOR UPDATE OF a SKIP LOCKED)`
export const READ_NEXT_IDLE = `
  SELECT a.until::float8 AS until FROM address a WHERE a.shard = $1 AND a.visits = 0
    AND EXISTS (SELECT FROM address_reserved s WHERE s.shard = $1 AND s.address = a.address)
  ORDER BY a.until LIMIT 1`

/** Shards that are looked at in one go, and rows of each. */
const MAX_SHARDS = 32
const MAX_ROWS = 256
const MAX_FORGOTTEN = 1000

interface IdleRow {
  address: string
  buckets: string
}

/**
 * Addresses whose pause is over belong to nobody, and neither do the sites that were set aside for their holders.
 * At most so many rows at a time: shared hosting may have a hundred thousand sites at one address.
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
      return [tx.run(FREE_SITES_OF_ADDRESS, bucket, address, MAX_ROWS), tx.run(FORGET_ASIDE, shard, address, bucket)]
    }),
  )
  const next = tx.get<{ until: number }>(READ_NEXT_IDLE, shard)
  await Promise.all(frees)
  dueCache.freed(shard, (await next)?.until ?? Number.POSITIVE_INFINITY)
}

/** Addresses that are nobody's, and for whose holders nothing was set aside, need no row. Some shards at a time, in turn. */
export async function forgetAddresses(tx: PostgresTx, dueCache: DueCache, now: Instant): Promise<void> {
  await Promise.all(
    dueCache.shardsToTidy(MAX_SHARDS).map((shard) => tx.run(FORGET_ADDRESSES, shard, now, MAX_FORGOTTEN)),
  )
}
