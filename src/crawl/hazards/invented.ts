/**
 * Pages for any name: a search for whatever is not there, generated text. They are not short, not alike and not one page, so the
 * check for missing pages (`soft-404.ts`) says nothing of them. A family that has grown for long is asked for a name that cannot
 * exist. A site that keeps pages has none; a machine answers with one more of the kind, which leads to others.
 */
import type { Instant } from '../../base/clock.ts'
import { type Family, shorten } from './family.ts'
import { mark, ones } from './marks.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { addSuspect, isCovered } from './suspects.ts'

/** Pages of the family, of which four in five lead to fresh ones, and names asked for on one site. */
const MIN_PAGES = 60
const MAX_NAMES = 4
/** Fresh links of the family on the page for the invented name, and bits in which its tags may differ. */
const MIN_FRESH = 2
const MAX_BITS = 6

/** What to ask for: the invented name between these two. */
export interface Invention {
  before: string
  after: string
  /** Of the family. */
  pattern: string
  /** Of one of its pages. */
  tags: bigint
}

/** Asks once per family. */
export function inventionFor(
  traps: OpenTraps,
  form: Family,
  page: PageFacts,
  pattern: UrlPattern,
): Invention | undefined {
  const { pages, growing, fresh } = form
  if (pages < MIN_PAGES || growing * 5 < pages * 4 || fresh < pages || pattern.names.length > 0) return undefined
  const leaf = /[^/]*\/?$/.exec(form.pattern)![0]
  const one = mark(form.pattern)
  if (!/[{*]/.test(leaf) || page.content === undefined || traps.invented.includes(one)) return undefined
  if (traps.invented.length >= MAX_NAMES || isCovered(form.pattern, traps.suspects)) return undefined
  traps.invented = [...traps.invented, one]
  const [, before, after] = /^(.*\/)[^/]*?((?:\.[a-z]{1,5})?\/?)$/.exec(page.path) ?? []
  return before === undefined ? undefined : { before, after, pattern: form.pattern, tags: page.content.tags }
}

/** `fresh`: paths of unknown pages to which the page for the invented name leads. */
export function learnInvention(
  traps: OpenTraps,
  { pattern, tags }: Invention,
  answer: { path: string; tags: bigint; fresh: readonly string[] },
  at: Instant,
): void {
  const apart = BigInt.asUintN(64, tags ^ answer.tags)
  const bits = ones(Number(apart & 0xffffffffn)) + ones(Number(apart >> 32n))
  const more = answer.fresh.filter((path) => patternOf(path).form === pattern).length
  if (bits > MAX_BITS || more < MIN_FRESH) return
  const evidence = `a name that cannot exist was answered with a page of this kind, which leads to ${more} more of them`
  const finding = { rule: 'maze', proof: 'invented', pattern, evidence, examples: [shorten(answer.path)] } as const
  traps.suspects = addSuspect(traps.suspects, finding, at, undefined) ?? traps.suspects
}
