import type { Millis } from '../../base/clock.ts'
import type { Visit, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { cautiousPages } from '../caution.ts'
import {
  ASK_AGAIN,
  KEYS_AN_ITEM,
  LEAST_ROUND,
  MOST_AT_ONCE,
  MOST_KEYS_AT_ONCE,
  MOST_ROUNDS,
  shareOf,
} from '../check-out-bounds.ts'
import type { FrontierOptions } from '../house.ts'
import { partyOf } from '../second-opinion.ts'
import { freeAddresses } from './free-addresses.ts'
import { holderOf } from './hold-address.ts'
import { lease } from './lease.ts'
import { promote } from './promote.ts'
import { readFree } from './read-free.ts'
import { readNextDue } from './read-next-due.ts'
import { readTotals } from './read-totals.ts'
import type { Rules } from './rules.ts'
import { setAside } from './set-aside.ts'

/** Rows of housekeeping that one check-out does, for each site that it asks for. */
const PROMOTED_EACH = 4
/** Pages left, or undefined when nothing bounds them. */
type Left = number | undefined

export function checkOut(
  tx: SqliteTx,
  rules: Rules,
  options: FrontierOptions,
  worker: WorkerId,
  wanted: number,
  left: Left,
): { visits: Visit[]; next: Millis | 'over' } {
  const now = rules.time.now()
  rules.aliases.refresh(tx)
  const atMost = Math.min(wanted, MOST_AT_ONCE)
  freeAddresses(tx, now, PROMOTED_EACH * Math.max(atMost, LEAST_ROUND))
  promote(tx, now, PROMOTED_EACH * atMost)
  let mayGrant = left === undefined ? Number.POSITIVE_INFINITY : Math.floor(left) - readTotals(tx).granted
  const party = partyOf(options.affinity?.fleet, worker, rules.clock.now())
  let mayRead = MOST_KEYS_AT_ONCE
  let exhausted = false
  const visits: Visit[] = []
  const enough = () => visits.length >= atMost || mayGrant <= 0 || mayRead <= 0
  for (let round = 0; round < MOST_ROUNDS && !enough() && !exhausted; round++) {
    const most = Math.max(atMost - visits.length, LEAST_ROUND)
    const candidates = readFree(tx, worker, party, most)
    exhausted = candidates.length < most
    const sharers = Math.min(candidates.length, atMost)
    for (const { key, address, losses } of candidates) {
      if (enough()) break
      const holder = address === null ? undefined : holderOf(tx, address, now)
      if (holder !== undefined && holder !== worker) {
        setAside(tx, key, holder)
        continue
      }
      const pages = cautiousPages(Number(losses), shareOf(options.slice.pages, mayGrant, sharers))
      const visit = lease(tx, rules, options.slice, key, worker, pages, now)
      visits.push(visit)
      mayGrant -= pages
      mayRead -= KEYS_AN_ITEM * visit.agenda.length + (visit.known === 'too many' ? 0 : visit.known.length)
    }
  }
  return { visits, next: whenToAskAgain(tx, now, enough() || !exhausted, mayGrant > 0) }
}

/** `more`: it was not for want of free sites that no more were given. `granting`: the budget allows more. */
function whenToAskAgain(tx: SqliteTx, now: number, more: boolean, granting: boolean): Millis | 'over' {
  const { sites } = readTotals(tx)
  const out = sites.leased + sites.returning
  if (out === 0 && (!granting || sites.free + sites.waiting === 0)) return 'over'
  if (!granting) return ASK_AGAIN
  if (sites.free > 0) return more ? 0 : ASK_AGAIN
  const [first] = readNextDue(tx, 1)
  const wait = first === undefined ? ASK_AGAIN : Math.max(0, first.not_before - now)
  return out > 0 ? Math.min(wait, ASK_AGAIN) : wait
}
