/**
 * What trap detectors remember of a site between pages, visits and restarts. Plain JSON, at most about 16 KB however large
 * the site is; a missing field means "nothing seen yet". Only `crawl/hazards/` reads and writes it.
 */
import type { Instant } from '../base/clock.ts'

/**
 * A pattern of URLs that seems to be a trap. First it is on trial: a few more of its URLs are requested. If they
 * confirm it, it is stopped, and from then on only sampled, ever more seldom (`crawl/hazards/trial.ts`).
 */
export interface SuspectPattern {
  /** As people read it: `/calendar/#/#`. */
  pattern: string
  rule: string
  /** What samples are held against: `Proof` of `crawl/hazards/finding.ts`. */
  proof: string
  evidence: string
  at: Instant
  /** At most three of its URLs: path and query, shortened when long. */
  examples: string[]
  /** The trial confirmed it, and it was reported. */
  stopped: boolean
  /** URLs that may be requested as samples; with none left, URLs are refused. */
  budget: number
  /** Samples: those that confirm the finding, and those that contradict it. */
  confirmed: number
  contradicted: number
  /** URLs of it that were not requested, and the count at which the next sample is due. */
  refused: number
  nextSample: number
  /** An operator confirmed it: it is stopped, and never sampled. */
  isConfirmed?: true
  /** Samples that could be compared with no known page. */
  unknown?: number
  /** Words of the samples, as bits. */
  words?: string
  /** Of a parameter that makes no difference: its usual value. URLs that have it are not of the pattern, and others get it instead of their own; if there is none, they lose the parameter. */
  usual?: string
  /** With `{any}` in the pattern: hashes of the names for which it stands, at most 200. */
  folders?: readonly number[]
}

/**
 * A family of URLs, that is those of one pattern: the pattern, its counts, the contents it showed last, its first examples,
 * and of a page with parameters what those did. In columns, because two dozen of them go wherever the site's memory goes;
 * the names of the columns are in `crawl/hazards/family.ts`.
 */
export type FamilyRow = [
  pattern: string,
  counts: readonly number[],
  contents: readonly number[],
  examples: readonly string[],
  parameters?: ParameterRow,
]

/**
 * Names; for each, how many pages had it, how many of those said nothing new, and how many said something that no other
 * parameter can account for; hashes of sets of names and of values; hashes of their first values; how many pages
 * without news had another; and, site-wide, how many
 * pages were made of what was said before and how many were not, by the sample of shingles.
 */
export type ParameterRow = [
  names: string[],
  pages: number[],
  idle: number[],
  news: number[],
  sets: number[],
  values: number[],
  first: number[],
  varied: number[],
  stale: number[],
  novel: number[],
]

/**
 * A part of URLs; pages that said the same, or something else, without it; the last such page without parameters, and how often
 * that changed. Of a parameter: what most new pages have (a value, or '' for none), by how many votes, and how many pages that differ
 * in nothing else said something else.
 */
export type AliasRow = [
  part: string,
  same: number,
  other: number,
  place: number,
  places: number,
  usual?: string,
  votes?: number,
  differs?: number,
]

export interface TrapMemory {
  suspects: SuspectPattern[]
  /** Patterns that were on trial and cleared: hash, how often, when last (in answers of the site). */
  cleared?: readonly [pattern: number, times: number, at: number][]
  /** Pages that were new, whatever their pattern; of them, those that link to pages known before, or home; characters of all. */
  novel?: [pages: number, closing: number, length: number]
  /** Templates of pages that the site has many of, in columns (`crawl/hazards/mazes.ts`). */
  templates?: readonly number[]
  /** Short pages that were near to others. */
  alike?: number
  /** Answers that came at a usual pace, and slow ones. */
  pace?: [usual: number, slow: number]
  families?: readonly FamilyRow[]
  /** Their maximum size, in characters of JSON. */
  taken?: number
  /** Hashes of patterns that showed many contents and made room for others. */
  forgotten?: readonly number[]
  /** Contents that more than one URL may show, each with how many did, in columns (`crawl/hazards/soft-404.ts`). */
  contents?: readonly number[]
  /** Hashes of the texts of the last pages, four letters each. */
  texts?: string
  /** What the last pages said, by their URL (`crawl/hazards/known-pages.ts`). */
  known?: string
  /** What the site said at URLs that differ in a parameter (`crawl/hazards/variants.ts`). */
  variants?: string
  /** A sample of what its pages said (`crawl/hazards/shingles.ts`). */
  shingles?: string
  aliases?: readonly AliasRow[]
  /** Pages whose text was among these. */
  echoes?: number
  /** Hashes of the links of the page before: what the next one has too is navigation. */
  navigation?: readonly number[]
  /** URLs with repeated segments that were answered, and those that brought nothing new. */
  repeats?: [answered: number, nothingNew: number]
  /** Pages of late, of whatever families, that lead to several fresh ones and nowhere else; each other one counts against two. Then hashes of the last such families. */
  bare?: readonly number[]
  /** Shapes of URLs, and whether links to them meet, in columns (`crawl/hazards/drift.ts`). */
  drift?: readonly number[]
  /** Redirects in a row to known pages, by form, in columns (`crawl/hazards/redirects.ts`). */
  redirects?: readonly number[]
  /** URLs without an idle parameter that in a row brought nothing, and those not asked for since. */
  inferred?: [vain: number, passedOver: number]
  /** A name that cannot exist was requested; its answer, if that claimed to be a page. */
  probe?: { like?: number[]; name?: [text: number, path: number] }
  /** Hashes of the forms of URLs of which an invented name was asked for. */
  invented?: readonly number[]
  /** Of those, and of shapes of URLs: those that have no page for an invented name. */
  libraries?: readonly number[]
  /** Rules without a pattern that were reported; once per site. */
  reported?: readonly string[]
}
