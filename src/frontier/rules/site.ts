/**
 * A site's life. It *waits* for courtesy or for its first due URL; then it is *free*; checked out it is *leased*; when the
 * last part of its visit is durable it is *returning*, until that is applied; *crawled* when every URL is marked, and
 * waiting again when it gets another; *barred* when it is given up, until the operator names it again. A site that nobody
 * vouches for, in a domain where anybody can make up sites, is *held* before its first visit: it keeps its URLs, is not
 * handed out, and waits again when somebody vouches for it or the domain has room for more.
 */
import { assert, never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { SiteName, WorkerId } from '../../contracts/visit.ts'
import { siteKey } from '../../web/url/web-url.ts'

export type SiteState = 'waiting' | 'free' | 'leased' | 'returning' | 'crawled' | 'barred' | 'held'

export const SITE_STATES: readonly SiteState[] = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held']

export type SiteEvent =
  /** It has something to be asked: found, seeded, wished for. */
  | { kind: 'urls' }
  /** Its time has come. */
  | { kind: 'due' }
  | { kind: 'checked-out' }
  /** A part lies in the inbox after which nothing may be handed out before it is applied. */
  | { kind: 'part-stored' }
  /** The last part was applied; `left` URLs are not marked. */
  | { kind: 'ended'; left: number }
  | { kind: 'given-up' }
  /** It is another name of an original: URLs that waited here wait there; `left` do not. */
  | { kind: 'moved'; left: number }
  /** Never visited, and too many like it were made up. */
  | { kind: 'held' }
  | { kind: 'released'; left: number }
  /** The operator named it again after the crawl had ended. */
  | { kind: 'tried-again' }
  /** The lease ended, or its worker did, without a last part. */
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
    case 'part-stored':
      // Also of a visit that was lost and whose worker came back before anybody else had the site.
      return only(state, event, EVER_LEASED, 'returning')
    case 'ended':
    case 'lost':
      return only(state, event, EVER_LEASED, event.left === 0 ? 'crawled' : 'waiting')
    case 'moved':
      if (state === 'held') return 'held'
      return only(state, event, ['waiting', 'free'], event.left === 0 ? 'crawled' : 'waiting')
    case 'held':
      return only(state, event, ['waiting', 'free', 'crawled'], 'held')
    case 'released':
      return only(state, event, ['held'], event.left === 0 ? 'crawled' : 'waiting')
    case 'given-up':
      return 'barred'
    case 'tried-again':
      return only(state, event, ['barred'], 'crawled')
    default:
      return never(event, 'event of a site')
  }
}

const EVER_LEASED: readonly SiteState[] = ['waiting', 'free', 'leased', 'returning', 'crawled']

function only(state: SiteState, event: SiteEvent, from: readonly SiteState[], to: SiteState): SiteState {
  assert(from.includes(state), `a site that is ${state} cannot be ${event.kind}`)
  return to
}

/** A site as its row has it. Operations read one, change it in memory by the rules of `site.ts`, and write it once. */

/** `part` when the visit has ended: whatever comes for it is there already. */
export const ALL_PARTS = 2 ** 31

export interface SiteRow {
  /** Signed, as the database holds it. */
  readonly key: bigint
  readonly name: SiteName
  state: SiteState
  reason: string | null
  since: Instant
  seed: number
  rank: number
  losses: number
  /** A bigger one comes later, whatever the order. */
  deferral: number
  not_before: Instant
  polite_at: Instant
  pause: Millis
  address: string | null
  holder: WorkerId
  fence: number
  worker: WorkerId | null
  lease_until: Instant | null
  entered: string | null
  granted: number
  part: number
  seq: number
  known: number
  waiting: number
}

/** Nothing to ask: it is as good as crawled until it gets its first URL. */
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
  }
}

/** A part of its visit was told, or an address entered for it: somebody has seen the visit. */
export const isBegun = ({ part, entered }: Pick<SiteRow, 'part' | 'entered'>): boolean => part > 0 || entered !== null

interface Group<Member> {
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
    else groups.set(member.site, { key: signed64(siteKey(member.site)), name: member.site, members: [member] })
  }
  return [...groups.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}
