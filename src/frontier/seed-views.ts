/** What can be seen of the seeds: what they make of the scope, what a new one would find, how all of them stand. */
import type { Tx } from '../database/database.ts'
import type { SeedSource, SeedUrl } from './ledger.ts'
import type { MarkName } from './rules/mark.ts'

/** What a URL is to the frontier before it is added. `dead`: it is gone, or its whole site was given up. */
export type Place = 'new' | 'known' | 'dead'

export interface SeedViews {
  /** One for each, in the order given. */
  places(tx: Tx, urls: readonly SeedUrl[]): Promise<Place[]>
  /** In the order of the sites' keys. `sites`: one of each site, which is all that most scopes need; millions may be one list. */
  list(tx: Tx, which: 'all' | 'sites'): Promise<Seed[]>
  /** The first that were added. */
  first(tx: Tx, atMost: number): Promise<Seed[]>
  /** All of them, page by page: `after` is the place of the last one of the page before. */
  after(tx: Tx, after: SeedPlace | undefined, atMost: number): Promise<{ seeds: Seed[]; last: SeedPlace | undefined }>
  /** How many of each source have which mark. */
  counts(tx: Tx): Promise<{ source: SeedSource; mark: MarkName; count: number }[]>
  /** Seeds of one source that are gone, page by page: `after` is the last URL's place of the page before. */
  gone(tx: Tx, source: SeedSource, after: SeedPlace | undefined, atMost: number): Promise<GoneSeeds>
  /** The marks of some URLs; undefined for one that is not known. */
  marks(tx: Tx, urls: readonly SeedUrl[]): Promise<(MarkName | undefined)[]>
}

export interface Seed {
  url: string
  source: SeedSource
}

export interface SeedPlace {
  site: bigint
  key: bigint
}

export interface GoneSeeds {
  urls: string[]
  last: SeedPlace | undefined
}
