/** What detectors receive about a page, and what they return. */

import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import type { Content } from './content.ts'
import type { Family } from './family.ts'
import type { LinkCensus } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import type { UrlPattern } from './pattern.ts'

/**
 * What a sample must lack to confirm the finding. text: words new to the pattern; growth: an end to its growth; alias:
 * a text that no other URL gave; missing: anything beyond the answer to a name that cannot exist; pace: a usual speed.
 */
export type Proof = 'text' | 'growth' | 'alias' | 'missing' | 'pace'

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
  /** 0 for an ordinary site; each point makes every detector less patient. */
  suspicion: number
}

const MIN_PATIENCE = 0.55
/**
 * A pattern is a trap only beside other content. With fewer new pages elsewhere than this, the pattern is the site, and
 * gets a budget of hundreds.
 */
const MIN_REST = 5
const ALONE = 270

/** A budget of pages, reduced by the site's suspicion. */
export function patience(
  pages: number,
  family: Pick<Family, 'kinds'>,
  context: Pick<PageContext, 'novel' | 'suspicion'>,
): number {
  if (restOf(family, context) < MIN_REST) return ALONE
  return Math.max(5, Math.round(pages * Math.max(MIN_PATIENCE, 1 - 0.15 * context.suspicion)))
}

/** New pages of the site outside the family. */
export function restOf({ kinds }: Pick<Family, 'kinds'>, { novel }: Pick<PageContext, 'novel'>): number {
  return Math.max(0, novel - kinds)
}

/** The site has enough new pages besides these. */
export function hasRest(novel: number, kinds: number): boolean {
  return novel - kinds >= MIN_REST
}

/**
 * By default the paper's limits (V12) only reduce patience: for sites with very many URLs, duplicates or levels, and
 * sites with a stopped trap. Images and documents don't count as duplicates: the same brochure under three names is not
 * a trap.
 */

const MANY_URLS = 5_000
const MANY_DUPLICATES = 10
const MANY_LEVELS = 12

export function suspicionOf(
  { fetched, deepest }: SiteMemory,
  { copies, suspects }: Pick<Required<TrapMemory>, 'copies' | 'suspects'>,
): number {
  let points = 0
  if (fetched >= MANY_URLS) points++
  if (copies > MANY_DUPLICATES && copies * 5 > fetched) points++
  if (deepest >= MANY_LEVELS) points++
  if (suspects.some(({ stopped }) => stopped)) points++
  return points
}
