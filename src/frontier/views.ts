/** What can be seen of the frontier from outside: for `status`, `explain`, the live view. Nothing here changes anything. */
import type { Instant, Millis } from '../base/clock.ts'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { Alias } from './aliases.ts'
import type { DomainView } from './rules/domains.ts'
import { MARKS, type MarkName } from './rules/mark.ts'
import type { SiteState } from './rules/site.ts'
import { visitId } from './rules/visit.ts'

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

/** Rows as they are shown: whichever database they came from. */

export interface SeenSite {
  readonly key: bigint
  readonly name: SiteName
  state: SiteState
  reason: string | null
  since: Instant
  seed: number
  rank: number
  losses: number
  deferral: number
  not_before: Instant
  polite_at: Instant
  pause: number
  address: string | null
  fence: number
  worker: string | null
  lease_until: Instant | null
  part: number
  known: number
  waiting: number
}

export function siteView(row: SeenSite, memory: SiteMemory): SiteView {
  const view: SiteView = {
    name: row.name,
    state: row.state,
    seed: row.seed === 1,
    rank: row.rank,
    since: row.since,
    notBefore: row.not_before,
    politeAt: row.polite_at,
    pause: row.pause,
    losses: row.losses,
    deferral: row.deferral,
    visits: row.fence,
    known: row.known,
    waiting: row.waiting,
    memory,
  }
  if (row.reason !== null) view.reason = row.reason
  if (row.address !== null) view.address = row.address
  if (row.worker !== null && row.lease_until !== null)
    view.lease = {
      visit: visitId(row.key, row.fence),
      fence: row.fence,
      worker: row.worker,
      until: row.lease_until,
      parts: row.part,
    }
  return view
}

export interface SeenUrl {
  url: string
  depth: number
  path: string
  enqueued_at: Instant
  due_at: Instant
  tries: number
  mark: number
}

export function urlView(row: SeenUrl, site: SiteName, key: UrlKey, seed: boolean): UrlView {
  return {
    url: row.url,
    key,
    site,
    depth: row.depth,
    path: row.path,
    enqueuedAt: row.enqueued_at,
    dueAt: row.due_at === 0 ? row.enqueued_at : row.due_at,
    tries: row.tries,
    mark: MARKS[row.mark],
    seed,
  }
}

export type SeenTotals = Record<
  'waiting' | 'free' | 'leased' | 'back' | 'crawled' | 'barred' | 'held' | `urls_${'known' | 'waiting' | 'held'}`,
  number
> & { pages_granted: number }

export function totalsView(row: SeenTotals): Totals {
  const { waiting, free, leased, back, crawled, barred, held } = row
  return {
    sites: { waiting, free, leased, returning: back, crawled, barred, held },
    urls: {
      known: row.urls_known,
      marked: row.urls_known - row.urls_waiting,
      waiting: row.urls_waiting - row.urls_held,
    },
    granted: row.pages_granted,
  }
}

export interface SeenDue {
  name: SiteName
  not_before: Instant
  polite_at: Instant
  waiting: number
}

export function dueView(rows: readonly SeenDue[]): Awaited<ReturnType<FrontierViews['nextDue']>> {
  return rows.map(({ name, not_before, polite_at, waiting }) => ({
    name,
    notBefore: not_before,
    politeAt: polite_at,
    waiting,
  }))
}

export interface SeenMemory {
  memory: string
  robots: string | null
  traps: string | null
}

/** A field that a newer version knows and the stored text does not reads as it does for a new site. */
export function memoryOf(stored: SeenMemory | undefined): SiteMemory {
  const memory = freshMemory()
  if (stored === undefined) return memory
  Object.assign(memory, JSON.parse(stored.memory))
  if (stored.robots !== null) memory.robots = JSON.parse(stored.robots)
  if (stored.traps !== null) memory.traps = JSON.parse(stored.traps)
  return memory
}
