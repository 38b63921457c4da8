import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Hints } from './hints.ts'

export const TAKE_IDLE_ADDRESSES = `
  SELECT a.address, (SELECT string_agg(s.bucket::text, ' ') FROM address_aside s
    WHERE s.shard = $1 AND s.address = a.address) AS buckets
  FROM address a WHERE a.shard = $1 AND a.visits = 0 AND a.until <= $2 ORDER BY a.until LIMIT $3
  FOR UPDATE OF a SKIP LOCKED`
export const FREE_SITES_OF_ADDRESS = `
  UPDATE site SET holder = '' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND address = $2 AND holder > '' LIMIT $3 FOR UPDATE SKIP LOCKED)`
/** Unless some are left: too many for one time, or in the hands of another transaction. */
export const FORGET_ASIDE = `
  DELETE FROM address_aside WHERE shard = $1 AND address = $2 AND bucket = $3
  AND NOT EXISTS (SELECT FROM site WHERE site.bucket = $3 AND site.address = $2 AND site.holder > '')`
export const FORGET_ADDRESSES = `
  DELETE FROM address a WHERE a.shard = $1 AND a.address = ANY($2::text[])
  AND NOT EXISTS (SELECT FROM address_aside s WHERE s.shard = $1 AND s.address = a.address)`
export const READ_NEXT_IDLE = `
  SELECT until::float8 AS until FROM address WHERE shard = $1 AND visits = 0 ORDER BY address.until LIMIT 1`

/** Shards that are looked at in one go. */
const MOST_SHARDS = 32

interface IdleRow {
  address: string
  buckets: string | null
}

/**
 * Addresses whose pause is over belong to nobody, and neither do the sites that were set aside for their holders.
 * At most so many rows at a time: shared hosting may have a hundred thousand sites at one address.
 */
export async function freeAddresses(tx: PostgresTx, hints: Hints, now: Instant, mostRows: number): Promise<void> {
  await Promise.all(
    hints
      .idleShards(now)
      .slice(0, MOST_SHARDS)
      .map((shard) => freeShard(tx, hints, shard, now, mostRows)),
  )
}

async function freeShard(tx: PostgresTx, hints: Hints, shard: number, now: Instant, mostRows: number): Promise<void> {
  const idle = await tx.all<IdleRow>(TAKE_IDLE_ADDRESSES, shard, now, mostRows)
  const frees = idle.flatMap(({ address, buckets }) =>
    (buckets ?? '').split(' ').flatMap((text) => {
      if (text === '') return []
      const bucket = Number(text)
      hints.free(bucket)
      return [tx.run(FREE_SITES_OF_ADDRESS, bucket, address, mostRows), tx.run(FORGET_ASIDE, shard, address, bucket)]
    }),
  )
  const forgotten = tx.run(
    FORGET_ADDRESSES,
    shard,
    idle.map(({ address }) => address),
  )
  const next = tx.get<{ until: number }>(READ_NEXT_IDLE, shard)
  await Promise.all([...frees, forgotten])
  hints.freed(shard, (await next)?.until ?? Number.POSITIVE_INFINITY)
}
