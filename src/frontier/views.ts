/** What can be seen of the frontier from outside: for `status`, `explain`, the live view. Nothing here changes anything. */
import type { Instant, Millis } from '../base/clock.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { Alias } from './aliases.ts'
import type { DomainView } from './domains.ts'
import type { MarkName } from './mark.ts'
import type { SiteState } from './site.ts'

/** Kept as counters: asking costs the same however large the crawl is. */
export interface Totals {
  sites: Record<SiteState, number>
  /** What is neither marked nor waiting belongs to sites that are held. */
  urls: { known: number; marked: number; waiting: number }
  /** Pages that visits now out may still ask for. */
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
  /** Of `notBefore`, the part that is courtesy; what is later than this waits for a URL to be due. */
  politeAt: Instant
  /** Learnt from the site; 0 when the configured pause is the longer one. */
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
  /** It is another name of an original. */
  alias?: Alias
  domain?: DomainView
  /** Nobody vouches for it; `speaker` is the one site that speaks for it. */
  unendorsedSite?: { referrer?: SiteName }
}

export interface UrlView {
  url: string
  /** By which the collection knows it: its own name's where a folder has two (`spellings.ts`). */
  key: UrlKey
  site: SiteName
  depth: number
  via?: string
  path: string
  enqueuedAt: Instant
  /** Waiting: when it is asked for; the time it was enqueued when it never was. */
  dueAt: Instant
  tries: number
  mark: MarkName
  seed: boolean
  /** Waiting: how many URLs of its site come before it, counted to a bound. */
  ahead?: number
}

export interface FrontierViews {
  /** Reads URLs by the rules that this collection was made with: whoever looks anything up by its key needs it. */
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
  /** Every URL of a site, marked ones too, in the order of its keys; `after` the last key of the page before. */
  urls(
    tx: Tx,
    site: SiteName,
    after: bigint | undefined,
    atMost: number,
  ): Promise<{ url: string; key: bigint; mark: MarkName }[]>
}
