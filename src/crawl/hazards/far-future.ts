/**
 * Dates that lie years ahead. Nobody has written of them; where page after page has such a date and leads on to the next, a
 * machine makes them, whatever it writes on them.
 */
import type { Instant } from '../../base/clock.ts'
import type { Family } from './family.ts'
import { type PatternFinding, patience, type Sight } from './finding.ts'
import { isDigit } from './segments.ts'

const PAGES = 5
/** From the year after next on. */
const YEARS = 2
const MAX_YEARS = 200
const YEAR_MS = 365.2425 * 86_400_000

/** Four digits by themselves, or the first of a date in one number: 203104, 20310412. */
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

/** A 2 and three more digits: few URLs have them, and only those are worth a regular expression. */
function mayHaveYear(path: string): boolean {
  let digits = 0
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    digits = isDigit(code) && (digits > 0 || code === 50) ? digits + 1 : 0
    if (digits === 4) return true
  }
  return false
}

/** Only where its pages lead to more of it and to nothing else. */
export function judgeFuture(family: Family, sight: Sight): PatternFinding | undefined {
  const { pattern, pages, ahead, growing, inward, examples } = family
  if (ahead < patience(PAGES, family, sight)) return undefined
  if (growing < pages * 0.8 || inward < pages * 0.8) return undefined
  const evidence = `${ahead} of ${pages} pages have dates that lie years ahead; ${growing} of them lead to more of the same`
  return { rule: 'endless-sequence', proof: 'growth', pattern, evidence, examples }
}
