/** The rules that judge the counts of one family. */
import type { Instant } from '../../base/clock.ts'
import { type Family, MAX_FOLDER_KINDS } from './family.ts'
import { hasRest, type PageContext, type PatternFinding, patience } from './finding.ts'
import type { PageFacts } from './page-facts.ts'
import { isDigit } from './segments.ts'

/** Near-identical pages in a row, of a form and of a folder. */
const OF_A_FORM = 8
const OF_A_FOLDER = 12
/** More for the first different contents; then a multiple of the mean gap between new contents. */
const FOR_A_KIND = 4
const GAPS = 6
const MAX = 64
/** Pages in a row with exactly the same text and pictures. */
const OF_THE_SAME = 12
/** One page in four leads on; or a few pages list half as many as were read, as months list days. */
const BREEDING_SHARE = 4
const BREEDING_LISTS = 4

export function judgeForm(context: PageContext): PatternFinding | undefined {
  return judge(context.form, OF_A_FORM, context)
}

/** Only if its pages showed next to nothing new in all. */
export function judgeFolder(folder: Family, context: PageContext): PatternFinding | undefined {
  if (folder.kinds > MAX_FOLDER_KINDS || folder.kinds * 5 > folder.pages) return undefined
  return judge(folder, OF_A_FOLDER, context)
}

/**
 * A streak of near-identical pages that lead on to more of the same family, as in a calendar. The budget grows with the
 * number of different contents shown, so that a calendar with events survives its first empty week.
 */
function judge(family: Family, inARow: number, context: PageContext): PatternFinding | undefined {
  const { pattern, pages, examples } = family
  if (!isBreeding(family)) return undefined
  // It may have none of its own, if all it showed was known from elsewhere.
  const kinds = Math.max(1, family.kinds)
  if (family.same - family.linked >= patience(OF_THE_SAME, family, context)) {
    const evidence = `${family.same} URLs in a row gave the same text and pictures as others of the pattern`
    return { rule: 'same-content', proof: 'text', pattern, evidence, examples }
  }
  const min = inARow + FOR_A_KIND * Math.min(kinds - 1, 2)
  const budget = Math.max(min, Math.min((GAPS * (pages - family.streak)) / kinds, MAX))
  if (family.streak - family.linked < patience(budget, family, context)) return undefined
  const evidence =
    `${family.streak} pages in a row say nothing new (${kinds} different among ${pages}); ` +
    `${family.bred} of them lead to more of the same`
  const finding = { proof: 'text', pattern, examples } as const
  if (family.longer * 5 > pages * 4)
    return { ...finding, rule: 'growing-url', evidence: `${evidence}, with ever longer URLs` }
  const steps = pattern.includes('#') && family.stepping * 2 >= pages
  if (steps) return { ...finding, rule: 'endless-sequence', evidence: `${evidence}, with ever other numbers` }
  return { ...finding, rule: 'near-duplicates', evidence }
}

/** Pages without news still lead to fresh ones: growth without end makes a trap, likeness does not. */
function isBreeding({ bred, born, streak }: Family): boolean {
  return bred * BREEDING_SHARE >= streak || (bred >= BREEDING_LISTS && born * 2 >= streak)
}

/** How deep, long and many URLs may grow where little is new, and where much is. */
const BARREN = { deep: 10, long: 250, pages: 8 }
const FERTILE = { deep: 30, long: 600, pages: 16 }

/** Every page leads to URLs longer than its own, deeper than people build. */
export function judgeGrowth(family: Family, context: PageContext): PatternFinding | undefined {
  const max = family.kinds * 2 > family.pages ? FERTILE : BARREN
  if (family.longer < patience(max.pages, family, context)) return undefined
  if (Math.min(family.longer, family.inward) * 10 < family.pages * 8) return undefined
  const { page } = context
  const deep = page.path.split('/', max.deep + 2).length > max.deep
  if (!deep && page.path.length < max.long) return undefined
  const { pattern, examples } = family
  const evidence = `${family.longer} of ${family.pages} pages lead only to URLs longer than their own, up to ${family.longest} characters`
  return { rule: 'growing-url', proof: 'growth', pattern, evidence, examples }
}

const PAGES = 5
/** From the year after next. */
const YEARS = 2
const MAX_YEARS = 200
const YEAR_MS = 365.2425 * 86_400_000

/** A year by itself, or at the start of a date in one number: 203104, 20310412. */
const YEAR = /(?<!\d)(2\d{3})(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?)?(?!\d)/
const LONGEST_URL = 300

export function isAhead(path: string, at: Instant): boolean {
  const text = path.length > LONGEST_URL ? path.slice(0, LONGEST_URL) : path
  if (!mayHaveYear(text)) return false
  const found = YEAR.exec(text)
  if (found === null) return false
  const ahead = Number(found[1]) - Math.floor(1970 + at / YEAR_MS)
  return ahead >= YEARS && ahead <= MAX_YEARS
}

/** A 2 and three more digits. Cheaper than the regular expression, which few URLs need. */
function mayHaveYear(path: string): boolean {
  let digits = 0
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    digits = isDigit(code) && (digits > 0 || code === 50) ? digits + 1 : 0
    if (digits === 4) return true
  }
  return false
}

/** Page after page has a date that lies years ahead, and leads only to the next: a machine makes them. */
export function judgeFuture(family: Family, context: PageContext): PatternFinding | undefined {
  const { pattern, pages, ahead, growing, inward, examples } = family
  // An encyclopaedia has some titles with years to come.
  if (ahead * 10 < pages || ahead < patience(PAGES, family, context)) return undefined
  if (growing < pages * 0.8 || inward < pages * 0.8) return undefined
  const evidence = `${ahead} of ${pages} pages have dates that lie years ahead; ${growing} of them lead to more of the same`
  return { rule: 'endless-sequence', proof: 'growth', pattern, evidence, examples }
}

const SLOW_MS = 8_000
/** Bytes per second: a large answer that takes long is not slow. */
const SLOW_RATE = 512
const ANSWERS = 4

export type Pace = [usual: number, slow: number]

export function isSlow({ tookMs, bytes }: PageFacts): boolean {
  return tookMs >= SLOW_MS && (bytes * 1000) / tookMs < SLOW_RATE
}

/** Drip feeds: slow, small answers under one pattern of a site that is quick elsewhere. */
export function judgePace(family: Family, [usual, slow]: Pace, { novel }: PageContext): PatternFinding | undefined {
  const { pattern, answers, examples } = family
  if (family.slow < ANSWERS || family.slow * 5 < answers * 4 || !hasRest(novel, family.kinds)) return undefined
  const usualElsewhere = usual - (answers - family.slow)
  const slowElsewhere = slow - family.slow
  if (usualElsewhere <= slowElsewhere) return undefined
  const evidence = `${family.slow} of ${answers} answers took over ${SLOW_MS / 1000} s at under ${SLOW_RATE} bytes a second; elsewhere on the site ${slowElsewhere} of ${usualElsewhere + slowElsewhere}`
  return { rule: 'drip-feed', proof: 'pace', pattern, evidence, examples }
}
