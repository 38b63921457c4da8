/** What detectors are given of a page, and what they answer. */

import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { TrapMemory } from '../../contracts/trap-memory.ts'
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

export interface HazardFinding {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
  /** The finding was wrong: samples contradict it. */
  withdrawn?: true
}

export interface PageContext {
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
  context: Pick<PageContext, 'novel' | 'suspicion'>,
): number {
  if (restOf(family, context) < MIN_REST) return ALONE
  return Math.max(5, Math.round(pages * Math.max(MIN_PATIENCE, 1 - 0.15 * context.suspicion)))
}

/** New pages of the site outside of the family. */
export function restOf({ kinds }: Pick<Family, 'kinds'>, { novel }: Pick<PageContext, 'novel'>): number {
  return Math.max(0, novel - kinds)
}

/** The site has something besides so many new pages of one kind. */
export function hasRest(novel: number, kinds: number): boolean {
  return novel - kinds >= MIN_REST
}

/**
 * What the paper's limits (V12) are good for by default: a site with very many URLs, duplicates or levels is looked at with
 * less patience, and so is one in which a trap was found. Files that are no pages (images, documents) are not counted as
 * duplicates: the same brochure under three names is no trap.
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
