/** What a visit does when refreshing: new URLs and looks at known pages, in short slices, because values age meanwhile. */
import type { Instant, Millis } from '../../base/clock.ts'
import { chooseLooks, type Valued, worthFrom } from '../../refresh/choose-looks.ts'
import { priceOf, type RefreshTools } from '../tools.ts'
import { stepOf } from './known-pages.ts'
import type { LooksRow } from './known-rows.ts'
import type { Rows } from './rows.ts'
import { type QueueHead, rankWaiting, type SiteRow, stateAfter } from './site.ts'

/** The time and the number of requests of a visit with looks, at most. */
const SLICE: Millis = 600_000
/** Above this a visit ends rather than wait: then it makes one request. */
const LONGEST_STEP: Millis = 60_000
export const MAX_LOOKS = 32
/** Pages that are read of each class: a site may have a million. */
export const PER_CLASS = 8
/** A site is valued again after this at the latest: the price may have fallen. */
const LONGEST_SLEEP: Millis = 6 * 3_600_000

/** A page at the front of its class. */
export interface HeadRow extends Valued {
  key: bigint
  class: number
}

/** Known pages of a site that may be looked at now: those due by time, the first first, and the first of each class. */
export interface KnownDue {
  byTime: readonly { key: bigint }[]
  heads: readonly HeadRow[]
}

type Tools = Pick<Rows, 'now' | 'tools'>

/** Known pages that one visit may look at. This many are read of each class. */
export function looksIn(work: Tools, site: SiteRow, pages: number): number {
  const step = stepOf(work, site)
  return step > LONGEST_STEP ? Math.min(pages, 1) : Math.min(pages, MAX_LOOKS, Math.floor(SLICE / step))
}

export interface Chosen {
  /** Keys of known pages. */
  known: bigint[]
  /** How many new URLs. */
  fresh: number
}

/** `fresh`: new URLs that are due, as far as they were read. `pages`: that the visit may request. */
export function chooseAgenda(
  work: Tools,
  refresh: RefreshTools,
  site: SiteRow,
  looks: LooksRow,
  pages: number,
  fresh: number,
  { byTime, heads }: KnownDue,
): Chosen {
  const { newShare, policy, rateOf } = refresh
  const count = looksIn(work, site, pages)
  const share = newShare === 'first' ? count : Math.ceil(newShare * count)
  const mayLook = count - Math.min(fresh, share)
  const due = byTime.slice(0, mayLook).map(({ key }) => key)
  const step = stepOf(work, site)
  const worthy = chooseLooks([...Map.groupBy(heads, (head) => head.class).values()], {
    from: Math.max(work.now, site.polite_at) + due.length * step,
    step,
    count: mayLook - due.length,
    perClass: PER_CLASS,
    price: priceOf(refresh),
    looks: rateOf === undefined ? looks.looks : undefined,
    inTurn: policy === 'round-robin',
  })
  const known = [...due, ...worthy.map(({ key }) => key)]
  return { known, fresh: known.length === 0 ? Math.min(fresh, pages) : Math.min(fresh, count - known.length) }
}

/** Values grow by the rough inverse of their formula: a site that is worth the price by it may not be quite yet. */
const SHORTEST_SLEEP: Millis = 1000

/** Nothing in a site that was due is worth a visit: the price has risen. */
export function postpone({ now, tools }: Tools, site: SiteRow, head: QueueHead | undefined): void {
  site.state = stateAfter(site.state, head === undefined ? { kind: 'moved', left: 0 } : { kind: 'postponed' })
  if (head === undefined) return
  rankWaiting(tools.order, site, head)
  site.not_before = Math.max(site.not_before, now + SHORTEST_SLEEP)
}

/** When a site is worth a visit: by its new URLs, its first page due by time, or the worth of the heads. */
export function refreshHead(
  { now }: Pick<Tools, 'now'>,
  refresh: RefreshTools,
  fresh: QueueHead | undefined,
  refreshAt: Instant | null | undefined,
  heads: readonly Valued[],
): QueueHead | undefined {
  const { policy, once } = refresh
  const times = fresh === undefined ? [] : [fresh.due]
  if (refreshAt != null && (once === undefined || refreshAt <= once)) times.push(refreshAt)
  if (once === undefined && heads.length > 0)
    times.push(policy === 'round-robin' ? 0 : Math.min(worthFrom(heads, priceOf(refresh)), now + LONGEST_SLEEP))
  if (times.length === 0) return undefined
  const due = Math.ceil(Math.min(...times))
  return { due, oldest: Math.min(fresh?.oldest ?? Math.max(due, now), Math.max(due, now)) }
}
