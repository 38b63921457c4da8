/**
 * A site's states. It *waits* for its pause or for its first due URL, then it is *free*. Checked out it is *leased*. When the
 * last part of its visit is durable it is *returning* until that part is applied. It is *crawled* when every URL is marked,
 * and waits again when it gets another. It is *barred* when it is given up, until the operator names it again, or when the
 * operator bars it: then it keeps its URLs. A site that the operator pauses waits without end (`stopped`). An unendorsed site in a domain with a DNS wildcard is *held* before its first visit: it keeps its URLs, is not handed out,
 * and waits again when it is endorsed or the domain's limit rises.
 */
import { assert, never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { type SiteName, siteKeyOf, type WorkerId } from '../../contracts/visit.ts'
import type { SITE_STATES } from '../../database/schema/frontier.ts'
import type { Order } from '../order.ts'

export type SiteState = (typeof SITE_STATES)[number]

export type SiteEvent =
  /** It got a URL to fetch: found, seeded or scheduled. */
  | { kind: 'urls' }
  /** Its time has come. */
  | { kind: 'due' }
  | { kind: 'checked-out' }
  /** Nothing in it is worth a visit now. */
  | { kind: 'postponed' }
  /** A part is in the inbox that must be applied before the site is handed out again. */
  | { kind: 'part-stored' }
  /** The last part was applied; `left` URLs are not marked. */
  | { kind: 'ended'; left: number }
  | { kind: 'given-up' }
  /** It is an alias: URLs that waited here wait at the original, except `left` of them. */
  | { kind: 'moved'; left: number }
  /** Never visited, and one of too many. */
  | { kind: 'held' }
  | { kind: 'released'; left: number }
  /** The operator named it again after it was given up. */
  | { kind: 'tried-again' }
  /** The operator does not want it visited; and wants it again. */
  | { kind: 'barred' }
  | { kind: 'resumed'; left: number }
  /** The lease expired, or its worker ended, without a last part. */
  | { kind: 'lost'; left: number }

/** The only function that knows which state follows which. */
export function stateAfter(state: SiteState, event: SiteEvent): SiteState {
  switch (event.kind) {
    case 'urls':
      return state === 'crawled' ? 'waiting' : state
    case 'due':
      return only(state, event, ['waiting'], 'free')
    case 'checked-out':
      return only(state, event, ['free'], 'leased')
    case 'postponed':
      return only(state, event, ['waiting', 'free'], 'waiting')
    case 'part-stored':
      // Also for a lost visit whose worker came back before the site was handed out again.
      return only(state, event, MAY_HAVE_LATE_PARTS, 'returning')
    case 'ended':
    case 'lost':
      return only(state, event, MAY_HAVE_LATE_PARTS, event.left === 0 ? 'crawled' : 'waiting')
    case 'moved':
      if (state === 'held' || state === 'barred') return state
      return only(state, event, ['waiting', 'free'], event.left === 0 ? 'crawled' : 'waiting')
    case 'held':
      return only(state, event, ['waiting', 'free', 'crawled'], 'held')
    case 'released':
      return only(state, event, ['held'], event.left === 0 ? 'crawled' : 'waiting')
    case 'given-up':
      return 'barred'
    case 'tried-again':
      return only(state, event, ['barred'], 'crawled')
    case 'barred':
      return only(state, event, ['waiting', 'free', 'crawled', 'barred'], 'barred')
    case 'resumed':
      return only(state, event, ['waiting', 'crawled', 'barred'], event.left === 0 ? 'crawled' : 'waiting')
    default:
      return never(event, 'event of a site')
  }
}

const MAY_HAVE_LATE_PARTS: readonly SiteState[] = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred']

function only(state: SiteState, event: SiteEvent, from: readonly SiteState[], to: SiteState): SiteState {
  assert(from.includes(state), `a site that is ${state} cannot be ${event.kind}`)
  return to
}

/** `part` when the visit has ended: every later part counts as applied. */
export const ALL_PARTS = 2 ** 31

/** A site's row. Operations read it, change it in memory by these rules, and write it once. */
export interface SiteRow {
  /** Signed, as the database holds it. */
  readonly key: bigint
  readonly name: SiteName
  state: SiteState
  /** Why it is barred. */
  reason: string | null
  /** When it began to wait, this time. */
  since: Instant
  /** 1: the operator named it. */
  seed: number
  /** Its number in the order of sites: the smallest comes first. */
  rank: number
  /** Visits lost in a row. */
  losses: number
  /** A larger one comes later, whatever the order. */
  deferral: number
  /** Waiting: when it becomes free. */
  not_before: Instant
  /** No request before this. */
  polite_at: Instant
  /** What the site asked for, when it is longer than the configured pause. */
  pause: Millis
  /** Where it was last found. */
  address: string | null
  /** Free: the worker that holds its address, and for which it is reserved; '' for any. */
  holder: WorkerId
  /** Leases so far: the number of the current or last one. */
  fence: number
  worker: WorkerId | null
  /** Leased: when the lease ends. Returning: until when its parts are awaited. */
  lease_until: Instant | null
  /** Leased: the address that the visit holds. */
  entered: string | null
  /** Leased: pages that the visit may still ask for. */
  granted: number
  /** The last part of the visit that was applied. */
  part: number
  /** The last `seq` of a URL: its place in the queue. */
  seq: number
  /** Its URLs, and of them those that wait. */
  known: number
  waiting: number
  /** Known pages that are looked at again. */
  refreshing: number
  /** By the operator, from the end of the visit that is out now: `frontier/rules/steer.ts`. */
  stopped: 'paused' | 'barred' | null
}

/** It does not answer, so what it has is gone. What the operator barred keeps its URLs: they wait there. */
export function isGivenUp({ state, stopped }: Pick<SiteRow, 'state' | 'stopped'>): boolean {
  return state === 'barred' && stopped === null
}

/** A visit's hold on its site. */
export type Lease = Pick<SiteRow, 'key' | 'fence'>

/** The hosts of a university, the sites of a small server: this many are not a flood. */
export const NOT_DEFERRED = 100

/** Of the `nth` site of a domain or an address: 0 for the first hundred, then one more each time their number doubles. */
export function deferralOf(nth: number): number {
  return nth <= NOT_DEFERRED ? 0 : 1 + Math.floor(Math.log2(nth / NOT_DEFERRED))
}

/** A site without a URL counts as crawled until it gets its first one. */
export function newSite(key: bigint, name: SiteName, now: Instant): SiteRow {
  return {
    key,
    name,
    state: 'crawled',
    reason: null,
    since: now,
    seed: 0,
    rank: 0,
    losses: 0,
    deferral: 0,
    not_before: 0,
    polite_at: 0,
    pause: 0,
    address: null,
    holder: '',
    fence: 0,
    worker: null,
    lease_until: null,
    entered: null,
    granted: 0,
    part: ALL_PARTS,
    seq: 0,
    known: 0,
    waiting: 0,
    refreshing: 0,
    stopped: null,
  }
}

/** The operator named the site: it is never deferred. */
export function nameSeed(site: SiteRow): void {
  site.seed = 1
  site.deferral = 0
}

/** What these rules use of a transaction's `Rows`. */
interface SiteWork {
  readonly now: Instant
  beginToWait(site: SiteRow): void
  readonly tools: { refresh?: unknown; isRefreshedByOthers: boolean }
}

/** A site got something to fetch. A crawled one waits again; one that waits for a URL to become due may be due earlier. */
export function wake(work: SiteWork, site: SiteRow): void {
  const before = site.state
  site.state = stateAfter(before, { kind: 'urls' })
  if (site.state !== 'waiting') return
  if (before === 'crawled') site.since = work.now
  // It waits for politeness only, or is due, marked free or not: nothing makes it due earlier, and its rank stays.
  else if (site.not_before <= Math.max(site.polite_at, work.now)) return
  work.beginToWait(site)
}

/** Whether anything may be fetched there, now or later. */
export function leftIn({ tools }: SiteWork, { waiting, refreshing, state }: SiteRow): number {
  // The servers let a site rest when its looks are over for this pass.
  const isRefreshed = tools.refresh !== undefined || (tools.isRefreshedByOthers && state !== 'crawled')
  return isRefreshed ? waiting + refreshing : waiting
}

/** Without new URLs, beside servers that refresh: which known page is worth a look, and when, is theirs to find out. At once. */
export function headForOthers({ now, tools }: SiteWork, { refreshing }: SiteRow): QueueHead | undefined {
  return tools.isRefreshedByOthers && refreshing > 0 ? { oldest: now, due: 0 } : undefined
}

/** After an event that leaves the site waiting or crawled. */
export function restAfter(
  work: SiteWork,
  site: SiteRow,
  kind: 'ended' | 'lost' | 'moved' | 'released' | 'resumed',
): void {
  site.state = stateAfter(site.state, { kind, left: leftIn(work, site) })
  if (site.stopped === 'barred' && site.state !== 'held') site.state = stateAfter(site.state, { kind: 'barred' })
  if (site.state === 'waiting') work.beginToWait(site)
}

export interface QueueHead {
  /** Since when the oldest unmarked URL waits, or from when it will. */
  oldest: Instant
  /** When the first of them may be fetched; 0 is at once. */
  due: Instant
}

/** `fresh`: when the first never visited URL was enqueued. `due`: when the first of the others is due. */
export function queueHead(fresh: Instant | null | undefined, due: Instant | null | undefined): QueueHead | undefined {
  if (fresh != null) return { oldest: Math.min(fresh, due ?? fresh), due: 0 }
  return due == null ? undefined : { oldest: due, due }
}

/** The end of the year 9999. */
export const WITHOUT_END: Instant = 253_402_300_799_000

/** Until when a waiting site waits, and its rank. Every site passes here before it is free: none that the operator stopped gets by. */
export function rankWaiting(order: Order, site: SiteRow, head: QueueHead | undefined): void {
  assert(head !== undefined, `${site.name} waits with nothing to fetch`)
  site.not_before = site.stopped === null ? Math.max(site.polite_at, head.due) : WITHOUT_END
  if (site.stopped === 'barred') site.state = stateAfter(site.state, { kind: 'barred' })
  site.rank = order.rank({
    oldest: head.oldest,
    since: site.since,
    last: site.fence === 0 ? undefined : site.rank,
    known: site.known,
    waiting: site.waiting,
  })
}

export interface Group<Member> {
  key: SiteRow['key']
  name: SiteName
  members: Member[]
}

/** Members by site, in the order of the sites' keys; within a site in the order given. */
export function sitesOf<Member extends { site: SiteName }>(all: readonly Member[]): Group<Member>[] {
  const groups = new Map<SiteName, Group<Member>>()
  for (const member of all) {
    const group = groups.get(member.site)
    if (group !== undefined) group.members.push(member)
    else groups.set(member.site, { key: siteKeyOf(member.site), name: member.site, members: [member] })
  }
  return [...groups.values()].sort((a, b) => compareBigints(a.key, b.key))
}

/** Takes what is in the set, and empties it. */
export function taken<Row>(set: Set<Row>): Row[] {
  const all = [...set]
  set.clear()
  return all
}

export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
