/** What one check-out may do and what a visit carries, whatever the database. */
import type { Instant, Millis } from '../../base/clock.ts'
import { unsigned64 } from '../../base/digest.ts'
import type { AgendaItem, Visit, WorkerId } from '../../contracts/visit.ts'
import type { KnownWorkers, Totals } from '../contract.ts'
import type { AgendaRow } from './mark.ts'
import type { SiteRow } from './site.ts'
import { cautiousPages, visitId } from './visit.ts'

/** A check-out holds the coordinator for some milliseconds. A worker that wants more asks again at once. */
export const MAX_AT_ONCE = 64
const MAX_KEYS_AT_ONCE = 50_000
/** An agenda's URL with its referrer takes as long to read as this many keys (3.2 µs): 64 full agendas took 100 ms. */
const KEYS_PER_ITEM = 16
/** Sites are read in rounds. A worker that met only sites of others' addresses in all rounds asks again at once. */
export const MAX_ROUNDS = 4
export const MIN_ROUND = 32
/** Visits that are out may bring work at any time: ask again after this, at the latest. */
export const ASK_AGAIN: Millis = 1000
/** Known URLs that a visit carries: more would be over 800 kB. */
export const MAX_KNOWN = 100_000

const MIN_SHARE = 10

/** Under a page budget a visit gets half of an equal share, so that one site does not keep what others could use now. */
function shareOf(slicePages: number, mayGrant: number, sharers: number): number {
  return Math.min(slicePages, mayGrant, Math.max(MIN_SHARE, Math.floor(mayGrant / (2 * sharers))))
}

/** What one check-out may still grant: sites, pages of the budget, and keys, which take time to read. */
export class Allowance {
  readonly #slicePages: number
  #sites: number
  #pages: number
  #keys = MAX_KEYS_AT_ONCE

  /** `pages`: of the budget; infinite without one. */
  constructor(slicePages: number, sites: number, pages: number) {
    this.#slicePages = slicePages
    this.#sites = sites
    this.#pages = pages
  }

  get isSpent(): boolean {
    return this.#sites <= 0 || this.#pages <= 0 || this.#keys <= 0
  }

  /** The budget allows more. */
  get hasPages(): boolean {
    return this.#pages > 0
  }

  /** The pages of a visit to a site when `sharers` visits share what is left. */
  pagesFor({ losses }: Pick<SiteRow, 'losses'>, sharers: number): number {
    return cautiousPages(losses, shareOf(this.#slicePages, this.#pages, sharers))
  }

  /** A visit was granted. */
  spend(pages: number, agendaItems: number, keys: number): void {
    this.#sites--
    this.#pages -= pages
    this.#keys -= KEYS_PER_ITEM * agendaItems + keys
  }

  copy(): Allowance {
    const copy = new Allowance(this.#slicePages, this.#sites, this.#pages)
    copy.#keys = this.#keys
    return copy
  }
}

/** A recheck comes this long after the first capture: quick changes can show, and a crawl near its end does not wait long. */
export const ASKED_AGAIN_AFTER: Millis = 60_000
const LONGEST_RECHECK: Millis = 600_000
/** No worker has this name. */
const NO_WORKER = ''

/**
 * Intake's table `recheck` lists captures that another worker is to fetch again. While one is open, the worker that brought
 * the first capture does not get its site, as long as there are other workers, for ten minutes at most. Where several workers
 * brought such captures, only the first of them is excluded: otherwise they would wait for each other.
 *
 * Sites with an open recheck of what this process brought between these times are for others.
 */
export interface RecheckExclusion {
  name: string
  from: Instant
  to: Instant
}

/** `now`: by the clock that captures are dated with. */
export function recheckExclusionOf(
  workers: KnownWorkers | undefined,
  worker: WorkerId,
  now: Instant,
): RecheckExclusion {
  const own = workers?.postOf(worker)?.process
  const hasOthers = workers?.present().some(({ process }) => process !== own) === true
  const to = now - ASKED_AGAIN_AFTER
  return { name: own !== undefined && hasOthers ? own : NO_WORKER, from: to - LONGEST_RECHECK, to }
}

/**
 * `wait`: until the next site is due. `more`: there may be more free sites; otherwise those that are free are for others.
 * `granting`: the budget allows more.
 */
export function whenToAskAgain({ sites }: Totals, wait: Millis, more: boolean, granting: boolean): Millis | 'over' {
  const out = sites.leased + sites.returning
  if (out === 0 && (!granting || sites.free + sites.waiting === 0)) return 'over'
  if (!granting) return ASK_AGAIN
  if (sites.free > 0) return more ? 0 : Math.min(wait, ASK_AGAIN)
  // This process learns within a second what other servers did.
  return out > 0 || !Number.isFinite(wait) ? Math.min(wait, ASK_AGAIN) : wait
}

/** What a visit carries beside its site's row. */
export interface Carried {
  agenda: AgendaItem[]
  known: BigUint64Array | 'too many'
  memory: Visit['memory']
}

export function visitOf(
  { now, tools }: { now: Instant; tools: { leaseMs: Millis; pauseOf(site: SiteRow): Millis } },
  site: SiteRow,
  limits: Visit['limits'],
  carried: Carried,
): Visit {
  return {
    id: visitId(site.key, site.fence),
    fence: site.fence,
    site: site.name,
    ...(site.address === null ? {} : { address: site.address }),
    ...carried,
    wait: Math.max(0, site.polite_at - now),
    pause: tools.pauseOf(site),
    limits,
    lease: tools.leaseMs,
  }
}

export function agendaItem(row: AgendaRow, via: string | undefined): AgendaItem {
  const item: AgendaItem = {
    url: row.url,
    key: unsigned64(row.key),
    depth: Number(row.depth),
    dueAt: Number(row.due_at) || Number(row.enqueued_at),
    tries: Number(row.tries),
    path: row.path,
  }
  if (row.lastmod !== null) item.hint = Number(row.lastmod)
  if (via !== undefined) item.via = via
  return item
}

/** Keys of 8 bytes, as hex or bytes, the highest byte first. Typed arrays have the lowest byte first. */
export function keysFrom(bytes: number, from: string | Uint8Array): BigUint64Array {
  const keys = new BigUint64Array(bytes / 8)
  const buffer = Buffer.from(keys.buffer)
  if (typeof from === 'string') buffer.write(from, 'hex')
  else buffer.set(from)
  buffer.swap64()
  return keys
}
