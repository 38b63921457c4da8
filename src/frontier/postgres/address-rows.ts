/** What a transaction does to addresses, at its end. They are locked after all sites, in the order of their shards. */
import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import { byAddress, column, eachBucket } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { AddressRows } from '../rules/site-rows.ts'

/**
 * Leases that hold an address have ended. It stays its worker's until the last one has ended and the pause is over.
 * `isAwaited`: sites are reserved for that worker, and have to be freed then.
 */
export const RELEASE_ADDRESSES = `
  WITH mine AS (
    SELECT a.address, n.ended, n.until FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS n (address, ended, until)
    JOIN address a ON a.shard = $1 AND a.address = n.address ORDER BY a.address FOR UPDATE OF a)
  UPDATE address SET visits = greatest(0, address.visits - mine.ended), until = greatest(address.until, mine.until)
  FROM mine WHERE address.shard = $1 AND address.address = mine.address
  RETURNING address.until::float8 AS until, address.visits = 0
    AND EXISTS (SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = address.address) AS "isAwaited"`
/** Sites per address, when some have come and others left. */
export const COUNT_AT_ADDRESSES = `
  INSERT INTO address_sites (shard, address, sites)
  SELECT $1::smallint, n.address, n.sites FROM unnest($2::text[], $3::bigint[]) AS n (address, sites) ORDER BY n.address
  ON CONFLICT (shard, address) DO UPDATE SET sites = greatest(0, address_sites.sites + excluded.sites)
  RETURNING address, sites::float8 AS sites`

interface Released {
  until: Instant
  isAwaited: boolean
}

interface Count {
  address: string
  sites: number
}

/**
 * The rows of sites found at an address are written after this. `idle`: by shard, when the first address with reserved sites
 * is free.
 */
export function writeAddresses(
  tx: PostgresTx,
  rows: AddressRows,
): { writes: Promise<unknown>[]; idle: ReadonlyMap<number, Instant> } {
  const { ended, moves, counted } = rows.take()
  const idle = new Map<number, Instant>()
  const releases = eachBucket(ended, byAddress, async (shard, some) => {
    const columns = [column(some, 'address'), column(some, 'ended'), column(some, 'until')] as const
    const released = await tx.all<Released>(RELEASE_ADDRESSES, shard, ...columns)
    for (const { until, isAwaited } of released)
      if (isAwaited) idle.set(shard, Math.min(until, idle.get(shard) ?? until))
  })
  const counts = eachBucket(moves, byAddress, async (shard, some) => {
    const columns = [column(some, 'address'), column(some, 'sites')] as const
    for (const { address, sites } of await tx.all<Count>(COUNT_AT_ADDRESSES, shard, ...columns)) counted(address, sites)
  })
  return { writes: [releases, counts], idle }
}

/**
 * One row when the address is the worker's now: it was before, or it was free. While sites are reserved for the last holder,
 * it can't be taken: they would wait for that worker, which may be gone, for as long as others have it. The proposed row's
 * `until` says which holds are over. The row is returned, not only counted: Citus counts proposed rows, and takes no subquery
 * after ON CONFLICT.
 */
export const HOLD_ADDRESS = `
  INSERT INTO address AS a (shard, address, worker, visits, until)
  SELECT $1::smallint, $2::text, $3::text, 1, CASE WHEN EXISTS (
    SELECT FROM address_reservation s WHERE s.shard = $1 AND s.address = $2) THEN -1 ELSE $4::bigint END
  ON CONFLICT (shard, address) DO UPDATE
    SET visits = CASE a.worker WHEN excluded.worker THEN a.visits + 1 ELSE 1 END, worker = excluded.worker
    WHERE a.worker = excluded.worker OR (a.visits = 0 AND a.until <= excluded.until)
  RETURNING a.visits`

/** In the order of shards, as every transaction does. The answers are in the order given. */
export async function hold(
  tx: PostgresTx,
  wanted: readonly { address: string; worker: WorkerId }[],
  now: Instant,
): Promise<readonly boolean[]> {
  const ordered = [...wanted.entries()].sort(
    ([, { address: a }], [, { address: b }]) => shardOf(a) - shardOf(b) || (a < b ? -1 : a > b ? 1 : 0),
  )
  const answers: boolean[] = []
  await Promise.all(
    ordered.map(async ([nth, { address, worker }]) => {
      answers[nth] = (await tx.run(HOLD_ADDRESS, shardOf(address), address, worker, now)) === 1
    }),
  )
  return answers
}
