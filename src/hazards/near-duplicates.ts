/**
 * A streak of near-identical pages under one pattern, and what it is: calendars and other endless sequences, URLs that grow,
 * or only the same again. The budget grows with the number of different contents that the pattern has shown, so that a
 * calendar with events is not given up on its first empty week; URLs that other, new pages vouched for (an index of a
 * gallery, a catalogue's lists) are outside of it.
 */
import { MOST_KINDS_OF_A_FOLDER } from './count-page.ts'
import type { Family } from './family.ts'
import { type Finding, patience, type Sight } from './finding.ts'

/** Near-identical pages in a row: when pages of the pattern lead to more of it, and when others list them all. */
const WHILE_IT_GROWS = 8
const WHILE_LISTED = 32
/** More for the first different contents. From then on what was new before says how long to wait: so many times the mean gap. */
const FOR_A_KIND = 4
const GAPS = 6
const AT_MOST = 64
/** Of one and the same text and pictures, whoever links to them. */
const OF_THE_SAME = 12

export function judgeForm(sight: Sight): Finding | undefined {
  return judge(sight.form, WHILE_IT_GROWS, sight)
}

/** Only if its pages said next to nothing in all, and nobody else led into it in many places. */
export function judgeFolder(folder: Family, sight: Sight): Finding | undefined {
  if (folder.kinds > MOST_KINDS_OF_A_FOLDER || folder.kinds * 5 > folder.pages) return undefined
  if (folder.vouched > Math.max(3, folder.pages / 4)) return undefined
  return judge(folder, WHILE_IT_GROWS + 4, sight)
}

function judge(family: Family, whileItGrows: number, sight: Sight): Finding | undefined {
  const { pattern, pages, examples } = family
  // None of its own when all it showed was known from elsewhere.
  const kinds = Math.max(1, family.kinds)
  if (family.same - family.linked >= patience(OF_THE_SAME, family, sight)) {
    const evidence = `${family.same} URLs in a row gave the same text and pictures as others of the pattern`
    return { rule: 'same-content', pattern, evidence, examples }
  }
  const grows = family.growing * 2 >= pages
  const beyond = Math.min(family.streak - family.linked, pages - family.vouched)
  const least = (grows ? whileItGrows : WHILE_LISTED) + FOR_A_KIND * Math.min(kinds - 1, 2)
  const budget = Math.max(least, Math.min((GAPS * (pages - family.streak)) / kinds, AT_MOST))
  if (beyond < patience(budget, family, sight)) return undefined
  const said = `${family.streak} pages in a row say nothing new (${kinds} different among ${pages})`
  if (!grows) return { rule: 'near-duplicates', pattern, evidence: said, examples }
  const leads = `${said}; ${family.growing} of them lead to more of the same`
  if (family.longer * 5 > pages * 4)
    return { rule: 'growing-url', pattern, evidence: `${leads}, with ever longer URLs`, examples }
  const steps = pattern.includes('#') && family.stepping * 2 >= pages
  if (steps) return { rule: 'endless-sequence', pattern, evidence: `${leads}, with ever other numbers`, examples }
  return { rule: 'near-duplicates', pattern, evidence: leads, examples }
}
