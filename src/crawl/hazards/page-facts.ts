/** What detectors may look at of a page, and what they may answer. */
import type { Instant, Millis } from '../../base/clock.ts'

/** A link from the page into its own site, with the URL of its key (normalised). */
export interface LinkFacts {
  /** 64 bits of that URL. */
  key: bigint
  /** Path and query of the normalised URL. */
  path: string
  /** The site had not seen it before this page. */
  fresh: boolean
}

/** One URL that was asked for and answered. */
export interface PageFacts {
  url: string
  /** Path and query of the normalised URL. */
  path: string
  depth: number
  /** Steps from a page that lists it (`contracts/generation.ts`). Only later generations count against their family. */
  generation: number
  /** Path and query of the page that named it first, when that is of the site. */
  via?: string
  at: Instant
  status: number
  mediaType: string
  bytes: number
  tookMs: Millis
  outcome: 'kept' | 'moved' | 'read' | 'refused' | 'gone' | 'later'
  /** Its payload was in the collection, or in this visit, already. */
  duplicate: boolean
  /** It was answered before: a later look at it. */
  again?: boolean
  /** Of pages that were read. */
  content?: {
    /** Of the payload. */
    digest: string
    /** Of the text with the strings of over 30 characters that are left out of it (V14). */
    textDigest: bigint
    simhash: bigint
    /** The simhash with numbers, dates and names of months folded: pages that differ in nothing else have one shape. */
    shape?: bigint
    /**
     * Of the URLs of what the page embeds (images, media, frames), 0n for none: pictures are content too, and the pages of
     * a gallery may differ in nothing else.
     */
    embeds?: bigint
    /** Characters of its text with those of such strings that are no longer than names are (256). */
    length: number
    /** Of its text without them. */
    words: number
    /** Of the sequence of its tags: pages of one template have the same or nearly. */
    tags: bigint
    title: string
    /** Its text without the words in links to other pages, made only when somebody asks. */
    text(): string
  }
  /** Links into the site, each URL once, in the order of the page. */
  links: readonly LinkFacts[]
  /** Links to other sites. */
  crossSite: number
}
