/**
 * URLs that only grow: every page leads to URLs longer than its own, deeper than people build; much deeper, when the pages
 * say something new each time.
 */
import type { Family } from './family.ts'
import { type PatternFinding, patience, type Sight } from './finding.ts'

const BARREN = { deep: 10, long: 250, pages: 8 }
const FERTILE = { deep: 30, long: 600, pages: 16 }

export function judgeGrowth(family: Family, sight: Sight): PatternFinding | undefined {
  const max = family.kinds * 2 > family.pages ? FERTILE : BARREN
  if (family.longer < patience(max.pages, family, sight)) return undefined
  if (Math.min(family.longer, family.inward) * 10 < family.pages * 8) return undefined
  const { page } = sight
  const deep = page.path.split('/', max.deep + 2).length > max.deep
  if (!deep && page.path.length < max.long) return undefined
  const { pattern, examples } = family
  const evidence = `${family.longer} of ${family.pages} pages lead only to URLs longer than their own, up to ${family.longest} characters`
  return { rule: 'growing-url', proof: 'growth', pattern, evidence, examples }
}
