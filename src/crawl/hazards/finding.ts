/** What detectors are given of a page, and what they answer. */
import type { Content } from './content.ts'
import type { Family } from './family.ts'
import type { LinkCensus } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import type { UrlPattern } from './pattern.ts'

/**
 * What a sample of the pattern must lack for the finding to hold: words that are new there; an end to its growth; a text that
 * no other URL gave; anything that the answer to a name that cannot exist has not; a usual pace.
 */
export type Proof = 'text' | 'growth' | 'alias' | 'missing' | 'pace'

/** A pattern that seems to be a trap. */
export interface PatternFinding {
  rule: string
  proof: Proof
  pattern: string
  /** A sentence with the numbers that decided. */
  evidence: string
  /** Of the family that showed it. */
  examples: readonly string[]
}

export interface Sight {
  page: PageFacts
  pattern: UrlPattern
  content: Content | undefined
  census: LinkCensus
  /** Of its form, of its folders (deepest first): as they are with this page. */
  form: Family
  folders: readonly Family[]
  /** Another family, as it was before: a page of it named this one, and what leads back there counts as growth. */
  partner: Family | undefined
  /** Pages of the site that were new; of them, those that link to pages known before, or home. */
  novel: number
  closing: number
  /** 0 for a site without peculiarities; each point makes every detector less patient. */
  suspicion: number
}

const MIN_PATIENCE = 0.55
/** A pattern is a trap beside the rest of its site. Where there is next to none, the pattern is the site: a budget of hundreds. */
const MIN_REST = 5
const ALONE = 270

/** A budget of pages, as far as the site deserves it. */
export function patience(
  pages: number,
  family: Pick<Family, 'kinds'>,
  sight: Pick<Sight, 'novel' | 'suspicion'>,
): number {
  if (restOf(family, sight) < MIN_REST) return ALONE
  return Math.max(5, Math.round(pages * Math.max(MIN_PATIENCE, 1 - 0.15 * sight.suspicion)))
}

/** New pages of the site outside of the family. */
export function restOf({ kinds }: Pick<Family, 'kinds'>, { novel }: Pick<Sight, 'novel'>): number {
  return Math.max(0, novel - kinds)
}

/** The site has something besides so many new pages of one kind. */
export function hasRest(novel: number, kinds: number): boolean {
  return novel - kinds >= MIN_REST
}
