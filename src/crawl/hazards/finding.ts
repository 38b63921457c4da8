/** What detectors receive about a page, and what they return. */
import type { Content } from './content.ts'
import type { Family } from './family.ts'
import type { LinkCensus } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import type { UrlPattern } from './pattern.ts'

/**
 * What a sample must lack to confirm the finding. text: words new to the pattern; growth: an end to its growth; alias:
 * a text that no other URL gave; missing: anything beyond the answer to a name that cannot exist; invented: an end to the growth of
 * what the site answers for any name; pace: a usual speed.
 */
export type Proof = 'text' | 'growth' | 'alias' | 'missing' | 'invented' | 'pace'

/** A pattern that seems to be a trap. */
export interface PatternFinding {
  rule: string
  proof: Proof
  pattern: string
  /** A sentence with the numbers that decided. */
  evidence: string
  /** From the family that showed it. */
  examples: readonly string[]
  /** As in `SuspectPattern`. */
  usual?: string
}

export interface HazardFinding {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
  /** Samples contradict the finding. */
  withdrawn?: true
}

export interface PageContext {
  page: PageFacts
  pattern: UrlPattern
  content: Content | undefined
  census: LinkCensus
  /** Families of its form and its folders (deepest first), with this page counted. */
  form: Family
  folders: readonly Family[]
  /** The family of the page that named this one, if it is another; links back to it count as growth. */
  partner: Family | undefined
  /** New pages of the site, and how many of them link home or to known pages. */
  novel: number
  closing: number
}

/**
 * A pattern is a trap only beside other content. With fewer new pages elsewhere than this, the pattern is the site, and
 * gets a budget of hundreds.
 */
const MIN_REST = 5
const ALONE = 270

/** A budget of pages. */
export function patience(pages: number, family: Pick<Family, 'kinds'>, context: Pick<PageContext, 'novel'>): number {
  return restOf(family, context) < MIN_REST ? ALONE : Math.max(5, Math.round(pages))
}

/** New pages of the site outside the family. */
export function restOf({ kinds }: Pick<Family, 'kinds'>, { novel }: Pick<PageContext, 'novel'>): number {
  return Math.max(0, novel - kinds)
}

/** The site has enough new pages besides these. */
export function hasRest(novel: number, kinds: number): boolean {
  return novel - kinds >= MIN_REST
}
