/** What `status`, `explain` and the dashboard see of the frontier. Nothing here changes anything. */
import type { Instant, Millis } from '../base/clock.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { Alias } from './aliases.ts'
import type { DomainView } from './rules/domain-rows.ts'
import type { MarkName } from './rules/mark.ts'
import type { SiteState } from './rules/site.ts'

/** Kept as counters: reading them costs the same however large the crawl is. */
export interface Totals {
  sites: Record<SiteState, number>
  /** What is neither marked nor waiting belongs to held sites. */
  urls: { known: number; marked: number; waiting: number }
  /** Pages that current visits may still fetch. */
  granted: number
}

export interface SiteView {
  name: SiteName
  state: SiteState
  /** Why it is barred. */
  reason?: string
  seed: boolean
  rank: number
  since: Instant
  notBefore: Instant
  /** When the site's pause is over; until `notBefore` it waits for a URL to become due. */
  politeAt: Instant
  /** Learnt from the site; 0 when the configured pause is longer. */
  pause: Millis
  address?: string
  losses: number
  /** Above 0 it comes after the others, whatever the order: slowed, or one of a flood. */
  deferral: number
  visits: number
  known: number
  waiting: number
  lease?: { visit: VisitId; fence: number; worker: WorkerId; until: Instant; parts: number }
  memory: SiteMemory
  /** It is an alias. */
  alias?: Alias
  domain?: DomainView
  /** It is unendorsed; `referrer` is the one endorsed site that links to it. */
  unendorsedSite?: { referrer?: SiteName }
}

export interface UrlView {
  url: string
  /** The key that the collection knows it by; its own where a folder has several indexes (`rules/spellings.ts`). */
  key: UrlKey
  site: SiteName
  depth: number
  via?: string
  path: string
  enqueuedAt: Instant
  /** Waiting: when it is due; when it was enqueued, if it was never visited. */
  dueAt: Instant
  tries: number
  mark: MarkName
  seed: boolean
  /** Waiting: how many URLs of its site come before it, counted up to a limit. */
  ahead?: number
}

export interface FrontierViews {
  /** Reads URLs by the rules that this collection was made with: needed to look anything up by its key. */
  reader(tx: Tx): Promise<UrlReader>
  totals(tx: Tx): Promise<Totals>
  site(tx: Tx, name: SiteName): Promise<SiteView | undefined>
  /** By any spelling of the URL that normalises to the one known. */
  url(tx: Tx, url: string): Promise<UrlView | undefined>
  /** The waiting sites that are due first. */
  nextDue(tx: Tx, atMost: number): Promise<{ name: SiteName; notBefore: Instant; politeAt: Instant; waiting: number }[]>
  /** The free sites that come first. */
  nextFree(tx: Tx, atMost: number): Promise<{ name: SiteName; rank: number; waiting: number }[]>
  /** By the name of the domain, or of any site in it. */
  domain(tx: Tx, name: string): Promise<DomainView | undefined>
  /** Domains that have held sites. */
  heldDomains(tx: Tx): Promise<number>
  /** At most a million. */
  aliases(tx: Tx): Promise<Alias[]>
  seeds(tx: Tx): Promise<string[]>
  /** Every URL of a site, marked ones too, in the order of keys, after the key `after`. */
  urls(
    tx: Tx,
    site: SiteName,
    after: bigint | undefined,
    atMost: number,
  ): Promise<{ url: string; key: bigint; mark: MarkName }[]>
}
