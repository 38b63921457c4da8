/**
 * 64 bits that change little when a text changes little (Charikar's simhash) over shingles of three words.
 *
 * Each shingle votes on each of 64 bits. Sixty-four additions a word would cost more than all the rest of reading a page, so
 * votes are counted four at a time in the bytes of a 32-bit number, and emptied into real counters before a byte is full.
 */
const LANES = 16
const FULL = 255

export class Simhash {
  readonly #lanes = new Int32Array(LANES)
  readonly #votes = new Int32Array(64)
  #inLanes = 0
  #shingles = 0
  #before = 0
  #last = 0

  /** The next word, as its hash. The first two words make shingles with what is not there, so that short texts count. */
  word(hash: number): void {
    const a = this.#before
    const b = this.#last
    this.#before = b
    this.#last = hash
    const low = mix(Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + hash)
    const high = mix(Math.imul(a, 0x165667b1) + Math.imul(b, 0x7feb352d) + Math.imul(hash, 0x27d4eb2f))
    const lanes = this.#lanes
    for (let i = 0; i < 8; i++) {
      lanes[i] += (low >>> i) & 0x01010101
      lanes[i + 8] += (high >>> i) & 0x01010101
    }
    this.#shingles++
    if (++this.#inLanes === FULL) this.#empty()
  }

  /** 0 for a text without words. */
  value(): bigint {
    this.#empty()
    let low = 0
    let high = 0
    for (let bit = 0; bit < 32; bit++) {
      if (this.#votes[bit] * 2 > this.#shingles) low |= 1 << bit
      if (this.#votes[bit + 32] * 2 > this.#shingles) high |= 1 << bit
    }
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
  }

  #empty(): void {
    for (let lane = 0; lane < LANES; lane++) {
      const four = this.#lanes[lane]
      const bit = lane < 8 ? lane : lane + 24
      for (let byte = 0; byte < 4; byte++) this.#votes[bit + byte * 8] += (four >>> (byte * 8)) & 0xff
    }
    this.#lanes.fill(0)
    this.#inLanes = 0
  }
}

/** Every bit of the input reaches every bit of the output (the finalizer of MurmurHash3, public domain). */
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
