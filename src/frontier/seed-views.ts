/** What can be seen of the seeds: for the scope, before a seed is added, and their marks. */
import type { Tx } from '../database/database.ts'
import type { SeedSource, SeedUrl } from './ledger.ts'
import type { MarkName } from './rules/mark.ts'

/** What a URL is before it is added. `dead`: it is gone, or its site was given up. */
export type SeedStatus = 'new' | 'known' | 'dead'

export interface SeedViews {
  /** One per URL, in the order given. */
  statuses(tx: Tx, urls: readonly SeedUrl[]): Promise<SeedStatus[]>
  /** In the order of the sites' keys. `sites`: one per site, which is enough for most scopes; one list may have millions. */
  list(tx: Tx, which: 'all' | 'sites'): Promise<Seed[]>
  /** The first ones that were added. */
  first(tx: Tx, atMost: number): Promise<Seed[]>
  /** All seeds, page by page: `after` is the last one of the page before. */
  after(
    tx: Tx,
    after: SeedPosition | undefined,
    atMost: number,
  ): Promise<{ seeds: Seed[]; last: SeedPosition | undefined }>
  /** How many of each source have which mark. */
  counts(tx: Tx): Promise<{ source: SeedSource; mark: MarkName; count: number }[]>
  /** Seeds of one source that are gone, page by page. */
  gone(tx: Tx, source: SeedSource, after: SeedPosition | undefined, atMost: number): Promise<GoneSeeds>
  /** The marks of some URLs; undefined for unknown ones. */
  marks(tx: Tx, urls: readonly SeedUrl[]): Promise<(MarkName | undefined)[]>
}

export interface Seed {
  url: string
  source: SeedSource
}

export interface SeedPosition {
  site: bigint
  key: bigint
}

export interface GoneSeeds {
  urls: string[]
  last: SeedPosition | undefined
}
