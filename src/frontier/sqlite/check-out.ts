import { assert } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import type { Visit, WorkerId } from '../../contracts/visit.ts'
import { keyed } from '../../database/schema/columns.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions } from '../contract.ts'
import {
  Allowance,
  ASK_AGAIN,
  MAX_AT_ONCE,
  MAX_ROUNDS,
  MIN_ROUND,
  type RecheckExclusion,
  recheckExclusionOf,
  visitOf,
  whenToAskAgain,
} from '../rules/check-out.ts'
import { postpone } from '../rules/refresh-agenda.ts'
import type { SiteRow } from '../rules/site.ts'
import { readOwnTotals } from '../rules/totals.ts'
import { grantLease } from '../rules/visit.ts'
import { freeAddresses, holderOf } from './addresses.ts'
import { readRefreshHead } from './known-rows.ts'
import { BUCKET, readQueueHead, readSite, writeSite } from './site-rows.ts'
import { readCarried } from './visit-payload.ts'
import type { Work } from './work.ts'

/** Rows that one check-out promotes, for each site that it wants. */
const PROMOTED_EACH = 4
/** `left`: pages of the budget; undefined without one. */
export function checkOut(
  work: Work,
  options: FrontierOptions,
  worker: WorkerId,
  wanted: number,
  left: number | undefined,
  mayEnd: boolean,
): { visits: Visit[]; next: Millis | 'over' } {
  const { tx, tools, now } = work
  const { slice } = options
  tools.aliases.refresh(tx)
  const atMost = Math.min(wanted, MAX_AT_ONCE)
  freeAddresses(tx, now, PROMOTED_EACH * Math.max(atMost, MIN_ROUND))
  promote(tx, now, PROMOTED_EACH * atMost)
  const mayGrant = left === undefined ? Number.POSITIVE_INFINITY : Math.floor(left) - readOwnTotals(tx).granted
  const allowance = new Allowance(slice.pages, atMost, mayGrant)
  const party = recheckExclusionOf(options.affinity?.workers, worker, tools.clock.now())
  let exhausted = false
  const visits: Visit[] = []
  for (let round = 0; round < MAX_ROUNDS && !allowance.isSpent && !exhausted; round++) {
    const max = Math.max(atMost - visits.length, MIN_ROUND)
    const candidates = readFree(tx, worker, party, max)
    exhausted = candidates.length < max
    const sharers = Math.min(candidates.length, atMost)
    for (const { key, address, losses } of candidates) {
      if (allowance.isSpent) break
      const holder = address === null ? undefined : holderOf(tx, address, now)
      if (holder !== undefined && holder !== worker) {
        tx.run(RESERVE, holder, key)
        continue
      }
      const visit = lease(work, key, worker, { pages: allowance.pagesFor({ losses }, sharers), time: slice.time })
      if (visit === undefined) continue
      visits.push(visit)
      const { limits, agenda, known } = visit
      allowance.spend(limits.pages, agenda.length, known === 'too many' ? 0 : known.length)
    }
  }
  const totals = readOwnTotals(tx)
  const due = totals.sites.free > 0 ? undefined : tx.get<{ not_before: Instant }>(READ_NEXT_DUE, BUCKET)
  const wait = due === undefined ? ASK_AGAIN : Math.max(0, due.not_before - now)
  const next = whenToAskAgain(totals, wait, allowance.isSpent || !exhausted, allowance.hasPages)
  return { visits, next: next === 'over' && !mayEnd ? ASK_AGAIN : next }
}

export const READ_NEXT_DUE = `
  SELECT not_before FROM site WHERE state = 'waiting' AND bucket = ? ORDER BY not_before LIMIT 1`

/** Undefined: nothing in it is worth a visit any more, so it waits. */
function lease(work: Work, key: bigint, worker: WorkerId, limits: Visit['limits']): Visit | undefined {
  const { tx, tools } = work
  const site = readSite(tx, key)
  assert(site !== undefined, 'a free site that is not there')
  const { refresh } = tools
  const { looks, ...carried } = readCarried(work, site, limits.pages)
  if (refresh !== undefined && carried.agenda.length === 0) {
    postpone(work, site, readRefreshHead(work, refresh, site, readQueueHead(tx, key)))
    writeSite(tx, site)
    return undefined
  }
  const pages = looks === 0 ? limits.pages : carried.agenda.length
  grantLease(work, site, worker, pages)
  writeSite(tx, site)
  return visitOf(work, site, { ...limits, pages }, carried)
}

/** A free site whose address another worker holds is reserved for it: others meet it once, not at every check-out. */
export const RESERVE = `UPDATE site SET holder = ? WHERE key = ?`

export const READ_FREE = `
  SELECT key, address, losses, deferral, rank FROM site
  WHERE state = 'free' AND bucket = ? AND holder = ? AND NOT EXISTS (
    SELECT 1 FROM recheck r
    WHERE r.site = site.key AND r.comparison IS NULL AND r.first_worker = ? AND r.first_at BETWEEN ? AND ? AND NOT EXISTS (
      SELECT 1 FROM recheck o
      WHERE o.site = site.key AND o.comparison IS NULL AND o.first_worker <> r.first_worker AND o.first_at BETWEEN ? AND r.first_at))
  ORDER BY losses, deferral, rank LIMIT ?`

type FreeSite = Pick<SiteRow, 'key' | 'address' | 'losses' | 'deferral' | 'rank'>

/**
 * Never lost sites first (V9), then the least deferred, then by rank: of the sites reserved for this worker and those for any
 * worker.
 */
function readFree(tx: SqliteTx, worker: WorkerId, { name, from, to }: RecheckExclusion, atMost: number): FreeSite[] {
  const read = (holder: WorkerId) =>
    tx.allExact<FreeSite>(READ_FREE, BUCKET, holder, name, from, to, from, atMost).map(keyed)
  const unreserved = read('')
  const own = read(worker)
  if (own.length === 0) return unreserved
  const both = [...unreserved, ...own]
  both.sort((a, b) => a.losses - b.losses || a.deferral - b.deferral || a.rank - b.rank)
  return both.slice(0, atMost)
}

/** The transition `due` of `../rules/site.ts`, for many sites at once; their ranks were written when they began to wait. */
export const READ_DUE_SITES = `
  SELECT key FROM site WHERE state = 'waiting' AND bucket = ? AND not_before <= ? ORDER BY not_before LIMIT ?`
const PROMOTE = `UPDATE site SET state = 'free' WHERE key = ?`

/** The maximum at a time: after a long stop a million sites may be due at once. */
function promote(tx: SqliteTx, now: Instant, atMost: number): void {
  const due = tx.allColumns<[key: bigint]>(READ_DUE_SITES, BUCKET, now, atMost)
  for (const [key] of due) tx.run(PROMOTE, key)
}
