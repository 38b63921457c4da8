/** What one check-out may do, whatever the database. */
import type { Millis } from '../base/clock.ts'

/** A check-out holds the coordinator for some milliseconds: who wants more is told to ask again at once. */
export const MAX_AT_ONCE = 64
export const MAX_KEYS_AT_ONCE = 50_000
/** An agenda's URL with its referrer takes as long to read as so many keys (3.2 µs): 64 full agendas took 100 ms. */
export const KEYS_AN_ITEM = 16
/** Sites are looked at in rounds of so many; who met only sites of others' addresses in all of them asks again at once. */
export const MAX_ROUNDS = 4
export const MIN_ROUND = 32
/** While visits are out, they may bring work at any time: ask again after this, at the latest. */
export const ASK_AGAIN: Millis = 1000

const MIN_SHARE = 10

/** Under a page budget a visit gets half of an equal share, so that one site does not keep what others could use now. */
export function shareOf(slicePages: number, mayGrant: number, sharers: number): number {
  return Math.min(slicePages, mayGrant, Math.max(MIN_SHARE, Math.floor(mayGrant / (2 * sharers))))
}
