/**
 * Redirects that bring nothing: baskets and wish lists with a fresh key in each link all lead to one page, or back to the page that
 * named them. They are no pages of their families, so they are counted here: by form, or by folder where a path has three and more, as
 * keys in it make many forms.
 */
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { shorten } from './family.ts'
import { hasRest, type PageContext, type PatternFinding } from './finding.ts'
import { mark } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import type { UrlPattern } from './pattern.ts'
import { findSuspect } from './suspects.ts'

/** In a row: to one page, and to any known pages. */
const TO_ONE = 20
const TO_KNOWN = 60
/** Per form: its mark, redirects to known pages in a row, the last target, how often in a row that was the same. */
const COLUMNS = 4
const MAX_FORMS = 12

/** Counts an answer in the columns; the form counted last stands last. */
export function countRedirect(columns: number[], page: PageFacts, pattern: UrlPattern): void {
  const { outcome, links, content, isBlind } = page
  const target = outcome === 'moved' && links.length === 1 ? links[0] : undefined
  // An error says nothing.
  if (target === undefined && content === undefined) return
  // Nor does a redirect to the home page, where missing pages often lead, or one whose target may or may not be known.
  if (target !== undefined && (target.path === '/' || isBlind)) return
  const one = mark(placeOf(pattern)) | 0
  const at = indexOf(columns, one)
  if (target === undefined || target.fresh) {
    if (at >= 0) columns.splice(at, COLUMNS)
    return
  }
  const to = mark(target.path) | 0
  const [, known, last, same] = at < 0 ? [one, 0, 0, 0] : columns.splice(at, COLUMNS)
  columns.push(one, known + 1, to, to === last ? same + 1 : 1)
  if (columns.length > MAX_FORMS * COLUMNS) columns.splice(0, COLUMNS)
}

const DEEP = 3

function placeOf({ folders, form, names }: UrlPattern): string {
  return names.length === 0 && folders.length >= DEEP ? folders[0] : form
}

function indexOf(columns: readonly number[], form: number): number {
  for (let at = 0; at < columns.length; at += COLUMNS) if (columns[at] === form) return at
  return -1
}

export function judgeRedirects(columns: readonly number[], { page, pattern, novel }: PageContext): PatternFinding[] {
  if (page.outcome !== 'moved' || !hasRest(novel, 0)) return []
  const place = placeOf(pattern)
  const at = indexOf(columns, mark(place) | 0)
  if (at < 0) return []
  const [, known, , same] = columns.slice(at, at + COLUMNS)
  if (same < TO_ONE && known < TO_KNOWN) return []
  const where = same >= TO_ONE ? 'to one page' : 'to known pages'
  const evidence = `${same >= TO_ONE ? same : known} URLs in a row redirect ${where}`
  return [{ rule: 'same-content', proof: 'alias', pattern: place, evidence, examples: [shorten(page.path)] }]
}

/** A redirect into a stopped pattern, such as a "nothing found" page, is empty too. */
export function redirectsIntoTrap(
  { outcome, links }: PageFacts,
  { suspects }: { suspects: readonly SuspectPattern[] },
  trusted: (rule: string) => boolean,
): boolean {
  if (outcome !== 'moved' || links.length === 0 || suspects.length === 0) return false
  return links.every(({ path }) => findSuspect(suspects, path, trusted)?.stopped)
}
