/** What a transaction does to addresses, at its end. They are locked after all sites, in the order of their shards. */
import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { deferralOf } from '../rules/domains.ts'
import type { SiteRow } from '../rules/site.ts'
import { byAddress, column, eachBucket } from './by-bucket.ts'

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

export class AddressRows {
  readonly #tx: PostgresTx
  readonly #ended = new Map<string, { address: string; ended: number; until: Instant }>()
  readonly #moves = new Map<string, number>()
  readonly #newcomers = new Map<string, SiteRow[]>()

  constructor(tx: PostgresTx) {
    this.#tx = tx
  }

  /** A visit there has ended. */
  release(address: string, until: Instant): void {
    const before = this.#ended.get(address)
    this.#ended.set(address, {
      address,
      ended: (before?.ended ?? 0) + 1,
      until: Math.max(until, before?.until ?? 0),
    })
  }

  /** Where a site was found. A site at an address with very many others is deferred. */
  learn(site: SiteRow, address: string): void {
    if (address === site.address) return
    if (site.address !== null) this.#move(site.address, -1)
    this.#move(address, 1)
    site.address = address
    if (site.seed === 1) return
    const newcomers = this.#newcomers.get(address)
    if (newcomers === undefined) this.#newcomers.set(address, [site])
    else newcomers.push(site)
  }

  /**
   * The rows of sites found at an address are written after this. `idle`: by shard, when the first address with reserved
   * sites is free.
   */
  write(): { writes: Promise<unknown>[]; idle: ReadonlyMap<number, Instant> } {
    const moves = [...this.#moves].map(([address, sites]) => ({ address, sites }))
    const newcomers = new Map(this.#newcomers)
    const idle = new Map<number, Instant>()
    const releases = eachBucket(this.#ended.values(), byAddress, async (shard, rows) => {
      const columns = [column(rows, 'address'), column(rows, 'ended'), column(rows, 'until')] as const
      const released = await this.#tx.all<Released>(RELEASE_ADDRESSES, shard, ...columns)
      for (const { until, isAwaited } of released)
        if (isAwaited) idle.set(shard, Math.min(until, idle.get(shard) ?? until))
    })
    const counts = eachBucket(moves, byAddress, async (shard, rows) => {
      const columns = [column(rows, 'address'), column(rows, 'sites')] as const
      const now = await this.#tx.all<Count>(COUNT_AT_ADDRESSES, shard, ...columns)
      for (const { address, sites } of now)
        for (const [nth, site] of (newcomers.get(address) ?? []).reverse().entries())
          if (site.address === address) site.deferral = Math.max(site.deferral, deferralOf(sites - nth))
    })
    this.#ended.clear()
    this.#moves.clear()
    this.#newcomers.clear()
    return { writes: [releases, counts], idle }
  }

  #move(address: string, by: number): void {
    this.#moves.set(address, (this.#moves.get(address) ?? 0) + by)
  }
}
