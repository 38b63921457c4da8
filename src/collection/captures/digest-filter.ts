/**
 * A Bloom filter over the payload digests of the collection, in memory that all threads share: nine times of ten it shows a
 * worker that a payload is new, without a round trip. A wrong yes costs a look-up; it never says no wrongly. Until it has
 * been filled it says yes to everything.
 */
import { assert } from '../../base/assert.ts'
import { sha1 } from '../../base/digest.ts'

/** 8 MB: with 5 million digests (13 bits each) 0.5 % of the answers are wrong; more digests only cost more look-ups. */
export const FILTER_BITS = 2 ** 26
const PROBES = 7
/** All bits of a digest are in one cache line: one memory access instead of seven. */
const LINE_BITS = 512
/** The first word says whether it is filled. */
const HEAD_WORDS = 1

export class DigestFilter {
  /** Pass this to another thread, and construct a filter from it there. */
  readonly shared: SharedArrayBuffer
  readonly #words: Int32Array
  /** Lines minus one. */
  readonly #mask: number

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared
    this.#words = new Int32Array(shared)
    const bits = (this.#words.length - HEAD_WORDS) * 32
    assert(bits >= LINE_BITS && Number.isInteger(Math.log2(bits)), 'a digest filter has 2^n bits, at least a line')
    this.#mask = bits / LINE_BITS - 1
  }

  static ofBits(bits = FILTER_BITS): DigestFilter {
    return new DigestFilter(new SharedArrayBuffer(HEAD_WORDS * 4 + bits / 8))
  }

  get filled(): boolean {
    return Atomics.load(this.#words, 0) === 1
  }

  markFilled(): void {
    Atomics.store(this.#words, 0, 1)
  }

  add(digest: string): void {
    const { line, first, step } = locations(digest)
    const from = HEAD_WORDS + (line & this.#mask) * (LINE_BITS / 32)
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (first + probe * step) & (LINE_BITS - 1)
      Atomics.or(this.#words, from + (bit >>> 5), 1 << (bit & 31))
    }
  }

  mayHave(digest: string): boolean {
    if (!this.filled) return true
    const { line, first, step } = locations(digest)
    const from = HEAD_WORDS + (line & this.#mask) * (LINE_BITS / 32)
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (first + probe * step) & (LINE_BITS - 1)
      if ((Atomics.load(this.#words, from + (bit >>> 5)) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}

/**
 * Two numbers make all probes (double hashing); an odd step visits every position of a power of two. A digest is uniform
 * already, so folding its letters (FNV-1a) is enough, at a tenth of the cost of hashing it again.
 */
function locations(digest: string): { line: number; first: number; step: number } {
  let one = 0x811c9dc5 | 0
  let other = 0x2f0b4a47
  for (let at = 0; at < digest.length; at++) {
    const letter = digest.charCodeAt(at)
    one = Math.imul(one ^ letter, 0x01000193)
    other = Math.imul(other ^ letter, 0x5bd1e995)
  }
  return { line: one ^ (one >>> 15), first: other >>> 23, step: (other >>> 13) | 1 }
}

/** Redirects and declined answers have no payload, so none of them repeats another. */
export const NO_PAYLOAD = sha1(new Uint8Array(0))
