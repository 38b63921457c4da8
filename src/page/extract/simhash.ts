/** 64 bits that change little when a text changes little (Charikar's simhash), over shingles of three words. */
import { BitVotes } from './bit-votes.ts'

export class Simhash {
  readonly #low = new BitVotes()
  readonly #high = new BitVotes()
  #shingles = 0
  #before = 0
  #last = 0

  /** The next words, as their hashes. A text's first two make shingles with what is not there, so that short texts count. */
  words(hashes: Int32Array, count: number): void {
    const low = this.#low
    const high = this.#high
    let a = this.#before
    let b = this.#last
    for (let i = 0; i < count; i++) {
      const c = hashes[i]
      low.add(mix(Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + c))
      high.add(mix(Math.imul(a, 0x165667b1) + Math.imul(b, 0x7feb352d) + Math.imul(c, 0x27d4eb2f)))
      a = b
      b = c
    }
    this.#before = a
    this.#last = b
    this.#shingles += count
  }

  /** Each bit as most shingles have it; 0 for a text without words. */
  value(): bigint {
    return (BigInt(majority(this.#high, this.#shingles)) << 32n) | BigInt(majority(this.#low, this.#shingles))
  }
}

function majority(votes: BitVotes, shingles: number): number {
  const counts = votes.counts()
  let word = 0
  for (let bit = 0; bit < 32; bit++) if (counts[bit] * 2 > shingles) word |= 1 << bit
  return word >>> 0
}

/** Every bit of the input reaches every bit of the output (the finalizer of MurmurHash3, which is in the public domain). */
function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** In how many of their 64 bits two simhashes differ: few for texts that are nearly the same, about 32 for others. */
export function bitsApart(a: bigint, b: bigint): number {
  const both = a ^ b
  return ones(Number(both & 0xffffffffn)) + ones(Number(both >> 32n))
}

function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
