/** A site as its row has it. Operations read one, change it in memory by the rules of `site.ts`, and write it once. */
import type { Instant, Millis } from '../base/clock.ts'
import type { SiteName, WorkerId } from '../contracts/visit.ts'
import type { SiteState } from './site.ts'

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
