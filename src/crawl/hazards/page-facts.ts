/** What detectors know about a page. */
import type { Instant, Millis } from '../../base/clock.ts'

/** A link from the page into its own site, normalised. */
export interface LinkFacts {
  /** The URL key. */
  key: bigint
  /** Path and query of the normalised URL. */
  path: string
  /** This page was the first to name it. */
  fresh: boolean
}

/** One answered URL. */
export interface PageFacts {
  url: string
  /** Path and query of the normalised URL. */
  path: string
  depth: number
  /** Steps from a page that lists it (`contracts/generation.ts`). Only later generations count against their family. */
  generation: number
  /** Path and query of the first page of this site that named it. */
  via?: string
  at: Instant
  status: number
  mediaType: string
  bytes: number
  tookMs: Millis
  outcome: 'kept' | 'moved' | 'read' | 'refused' | 'gone' | 'later'
  /** Its payload was already in the collection, or in this visit. */
  duplicate: boolean
  /** Only for pages that were read. */
  content?: {
    /** Of the payload. */
    digest: string
    /** Of the text including the strings of over 30 characters that are left out of it (V14). */
    textDigest: bigint
    simhash: bigint
    /** The simhash with numbers, dates and month names folded: pages that differ in nothing else have the same shape. */
    shape?: bigint
    /**
     * Of the URLs that the page embeds (images, media, frames); 0n for none. The pages of a gallery may differ only in
     * these.
     */
    embeds?: bigint
    /** Characters of its text, including such strings of at most 256 characters. */
    length: number
    /** Words of the text without them. */
    words: number
    /** Of its sequence of tags: nearly equal for pages of one template. */
    tags: bigint
    /** Of its shingles, the smallest hash in each bin (`page/extract/`). */
    minima?: Uint16Array
    title: string
    /** Its text without the words in links to other pages; computed on demand. */
    text(): string
  }
  /** Links into the site, each URL once, in the order of the page. */
  links: readonly LinkFacts[]
  /** Links to other sites. */
  crossSite: number
  /** It is unknown which of its links are fresh: too many URLs of the site are known. */
  isBlind?: boolean
  /** What a page named, without an idle parameter. */
  isInferred?: boolean
}
