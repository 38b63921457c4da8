/**
 * What one visit to a site leaves for the next. The frontier stores it without reading it. Small, bounded, plain JSON that
 * survives restarts and versions: a missing field means "not known".
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { TrapMemory } from './trap-memory.ts'

export type Scheme = 'http' | 'https'

export interface RobotsMemory {
  /** rules: parsed; none: 4xx or nothing in it; unreachable: 5xx, 429, no answer (nothing is fetched); uninterpretable: no line understood. */
  state: 'rules' | 'none' | 'unreachable' | 'uninterpretable'
  at: Instant
  /** HTTP status, 0 when there was no answer. */
  status: number
  /** The lines that concern us, with their places, at most 640 KiB (`Robots.text`); '' unless state is 'rules'. */
  text: string
  /** While unreachable: since when, and how often it was asked for in vain. */
  since?: Instant
  tries?: number
  /** It was longer than our limit: the part within it counts. */
  tooBig?: true
  /** The site whose robots.txt it is, when redirects led to that of another. */
  from?: string
}

/** Why entries of sitemaps were not taken. */
export type LeftOut =
  | 'foreign' // URLs of other hosts, which the protocol does not permit
  | 'foreign-sitemaps' // an index names sitemaps of other hosts
  | 'nested-too-deep' // indexes of indexes of indexes
  | 'most-sitemaps' // over those of a site
  | 'most-sitemap-lines' // over those of a robots.txt
  | 'most-urls' // over those of a site

export type SitemapsLeft = { [why in LeftOut]?: number }

/** How many of the site's first documents are those of other sites, until that is decided. At most about 4 KB. */
export interface Likeness {
  /** Documents compared. */
  documents: number
  /** The site whose home page equals this one's. */
  home?: string
  /** Other sites that have documents of this one, at most eight, and how many. */
  copies: { site: string; documents: number }[]
  /** At most three URLs of this site that were found there. */
  examples: string[]
  /** It is decided: like that site, or like none (''). Nothing else is kept then. */
  like?: string
}

export interface SiteMemory {
  robots: { [scheme in Scheme]?: RobotsMemory }
  /** Crawl-delay of robots.txt and what Retry-After asked for. */
  crawlDelay?: Millis
  /** URLs of the site fetched so far, duplicates among them, deepest level: what hazard limits count. */
  fetched: number
  duplicates: number
  deepest: number
  /** Consecutive requests without any answer. */
  silent: number
  /** Consecutive visits that ended because the site did not answer. */
  rests?: number
  /** The rule by which links in this site are no longer followed. */
  stopped?: string
  /** What the trap detectors have seen, and the patterns no longer followed. Only `crawl/hazards/` reads it. */
  traps?: TrapMemory
  /** How often a sitemap's `lastmod` could be checked against what we saw, and how often it was true. */
  hints?: { checked: number; held: number }
  /** Looks at known pages, how often validators would have hidden a change (less some for each that they told), and tags that were new though the page was not. Only `crawl/look-again.ts` reads it. */
  validators?: { asked: number; lies: number; renewed: number }
  /** Elements of its template that had changed at one look: on how many pages words or only numbers changed at the next one, too, on how many nothing did, and on how many the same came as elsewhere; and at most eight hashes of lines in it that stayed. At most 32. Only `crawl/compare-look.ts` reads it. */
  slots?: { name: number; words: number; numbers: number; stayed: number; shared?: number; lines?: number[] }[]
  /** Hashes of lines that came into such elements lately, and of the titles of their pages. At most 64. Only `crawl/compare-look.ts` reads it. */
  came?: (readonly [line: number, title: number])[]
  /** Sitemaps of the site taken so far, feeds among them, URLs that they brought, and their bytes: all are bounded; what was left out; and how many of the listed pages were judged, said something new, or were copies; and how many sitemaps in a row listed next to nothing new. */
  sitemaps?: {
    asked: number
    urls: number
    bytes?: number
    feeds?: number
    left?: SitemapsLeft
    tested?: number
    news?: number
    copies?: number
    vain?: number
  }
  /** Names to which forms of its pages lead, at most eight, and how many URLs with each were there. Only `crawl/form-actions.ts` reads it. */
  forms?: { name: string; found: number; missing: number }[]
  /** The site also links to folders by the name of their index file. Only `crawl/local-frontier.ts` reads it. */
  indexNames?: true
  /**
   * The sibling (with or without `www.`) to which it redirects: how often its home page did, and whether another page
   * did. Only `crawl/site-names.ts` reads it.
   */
  sentTo?: { site: string; times: number; deep?: true }
  /** Evidence that it is a mirror. Only `crawl/likeness.ts` reads it. */
  likeness?: Likeness
}

/**
 * The memory in a report part. `robots` (up to 640 KiB) and `traps` (up to 16 KB) are present only when they changed; otherwise
 * the coordinator keeps what it has. Everything else is complete in every part: an absent field is no longer known.
 */
export type MemoryNews = Omit<SiteMemory, 'robots'> & Partial<Pick<SiteMemory, 'robots'>>

/** Combines the news of two successive parts. */
export function laterNews(before: MemoryNews | undefined, news: MemoryNews): MemoryNews {
  const robots = news.robots ?? before?.robots
  const traps = news.traps ?? before?.traps
  const both: MemoryNews = { ...news }
  if (robots !== undefined) both.robots = robots
  if (traps !== undefined) both.traps = traps
  return both
}

export const freshMemory = (): SiteMemory => ({ robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0 })
