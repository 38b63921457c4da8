/**
 * Where a 64-bit hash goes in a table of 2^bits places. The hashes of URLs are no secret: whoever wants can write a hundred
 * thousand URLs whose low bits agree, and a table that takes those for the place would be searched from end to end for
 * each. Two multipliers that nobody outside the process knows spread them (multiply-shift hashing). Nothing but the time
 * that a look-up takes depends on them.
 */
import { freshSeed } from './random.ts'

const LOW = freshSeed() | 1
const HIGH = freshSeed() | 1

/** Of a key's two halves; `bits` from 1 to 31. */
export function placeOf(low: number, high: number, bits: number): number {
  return (Math.imul(low, LOW) + Math.imul(high, HIGH)) >>> (32 - bits)
}
