/** What must be known of the sites that speak for others by their links: see `../domains.ts`. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { byBucket, eachBucket } from './by-bucket.ts'
import type { SiteRows } from './site-rows.ts'

export const READ_SEEDS = `
  SELECT key, seed::float8 AS seed FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])`

export class Voices {
  readonly #tx: PostgresTx
  readonly #sites: SiteRows
  /** Of those that are not locked; undefined: there is no such site. */
  readonly #seeds = new Map<bigint, number | undefined>()

  constructor(tx: PostgresTx, sites: SiteRows) {
    this.#tx = tx
    this.#sites = sites
  }

  async peek(keys: Iterable<bigint>): Promise<void> {
    const missing = [...keys].filter((key) => !this.#sites.isLocked(key) && !this.#seeds.has(key))
    for (const key of missing) this.#seeds.set(key, undefined)
    await eachBucket(
      byBucket(missing, (key) => key),
      async (bucket, some) => {
        const rows = await this.#tx.allExact<{ key: bigint; seed: number }>(READ_SEEDS, bucket, some)
        for (const { key, seed } of rows) this.#seeds.set(key, seed)
      },
    )
  }

  /** 1: the operator named it. Undefined: it is not known, or it is new and its turn to be enrolled has not come. */
  seedOf(key: bigint): number | undefined {
    if (this.#sites.isMade(key)) return undefined
    return this.#sites.isLocked(key) ? this.#sites.get(key)?.seed : this.#seeds.get(key)
  }
}
