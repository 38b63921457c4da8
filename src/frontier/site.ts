/**
 * A site's life. It *waits* for courtesy or for its first due URL; then it is *free*; checked out it is *leased*; when the
 * last part of its visit is durable it is *returning*, until that is applied; *crawled* when every URL is marked, and
 * waiting again when it gets another; *barred* when it is given up, until the operator names it again.
 */
import { assert, never } from '../base/assert.ts'

export type SiteState = 'waiting' | 'free' | 'leased' | 'returning' | 'crawled' | 'barred'

export const SITE_STATES: readonly SiteState[] = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred']

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
      return only(state, event, ['leased', 'returning', 'waiting', 'free', 'crawled'], 'returning')
    case 'ended':
    case 'lost':
      return only(state, event, UNBARRED, event.left === 0 ? 'crawled' : 'waiting')
    case 'moved':
      return only(state, event, ['waiting', 'free'], event.left === 0 ? 'crawled' : 'waiting')
    case 'given-up':
      return 'barred'
    case 'tried-again':
      return only(state, event, ['barred'], 'crawled')
    default:
      return never(event, 'event of a site')
  }
}

const UNBARRED: readonly SiteState[] = SITE_STATES.filter((state) => state !== 'barred')

function only(state: SiteState, event: SiteEvent, from: readonly SiteState[], to: SiteState): SiteState {
  assert(from.includes(state), `a site that is ${state} cannot be ${event.kind}`)
  return to
}
