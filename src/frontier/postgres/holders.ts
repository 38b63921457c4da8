import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { stateAfter } from '../site.ts'
import { bucketFor } from './by-bucket.ts'
import type { SharedSite } from './site-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** As `enter` will see it: one that has sites set aside is still its holder's. */
export const READ_HOLDERS = `
  SELECT address, worker FROM address a WHERE shard = $1 AND address = ANY($2::text[]) AND (visits > 0 OR until > $3
    OR EXISTS (SELECT FROM address_reserved s WHERE s.shard = $1 AND s.address = a.address))`
/**
 * Nobody frees it until the sites that are set aside for its holder are written. Rounds of a check-out meet addresses in any
 * order: one that another transaction has now is passed over.
 */
export const PIN_HOLDERS = `
  SELECT address, worker, CASE visits WHEN 0 THEN until::float8 END AS until
  FROM address WHERE shard = $1 AND address = ANY($2::text[]) AND (visits > 0 OR until > $3)
  FOR SHARE SKIP LOCKED`
export const REMEMBER_ASIDE = `
  INSERT INTO address_reserved (shard, address, bucket)
  SELECT $1::smallint, n.address, n.bucket FROM unnest($2::text[], $3::smallint[]) AS n (address, bucket)
  ORDER BY n.address, n.bucket ON CONFLICT DO NOTHING`

interface Holder {
  address: string
  worker: WorkerId
}

/** Of a holder that has no visit there any more: until when it is still his. */
interface PinnedHolder extends Holder {
  until: Instant | null
}

async function ask<Row extends Holder>(
  tx: PostgresTx,
  sql: string,
  addresses: Iterable<string>,
  now: Instant,
): Promise<Map<string, Row>> {
  const shards = groupBy(new Set(addresses), shardOf)
  const rows = await Promise.all(shards.map(([shard, some]) => tx.all<Row>(sql, shard, some, now)))
  return new Map(rows.flat().map((row) => [row.address, row]))
}

/** Who may ask at addresses now: their holders; those that are anybody's to take are not in it. */
export function readHolders(
  tx: PostgresTx,
  addresses: Iterable<string>,
  now: Instant,
): Promise<ReadonlyMap<string, Holder>> {
  return ask(tx, READ_HOLDERS, addresses, now)
}

/**
 * Sites whose time has come and whose addresses others hold leave everybody's way: they are met once, not at every check-out. Says which do
 * not: their addresses have changed hands a moment ago.
 */
export async function setAside(working: WorkingSet, sites: readonly SharedSite[]): Promise<SharedSite[]> {
  if (sites.length === 0) return []
  const at = sites.flatMap((site) => (site.address === null ? [] : [{ site, address: site.address }]))
  const holders = await ask<PinnedHolder>(
    working.tx,
    PIN_HOLDERS,
    at.map(({ address }) => address),
    working.now,
  )
  const aside = new Map<string, { address: string; bucket: number }>()
  const left: SharedSite[] = []
  for (const { site, address } of at) {
    const holder = holders.get(address)
    if (holder === undefined) {
      left.push(site)
      continue
    }
    const bucket = bucketFor(site.key)
    if (site.state === 'waiting') site.state = stateAfter(site.state, { kind: 'due' })
    site.holder = holder.worker
    working.sites.change(site)
    working.tools.dueCache.setAside(bucket, holder.worker)
    if (holder.until !== null) working.tools.dueCache.idle(shardOf(address), holder.until)
    aside.set(`${bucket} ${address}`, { address, bucket })
  }
  await Promise.all(
    groupBy(aside.values(), ({ address }) => shardOf(address)).map(([shard, some]) =>
      working.tx.run(
        REMEMBER_ASIDE,
        shard,
        some.map(({ address }) => address),
        some.map(({ bucket }) => bucket),
      ),
    ),
  )
  return left
}

function groupBy<One>(all: Iterable<One>, numberOf: (one: One) => number): [number, One[]][] {
  const groups = Map.groupBy(all, numberOf)
  return [...groups].sort(([a], [b]) => a - b)
}
