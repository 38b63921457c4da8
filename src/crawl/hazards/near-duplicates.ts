/**
 * A streak of near-identical pages under one pattern *that leads on to more of itself*, and what it is: calendars and other
 * endless sequences, URLs that grow, or only the same again. Pages that are alike and lead to no more of their kind have an
 * end, and are read. The budget grows with the number of different contents that the pattern has shown, so that a calendar
 * with events is not given up on its first empty week.
 */
import { MAX_KINDS_OF_A_FOLDER } from './count-page.ts'
import type { Family } from './family.ts'
import { type PatternFinding, patience, type Sight } from './finding.ts'

/** Near-identical pages in a row: of a form, and of a folder. */
const OF_A_FORM = 8
const OF_A_FOLDER = 12
/** More for the first different contents. From then on what was new before says how long to wait: so many times the mean gap. */
const FOR_A_KIND = 4
const GAPS = 6
const MAX = 64
/** Of one and the same text and pictures. */
const OF_THE_SAME = 12
/** One page in so many leads on; or a few pages list as many as were read, as the months of a calendar list its days. */
const BREEDING_SHARE = 4
const BREEDING_LISTS = 4

export function judgeForm(sight: Sight): PatternFinding | undefined {
  return judge(sight.form, OF_A_FORM, sight)
}

/** Only if its pages said next to nothing in all. */
export function judgeFolder(folder: Family, sight: Sight): PatternFinding | undefined {
  if (folder.kinds > MAX_KINDS_OF_A_FOLDER || folder.kinds * 5 > folder.pages) return undefined
  return judge(folder, OF_A_FOLDER, sight)
}

function judge(family: Family, inARow: number, sight: Sight): PatternFinding | undefined {
  const { pattern, pages, examples } = family
  if (!isBreeding(family)) return undefined
  // None of its own when all it showed was known from elsewhere.
  const kinds = Math.max(1, family.kinds)
  if (family.same - family.linked >= patience(OF_THE_SAME, family, sight)) {
    const evidence = `${family.same} URLs in a row gave the same text and pictures as others of the pattern`
    return { rule: 'same-content', proof: 'text', pattern, evidence, examples }
  }
  const min = inARow + FOR_A_KIND * Math.min(kinds - 1, 2)
  const budget = Math.max(min, Math.min((GAPS * (pages - family.streak)) / kinds, MAX))
  if (family.streak - family.linked < patience(budget, family, sight)) return undefined
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

/** The pages that said nothing new lead to fresh ones of the family all the same: growth without end is what a trap is, likeness is not. */
function isBreeding({ bred, born, streak }: Family): boolean {
  return bred * BREEDING_SHARE >= streak || (bred >= BREEDING_LISTS && born * 2 >= streak)
}
