/**
 * 64 bits that change little when a text changes little (Charikar's simhash), over shingles of three words; and the same
 * of the text's *shape*, where every run of numbers, dates and names of months and days is one and the same word: pages of
 * a calendar or of numbered items differ in their simhash and have one shape.
 *
 * Most shingles hold no number and belong to both, so they are counted once: the shape costs what the numbers cost.
 */
import { BitVotes, GROUP } from './bit-votes.ts'
import { isDateWord, maybeDateWord } from './date-words.ts'

/** The word that stands for numbers and dates. */
const NUMBER = 0x23232323

/** Words that can be handed over at once. */
export const MOST_WORDS = 4096

/** Shingles on their way to be counted: reading is synchronous, so that one set of buffers a thread is enough. */
class Shingles {
  readonly low = new Int32Array(MOST_WORDS + GROUP)
  readonly high = new Int32Array(MOST_WORDS + GROUP)
}
const plain = new Shingles()
const exact = new Shingles()
const folded = new Shingles()

class Votes {
  readonly low = new BitVotes()
  readonly high = new BitVotes()
  shingles = 0

  clear(): void {
    this.low.clear()
    this.high.clear()
    this.shingles = 0
  }

  add(shingles: Shingles, count: number): void {
    if (count === 0) return
    this.low.add(shingles.low, count)
    this.high.add(shingles.high, count)
    this.shingles += count
  }
}

export class Simhash {
  /** Of shingles of words only; of those with numbers, as they are; and of those with numbers, folded. */
  readonly #plain = new Votes()
  readonly #exact = new Votes()
  readonly #folded = new Votes()
  #before = 0
  #last = 0
  /** The same two in the folded text. */
  #beforeFolded = 0
  #lastFolded = 0
  /** Words since the last number; from 2 on, the last two are no numbers. */
  #since = 2

  /** For another text: its counters take longer to make than to clear. */
  clear(): void {
    this.#plain.clear()
    this.#exact.clear()
    this.#folded.clear()
    this.#before = 0
    this.#last = 0
    this.#beforeFolded = 0
    this.#lastFolded = 0
    this.#since = 2
  }

  /** Words so far. */
  get count(): number {
    return this.#plain.shingles + this.#exact.shingles
  }

  /**
   * The next words, as their hashes, and whether each has a digit. A text's first two make shingles with what is not there,
   * so that short texts count.
   */
  words(hashes: Int32Array, numeric: Uint8Array, count: number): void {
    let a = this.#before
    let b = this.#last
    let aFolded = this.#beforeFolded
    let bFolded = this.#lastFolded
    let since = this.#since
    let plains = 0
    let exacts = 0
    let foldeds = 0
    const plainLow = plain.low
    const plainHigh = plain.high
    const exactLow = exact.low
    const exactHigh = exact.high
    for (let i = 0; i < count; i++) {
      const c = hashes[i]
      const low = lowHash(a, b, c)
      const high = highHash(a, b, c)
      // Nearly all words are told by one look to be none that matters.
      const isNumber = (numeric[i] | maybeDateWord(c)) !== 0 && (numeric[i] !== 0 || isDateWord(c))
      if (!isNumber && since >= 2) {
        plainLow[plains] = low
        plainHigh[plains++] = high
      } else {
        exactLow[exacts] = low
        exactHigh[exacts++] = high
        if (since >= 2) {
          aFolded = a
          bFolded = b
        }
        // A number after a number is no new word.
        if (!isNumber || since > 0) {
          const word = isNumber ? NUMBER : c
          folded.low[foldeds] = lowHash(aFolded, bFolded, word)
          folded.high[foldeds++] = highHash(aFolded, bFolded, word)
          aFolded = bFolded
          bFolded = word
        }
        since = isNumber ? 0 : since + 1
      }
      a = b
      b = c
    }
    this.#before = a
    this.#last = b
    this.#beforeFolded = aFolded
    this.#lastFolded = bFolded
    this.#since = since
    this.#plain.add(plain, plains)
    this.#exact.add(exact, exacts)
    this.#folded.add(folded, foldeds)
  }

  /** Each bit as most shingles have it; 0 for a text without words. */
  value(): bigint {
    return majority(this.#plain, this.#exact)
  }

  shape(): bigint {
    return majority(this.#plain, this.#folded)
  }
}

function lowHash(a: number, b: number, c: number): number {
  return mix((Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + c) | 0)
}

function highHash(a: number, b: number, c: number): number {
  return mix((Math.imul(a, 0x165667b1) + Math.imul(b, 0x7feb352d) + Math.imul(c, 0x27d4eb2f)) | 0)
}

function majority(some: Votes, others: Votes): bigint {
  const shingles = some.shingles + others.shingles
  const high = bits(some.high, others.high, shingles)
  const low = bits(some.low, others.low, shingles)
  return (BigInt(high) << 32n) | BigInt(low)
}

function bits(some: BitVotes, others: BitVotes, shingles: number): number {
  let word = 0
  for (let bit = 0; bit < 32; bit++) if ((some.count(bit) + others.count(bit)) * 2 > shingles) word |= 1 << bit
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
