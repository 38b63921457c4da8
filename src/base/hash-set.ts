/**
 * A set of 64-bit hashes in one typed array: 8 to 16 bytes per member, where a `Set<bigint>` takes over 60. Members are
 * handled as two halves of 32 bits, because arithmetic on `bigint` allocates an object per operation.
 */
import { freshSeed } from './random.ts'

const FEWEST_SLOTS = 16
/** A larger set is not wiped but allocated anew. */
const MAX_WIPED = 1024

/** Secret multipliers, for `hashSlot`. */
const LOW = freshSeed() | 1
const HIGH = freshSeed() | 1

/** Splits a key into its halves. */
const whole = new BigUint64Array(1)
const half = new Int32Array(whole.buffer)

export class HashSet64 {
  /** Two for each slot; both 0: empty. */
  #halves: Int32Array
  #size = 0
  #hasZero = false

  constructor(members: Iterable<bigint> & { length?: number } = []) {
    let slots = FEWEST_SLOTS
    while (slots < 2 * (members.length ?? 0)) slots *= 2
    this.#halves = new Int32Array(2 * slots)
    for (const member of members) this.add(member)
  }

  get size(): number {
    return this.#size
  }

  has(key: bigint): boolean {
    whole[0] = key
    const low = half[0]
    const high = half[1]
    if (low === 0 && high === 0) return this.#hasZero
    const at = this.#find(low, high)
    return this.#halves[at] !== 0 || this.#halves[at + 1] !== 0
  }

  /** True if it was not there before. */
  add(key: bigint): boolean {
    whole[0] = key
    const low = half[0]
    const high = half[1]
    if (low === 0 && high === 0) {
      if (this.#hasZero) return false
      this.#hasZero = true
      this.#size++
      return true
    }
    let at = this.#find(low, high)
    if (this.#halves[at] !== 0 || this.#halves[at + 1] !== 0) return false
    if (this.#size >= this.#halves.length * 0.3) {
      this.#grow()
      at = this.#find(low, high)
    }
    this.#halves[at] = low
    this.#halves[at + 1] = high
    this.#size++
    return true
  }

  /** Keeps its memory, unless that is large. */
  clear(): void {
    if (this.#size === 0) return
    this.#size = 0
    this.#hasZero = false
    if (this.#halves.length <= 2 * MAX_WIPED) this.#halves.fill(0)
    else this.#halves = new Int32Array(2 * FEWEST_SLOTS)
  }

  /** Where the key is, or the empty slot where it would go. */
  #find(low: number, high: number): number {
    const halves = this.#halves
    const mask = halves.length - 1
    // Two halves per slot.
    let at = hashSlot(low, high, 30 - Math.clz32(halves.length)) << 1
    while (halves[at] !== low || halves[at + 1] !== high) {
      if (halves[at] === 0 && halves[at + 1] === 0) return at
      at = (at + 2) & mask
    }
    return at
  }

  #grow(): void {
    const old = this.#halves
    this.#halves = new Int32Array(old.length * 2)
    for (let from = 0; from < old.length; from += 2) {
      const low = old[from]
      const high = old[from + 1]
      if (low === 0 && high === 0) continue
      const at = this.#find(low, high)
      this.#halves[at] = low
      this.#halves[at + 1] = high
    }
  }
}

/**
 * Where a 64-bit hash goes in a table of 2^bits places. The hashes of URLs are no secret: anyone can write a hundred
 * thousand URLs whose low bits agree, and a table that takes those for the place would be searched from end to end for
 * each. Two multipliers that nobody outside the process knows spread them (multiply-shift hashing). Nothing but the time
 * that a look-up takes depends on them. Of a key's two halves; `bits` from 1 to 31.
 */
export function hashSlot(low: number, high: number, bits: number): number {
  return (Math.imul(low, LOW) + Math.imul(high, HIGH)) >>> (32 - bits)
}
