/**
 * What a site has said, as a sample of the shingles (three words in a row) of its pages: those with the smallest hashes, chosen by
 * the hash itself, so that a shingle of the sample is recognised on whichever page it returns. A filter, an old version, a
 * difference or an annotated copy is another text each time, and all of it was said before. What one page in eight says of late is
 * the site's template, and counts for nothing.
 */
import { isShort } from './content.ts'
import { mix, readMarks, writeMarks } from './marks.ts'
import type { PageFacts } from './page-facts.ts'

/** More make the sample finer for small sites only. */
const MAX = 300
/** At first one hash in four is of the sample, which leaves 14 bits; each level halves that. */
const FIRST_LEVEL = 2
const HASH_BITS = 14
/** A page with hardly any new shingles says nothing new. */
const KNOWN_SHARE = 4
/** A shingle's score: two more for each page with it, one less every fourth page, at most 15. From ten on it is common. */
const UP = 2
const DOWN_EVERY = 4
const MAX_SCORE = 15
const COMMON = 10

export class Shingles {
  #level: number
  /** Pages, modulo `DOWN_EVERY`. */
  #tick: number
  /** Hash of the pictures of the last page. */
  #pictures: number
  /** The score of each. */
  readonly #known: Map<number, number>

  /** Level and tick, pictures, then the shingles with their scores. */
  constructor(text = '') {
    const [head = FIRST_LEVEL, pictures = 0, ...known] = readMarks(text)
    this.#level = head & 0xff
    this.#tick = head >>> 8
    this.#pictures = pictures
    this.#known = new Map(known.map((one) => [one & 0xfffff, one >>> 20]))
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /**
   * Whether next to all of the page was said before; undefined if none of its shingles is of the sample, or its pictures are others
   * than those of the last page. Then it is known.
   */
  learn(minima: Uint16Array, embeds: bigint): boolean | undefined {
    const below = 0x10000 >>> this.#level
    const pictures = embeds === 0n ? 0 : (mix(Number(embeds & 0xffffffffn)) >>> 8) | 1
    const isComparable = pictures === 0 || pictures === this.#pictures
    this.#pictures = pictures
    let all = 0
    let news = 0
    for (let bin = 0; bin < minima.length; bin++) {
      const hash = minima[bin]
      if (hash >= below) continue
      const shingle = (bin << HASH_BITS) | hash
      const score = this.#known.get(shingle)
      this.#known.set(shingle, Math.min(MAX_SCORE, (score ?? 0) + UP))
      if (score !== undefined && score >= COMMON) continue
      all++
      if (score === undefined) news++
    }
    this.#tick = (this.#tick + 1) % DOWN_EVERY
    if (this.#tick === 0) for (const [one, score] of this.#known) if (score > 0) this.#known.set(one, score - 1)
    while (this.#known.size > MAX) this.#thinOut()
    // One known shingle proves nothing.
    return all < (news === 0 ? 2 : 1) || !isComparable ? undefined : news * KNOWN_SHARE <= all
  }

  #thinOut(): void {
    this.#level++
    const below = 0x10000 >>> this.#level
    const hashes = (1 << HASH_BITS) - 1
    for (const shingle of this.#known.keys()) if ((shingle & hashes) >= below) this.#known.delete(shingle)
  }

  text(): string {
    if (this.isEmpty) return ''
    const known = [...this.#known].map(([shingle, score]) => (score << 20) | shingle)
    return writeMarks([(this.#tick << 8) | this.#level, this.#pictures, ...known])
  }
}

interface Said {
  shingles: Shingles
  /** As in `TrapMemory`. */
  novel: readonly [number, number, number]
}

/** The page has parameters, and says next to nothing that the site has not said before; undefined if that is not known. */
export function isStale({ shingles, novel }: Said, { path, content, links }: PageFacts): boolean | undefined {
  if (content?.minima === undefined) return undefined
  const hasParameters = path.includes('?')
  // Most sites have no parameters at all.
  if (shingles.isEmpty && !hasParameters && !links.some((link) => link.fresh && link.path.includes('?')))
    return undefined
  const known = shingles.learn(content.minima, content.embeds ?? 0n)
  // Of a short page too few shingles are in the sample.
  return hasParameters && !isShort(content, novel) ? known : undefined
}
