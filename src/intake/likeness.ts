/** Whether two answers to the same question are the same, near enough, or not. */
import { unsigned64 } from '../base/digest.ts'
import type { PageMemory } from '../contracts/visit.ts'

export type Likeness = 'equal' | 'similar' | 'different'

/** Of 64: a page with a clock, a counter or an advertisement differs in few of them, another page in half. */
const MOST_BITS = 8

export function likeness(one: PageMemory, other: PageMemory): Likeness {
  if (one.digest === other.digest) return 'equal'
  if (unsigned64(one.textDigest) === unsigned64(other.textDigest)) return 'similar'
  return bitsApart(one.simhash, other.simhash) <= MOST_BITS ? 'similar' : 'different'
}

function bitsApart(one: bigint, other: bigint): number {
  let bits = 0
  for (let left = unsigned64(one ^ other); left > 0n; left &= left - 1n) bits++
  return bits
}
