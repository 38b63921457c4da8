/**
 * The limits of a site (V12): (memory, page) → (memory, finding). Past a limit no more links of the site are followed
 * (`memory.stopped`); what was collected stays.
 *
 * Depth is reported but does not stop a site. Links below the deepest level are out of scope already (rule `depth>5`),
 * and a site is read breadth first: when the first page of that level is read, everything above it is queued. The
 * finding is for the paper's Table 7, once per site.
 */

import type { Millis } from '../../base/clock.ts'
import type { SiteMemory } from '../../contracts/site-memory.ts'

export interface HazardLimits {
  /** Pages per site. */
  urlsPerSite: number
  /** Of them, pages whose content was there before. */
  duplicatesPerSite: number
  /** Reaching it is reported; the scope enforces it. */
  depth: number
}

export interface SiteFinding {
  rule: string
  evidence: string
}

/** Larger than any count, and valid JSON. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

export function judgeSite(
  memory: SiteMemory,
  page: { depth: number; duplicate: boolean },
  limits: HazardLimits,
): { memory: SiteMemory; finding?: SiteFinding } {
  const counted: SiteMemory = {
    ...memory,
    fetched: memory.fetched + 1,
    duplicates: memory.duplicates + (page.duplicate ? 1 : 0),
    deepest: Math.max(memory.deepest, page.depth),
  }
  if (counted.stopped !== undefined) return { memory: counted }
  const stop = stopRule(counted, limits)
  if (stop !== undefined) return { memory: { ...counted, stopped: stop.rule }, finding: stop }
  if (memory.deepest < limits.depth && page.depth >= limits.depth) {
    const evidence = `a page ${page.depth} links deep, after ${counted.fetched} pages`
    return { memory: counted, finding: { rule: `site-depth>=${limits.depth}`, evidence } }
  }
  return { memory: counted }
}

/**
 * The rule that refuses a queued URL: a trap has filled the queue before it is found. Seeds and home pages (depth 0)
 * are never refused.
 */
export function refusesWaiting(memory: SiteMemory, item: { depth: number }): string | undefined {
  return item.depth > 0 ? memory.stopped : undefined
}

function stopRule({ fetched, duplicates }: SiteMemory, limits: HazardLimits): SiteFinding | undefined {
  if (duplicates > limits.duplicatesPerSite) {
    return {
      rule: `site-duplicates>${limits.duplicatesPerSite}`,
      evidence: `${duplicates} of ${fetched} pages had content that was there before`,
    }
  }
  if (fetched >= limits.urlsPerSite) {
    return { rule: `site-urls>=${limits.urlsPerSite}`, evidence: `${fetched} pages of the site were fetched` }
  }
  return undefined
}

/** The numbers behind `--limits`. */

export interface LimitPreset {
  maxDepth: number
  urlsPerSite: number
  duplicatesPerSite: number
  maxUrlLength: number
  /** Per body, of any type. */
  maxBytes: number
  exchangeMs: Millis
}

/** Collects an honest site of 20,000 pages whole. */
export const GENEROUS: LimitPreset = {
  maxDepth: 1_000,
  urlsPerSite: 100_000,
  duplicatesPerSite: UNLIMITED,
  maxUrlLength: 2_000,
  maxBytes: 10_000_000,
  exchangeMs: 60_000,
}

/**
 * The thresholds of the Viúva Negra paper (§6.1). Its own review (§6.4) found that depth 5 stopped 11.3 % of the sites
 * without any hazard there, and that 60 s is too long: a preset, not the default.
 */
export const VN: LimitPreset = {
  maxDepth: 5,
  urlsPerSite: 5_000,
  duplicatesPerSite: 10,
  maxUrlLength: 200,
  maxBytes: 2_000_000,
  exchangeMs: 60_000,
}

/**
 * Every hazard rule: what `--trust` may overrule and `docs/tasks/traps.md` explains. Rules that need more than one
 * page's facts run elsewhere (`crawl/`, `frontier/`).
 */
export const RULE_NAMES = [
  // The limits of a site.
  'site-urls',
  'site-duplicates',
  'site-depth',
  // Patterns of URLs.
  'endless-sequence',
  'near-duplicates',
  'same-content',
  'growing-url',
  'repeated-segments',
  'folder-in-itself',
  'idle-parameter',
  'parameter-combinations',
  'soft-404',
  'few-contents',
  'few-words',
  'hollow',
  'copies',
  'one-cast',
  'drip-feed',
  'maze',
  // Answers, sites and names.
  'unsupported-browser',
  'redirect-chain',
  'mirror',
  'tld-wildcard',
  'dns-wildcard',
] as const
