/** Rows as views, whichever database they came from. */
import type { Instant } from '../../base/clock.ts'
import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { FrontierQueries, SiteView, Totals, UrlView } from '../contract.ts'
import { MARKS } from './mark.ts'
import type { SiteRow } from './site.ts'
import { visitId } from './visit.ts'

export type SeenSite = Omit<SiteRow, 'holder' | 'entered' | 'granted' | 'seq'>

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

export function dueView(rows: readonly SeenDue[]): Awaited<ReturnType<FrontierQueries['nextDue']>> {
  return rows.map(({ name, not_before, polite_at, waiting }) => ({
    name,
    notBefore: not_before,
    politeAt: polite_at,
    waiting,
  }))
}

export interface StoredMemory {
  memory: string
  robots: string | null
  traps: string | null
}

/** A field that the stored text lacks reads as it does for a new site. */
export function memoryOf(stored: StoredMemory | undefined): SiteMemory {
  const memory = freshMemory()
  if (stored === undefined) return memory
  Object.assign(memory, JSON.parse(stored.memory))
  if (stored.robots !== null) memory.robots = JSON.parse(stored.robots)
  if (stored.traps !== null) memory.traps = JSON.parse(stored.traps)
  return memory
}
