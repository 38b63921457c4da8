/**
 * The page's structure as Y7 sees it: every start tag in order. A hash of the whole sequence, and the two strings of first
 * and last letters, bounded; the strings cost some nanoseconds a tag, so they are made at once rather than on demand.
 */
export interface TagSequence {
  /** Start tags in all. */
  count: number
  /** Of all their names, in order. */
  hash: bigint
  /** The first letters of the names of the first 4,000 tags, and the last letters; `?` for what is not ASCII. */
  first: string
  last: string
}

export const MAX_LETTERS = 4000

/** Most pages are read in one stretch: one pair of buffers a thread is enough for them. */
const shared = [Buffer.alloc(MAX_LETTERS), Buffer.alloc(MAX_LETTERS)] as const
const QUESTION_MARK = 63

export class TagRecorder {
  #count = 0
  #low = 0x811c9dc5 | 0
  #high = 0x9e3779b9 | 0
  readonly #first: Buffer
  readonly #last: Buffer

  /** `own`: other pages are read meanwhile. */
  constructor(own = false) {
    const [first, last] = own ? [Buffer.alloc(MAX_LETTERS), Buffer.alloc(MAX_LETTERS)] : shared
    this.#first = first
    this.#last = last
  }

  add(nameHash: number, firstLetter: number, lastLetter: number): void {
    const at = this.#count++
    if (at < MAX_LETTERS) {
      this.#first[at] = firstLetter
      this.#last[at] = lastLetter < 128 ? lastLetter : QUESTION_MARK
    }
    this.#low = Math.imul(this.#low ^ nameHash, 0x01000193)
    this.#high = Math.imul((this.#high << 5) ^ (this.#high >>> 27) ^ nameHash, 0x85ebca6b)
  }

  sequence(): TagSequence {
    const letters = Math.min(this.#count, MAX_LETTERS)
    return {
      count: this.#count,
      hash: (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0),
      first: this.#first.toString('latin1', 0, letters),
      last: this.#last.toString('latin1', 0, letters),
    }
  }
}
