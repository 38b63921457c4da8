/** URLs that only grow, whatever their pages say: every page leads to URLs longer than its own, far deeper than people build. */
import type { Family } from './family.ts'
import { type Finding, patience, type Sight } from './finding.ts'

const DEEP = 10
const LONG = 250
const PAGES = 8

export function judgeGrowth(family: Family, sight: Sight): Finding | undefined {
  if (family.longer < patience(PAGES, family, sight)) return undefined
  if (Math.min(family.longer, family.inward) * 10 < family.pages * 8) return undefined
  const { page } = sight
  const deep = page.path.split('/', DEEP + 2).length > DEEP
  if (!deep && page.path.length < LONG) return undefined
  const { pattern, examples } = family
  const evidence = `${family.longer} of ${family.pages} pages lead only to URLs longer than their own, up to ${family.longest} characters`
  return { rule: 'growing-url', pattern, evidence, examples }
}
