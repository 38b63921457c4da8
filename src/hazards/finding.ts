/** What detectors are given of a page, and what they answer. */
import type { Content } from './content.ts'
import type { Family } from './family.ts'
import type { LinkCensus } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import type { UrlPattern } from './pattern.ts'

/** A pattern that is a trap. */
export interface Finding {
  rule: string
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
  /** 0 for a site without peculiarities; each point makes every detector less patient. */
  suspicion: number
}

const LEAST_PATIENCE = 0.55

/** A budget of pages, as far as the site deserves it. */
export function patience(pages: number, suspicion: number): number {
  return Math.max(5, Math.round(pages * Math.max(LEAST_PATIENCE, 1 - 0.15 * suspicion)))
}
