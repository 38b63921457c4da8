/**
 * What a site has said, as a sample of the shingles (three words in a row) of its pages: those with the smallest hashes, chosen by
 * the hash itself, so that a shingle of the sample is recognised on whichever page it returns. A filter, an old version, a
 * difference or an annotated copy is another text each time, and all of it was said before.
 */
import { readMarks, writeMarks } from './marks.ts'

/** More make the sample finer for small sites only. */
const MAX = 300
/** At first one hash in four is of the sample; each level halves that. */
const FIRST_LEVEL = 2
/** A page with hardly any new shingles says nothing new. */
const KNOWN_SHARE = 4

export class Shingles {
  #level: number
  readonly #known: Set<number>

  /** The level, then the shingles. */
  constructor(text = '') {
    const [level = FIRST_LEVEL, ...known] = readMarks(text)
    this.#level = level
    this.#known = new Set(known)
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** Whether next to all of the page was said before; undefined if none of its shingles is of the sample. Then it is known. */
  learn(minima: Uint16Array): boolean | undefined {
    const below = 0x10000 >>> this.#level
    let all = 0
    let news = 0
    for (let bin = 0; bin < minima.length; bin++) {
      const hash = minima[bin]
      if (hash >= below) continue
      all++
      const shingle = (bin << 16) | hash
      if (this.#known.has(shingle)) continue
      news++
      this.#known.add(shingle)
    }
    while (this.#known.size > MAX) this.#thinOut()
    return all === 0 ? undefined : news * KNOWN_SHARE <= all
  }

  #thinOut(): void {
    this.#level++
    const below = 0x10000 >>> this.#level
    for (const shingle of this.#known) if ((shingle & 0xffff) >= below) this.#known.delete(shingle)
  }

  text(): string {
    return this.isEmpty ? '' : writeMarks([this.#level, ...this.#known])
  }
}
