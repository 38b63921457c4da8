/**
 * Parameters that multiply URLs but not contents: those with which pages say nothing new (`sort`, `view`), and filters
 * that can be combined at will. When one is found, the page's other parameters go on: its lists may be real.
 */
import type { ParameterRow } from '../../contracts/trap-memory.ts'
import type { Family } from './family.ts'
import { type PageContext, type PatternFinding, patience, restOf } from './finding.ts'
import { mark } from './marks.ts'
import { choicesOf, type Parameter, parametersOf } from './pattern.ts'
import { looksRandom } from './segments.ts'
import { ANYWHERE } from './suspects.ts'

/** Pages without news that a parameter needs: alone, and when all pages of the base are without news. */
const IDLE = 8
const IDLE_AMONG_IDLE = 3
/** Of these, pages with another value than the first: `page=1` in every order says nothing about `page=2`. */
const MIN_VARIED = 2
/** URLs of one base with exactly the same text and pictures. */
const OF_THE_SAME = 12
/** A base that has shown more contents is a list or an article in several orders: each further one allows two more URLs. */
const MAX_KINDS_OF_ONE_TEXT = 3
/** Combinations: sets of names, pages, and pages that lead only to more of them. */
const SETS = 6
const PAGES = 16
const LEADING = 12
const FREE_PAIRS = 2
const MAX_VALUES = 32
const MAX_SETS = 12
const MAX_NAMES = 6
const MAX_NAMES_OF_A_SITE = 20
/** A site-wide parameter makes no difference on this many bases. */
const MIN_BASES = 4

/** Counts a page's parameters. `isNew`: the base had not shown this content before. */
export function countParameters(family: Family, path: string, names: readonly string[], isNew: boolean): void {
  const parameters = parametersOf(path)
  const row = rowOf(family)
  countNames(row, names, parameters, isNew)
  addMark(row[4], setOf(names, row), MAX_SETS)
  for (const { name, value } of parameters) addMark(row[5], mark(`${name}=${value}`) >>> 12, MAX_VALUES + 1)
}

/**
 * Site-wide: stores bases without news instead of sets of names, and names that stood alone instead of values. `isStale`: the page is
 * made of what was said before. It speaks against parameters that tell pages apart only if it has no other: a list in another order
 * does not speak against its page number.
 */
export function countSiteParameters(
  family: Family,
  base: string,
  path: string,
  isNew: boolean,
  isStale: boolean | undefined,
  distinguishes: (name: string) => boolean,
): void {
  const parameters = parametersOf(path)
  const row = rowOf(family)
  const [known, , , , bases, alone, , , stale, novel] = row
  const names = [...new Set(parameters.flatMap(choicesOf))].filter((name) => mayEnter(name, known))
  const others = countNames(row, names, parameters, isNew, MAX_NAMES_OF_A_SITE)
  if (isStale !== undefined) {
    const idle = isStale ? names.filter((name) => !distinguishes(name.split('=', 1)[0])) : []
    for (const name of idle.length > 0 ? idle : names) {
      const at = known.indexOf(name)
      if (at >= 0 && isStale && others.includes(name)) stale[at]++
      if (at >= 0 && !isStale) novel[at]++
    }
  }
  if (isNew) return
  addMark(bases, mark(base), MAX_SETS)
  if (parameters.length === 1) for (const name of names) addMark(alone, mark(name), MAX_NAMES_OF_A_SITE)
}

/** A parameter with more values than this is a name, and would crowd out the others. */
const MAX_CHOICES = 6

function mayEnter(name: string, known: readonly string[]): boolean {
  const equals = name.indexOf('=')
  if (equals < 0 || known.includes(name)) return true
  const parameter = name.slice(0, equals + 1)
  return known.filter((one) => one.startsWith(parameter)).length < MAX_CHOICES
}

/** Returns the names whose value is another than on the first page. */
function countNames(
  row: ParameterRow,
  names: readonly string[],
  parameters: readonly Parameter[],
  isNew: boolean,
  max = MAX_NAMES,
): string[] {
  const [, pages, idle, news, , , first, varied] = row
  // News on a page with a parameter known for news says nothing about the others.
  const fertile = isNew ? names.filter((name) => isFertile(name, row)) : []
  const barren = isNew ? [] : rarestBarren(names, row, max)
  const others: string[] = []
  for (const name of names) {
    const at = indexOfName(name, row, max)
    if (at < 0) continue
    const value = parameters.find((one) => one.name === name)?.value
    const hash = value === undefined ? 0 : (mark(value) >>> 16) | 1
    if (pages[at] === 0) first[at] = hash
    const isVaried = hash === 0 || first[at] !== hash
    if (isVaried) others.push(name)
    if (isVaried && !isNew) varied[at]++
    pages[at]++
    if (!isNew) idle[at] += barren.length === 0 || barren.includes(name.split('=', 1)[0]) ? 1 : 0
    else if (fertile.length === 0 || fertile.includes(name)) news[at]++
  }
  return others
}

/** A copy, which takes the place of the row: what was closed before is not changed. */
function rowOf(family: Family): ParameterRow {
  const [names = [], ...counts] = family.parameters ?? []
  // Rows of an earlier version are shorter.
  const [pages, idle, news, sets, values, first, varied, stale, novel] = Array.from({ length: 9 }, (_, at) => [
    ...(counts[at] ?? names.map(() => 0)),
  ])
  return (family.parameters = [[...names], pages, idle, news, sets, values, first, varied, stale, novel])
}

function isFertile(name: string, [names, pages, , news]: ParameterRow): boolean {
  const at = names.indexOf(name)
  return at >= 0 && news[at] >= 1 && news[at] * 2 >= pages[at]
}

/**
 * A page without news speaks against the rarest of its parameters that never brought any: `Start=1` on every link that only
 * opens a row (`Expand=3&Start=1`) would otherwise be blamed before `Expand`, and `Start=31` is another page.
 */
function rarestBarren(names: readonly string[], [known, pages, idle]: ParameterRow, max: number): string[] {
  const isFull = known.length >= max && Math.min(...pages) > 2
  let fewest = Number.POSITIVE_INFINITY
  let found: string[] = []
  for (const name of names) {
    const at = known.indexOf(name)
    const seen = at < 0 ? 0 : pages[at]
    if (name.includes('=') || seen > fewest || (at < 0 ? isFull : idle[at] < seen)) continue
    if (seen < fewest) found = []
    fewest = seen
    found.push(name)
  }
  return found
}

/** Replaces the rarest name by a new one. */
function indexOfName(name: string, row: ParameterRow, max: number): number {
  const [names, pages, idle, news, , , first, varied, stale, novel] = row
  const at = names.indexOf(name)
  if (at >= 0) return at
  const rarest = names.length < max ? names.length : pages.indexOf(Math.min(...pages))
  if (rarest < names.length && pages[rarest] > 2) return -1
  names[rarest] = name
  for (const counts of [pages, idle, news, first, varied, stale, novel]) counts[rarest] = 0
  return rarest
}

/** A set of names as bits over the names of the row. */
function setOf(names: readonly string[], [known]: ParameterRow): number {
  let bits = 0
  for (const name of names) if (known.includes(name)) bits |= 1 << known.indexOf(name)
  return bits
}

/** Pairs of parameters seen alone and together: they can be combined at will. */
function freePairs(names: number, sets: readonly number[]): number {
  let pairs = 0
  for (let a = 0; a < names; a++) {
    for (let b = a + 1; b < names; b++) {
      const seen = new Set(sets.map((bits) => ((bits >> a) & 1) + 2 * ((bits >> b) & 1)))
      if (seen.has(1) && seen.has(2) && seen.has(3)) pairs++
    }
  }
  return pairs
}

function addMark(marks: number[], one: number, max: number): void {
  if (marks.length < max && !marks.includes(one)) marks.push(one)
}

/** `distinguishes`: pages that differ in this parameter only were different. */
export function judgeParameters(
  family: Family,
  base: string,
  context: PageContext,
  distinguishes: (name: string) => boolean,
): PatternFinding[] {
  if (family.parameters === undefined) return []
  const [names, pages, idle, news, sets, , , varied] = family.parameters
  const { examples } = family
  // For example a login page that every page links to with its own address.
  const ofTheSame = OF_THE_SAME + 2 * Math.max(0, family.kinds - MAX_KINDS_OF_ONE_TEXT)
  if (family.same - family.linked >= patience(ofTheSame, family, context)) {
    const evidence = `${family.same} URLs in a row gave one text, whatever their parameters`
    return [{ rule: 'same-content', proof: 'alias', pattern: `${base}?**`, evidence, examples }]
  }
  // With one set of names the base equals the form, which is judged itself.
  if (sets.length < 2) return []
  const allIdle = isAllIdle(family, context)
  const min = allIdle ? IDLE_AMONG_IDLE : patience(IDLE, family, context)
  const found: PatternFinding[] = []
  for (let at = 0; at < names.length; at++) {
    if (idle[at] < min || idle[at] * 2 < pages[at] || news[at] > idle[at] / 10 + (allIdle ? 0 : 1)) continue
    if (varied[at] < MIN_VARIED || distinguishes(names[at])) continue
    const evidence = `${idle[at]} of ${pages[at]} pages with the parameter ${names[at]} said nothing new`
    found.push({ rule: 'idle-parameter', proof: 'alias', pattern: idlePattern(base, names[at]), evidence, examples })
  }
  if (found.length === 0 && allIdle && Math.max(...pages) <= 2) {
    const evidence = `${family.streak} pages with ever other parameters said nothing new (${family.kinds} different)`
    return [{ rule: 'idle-parameter', proof: 'alias', pattern: `${base}?**`, evidence, examples }]
  }
  // Also if one was found: it may have been stopped before.
  return [...found, ...judgeCombinations(family, base, context)]
}

/** No recent page with any parameter was new. */
function isAllIdle(family: Family, context: PageContext): boolean {
  const budget = IDLE + 4 * Math.max(0, family.kinds - 1)
  return family.growing * 2 >= family.pages && family.kinds <= 3 && family.streak >= patience(budget, family, context)
}

/** Only in a part of the site, where parameters combine freely, and where values are few or hardly anything is new. */
function judgeCombinations(family: Family, base: string, context: PageContext): PatternFinding[] {
  const [names, pages, , , sets, values] = family.parameters!
  const combined = names.filter((_, at) => pages[at] >= 2)
  if (sets.length < SETS || combined.length < 3 || family.pages < patience(PAGES, family, context)) return []
  if (family.growing < LEADING || family.inward * 10 < family.growing * 8) return []
  if (family.kinds > restOf(family, context) || freePairs(names.length, sets) < FREE_PAIRS) return []
  const few = values.length <= MAX_VALUES
  if (!few && family.kinds * 2 > family.pages) return []
  const evidence =
    `${family.pages} pages of ${sets.length} sets of parameters (${values.length}${few ? '' : ' and more'} values in all) ` +
    'lead only to more combinations of them'
  // More names than are counted: any two may be combined.
  const list = names.length === MAX_NAMES ? '*' : combined.join(',')
  const pattern = `${base}?{${list}} two or more`
  return [{ rule: 'parameter-combinations', proof: 'growth', pattern, evidence, examples: family.examples }]
}

/** Site-wide: pages with the parameter, on any base, said what other pages had said. */
export function judgeSiteParameters(
  { parameters, examples, kinds }: Family,
  context: PageContext,
  distinguishes: (name: string) => boolean,
): PatternFinding[] {
  const { page, pattern } = context
  const own = new Set(parametersOf(page.path).flatMap(choicesOf))
  if (parameters === undefined) return []
  const [names, pages, idle, news, bases, alone, , , stale, novel] = parameters
  const found: PatternFinding[] = []
  for (let at = 0; at < names.length; at++) {
    if (!own.has(names[at])) continue
    const [name, value] = names[at].split('=')
    const where = bases.length < MIN_BASES ? pattern.base : ANYWHERE
    const finding = {
      rule: 'idle-parameter',
      proof: 'alias',
      pattern: idlePattern(where, name, value),
      examples,
    } as const
    if (isMade(stale[at], novel[at], context)) {
      const evidence = `${stale[at]} of ${stale[at] + novel[at]} pages with the parameter ${names[at]} are made of what was known from others`
      found.push({ ...finding, evidence })
      continue
    }
    if (distinguishes(names[at])) continue
    // A parameter that stands alone may name the page; then it must make no difference on several bases.
    if (bases.length < MIN_BASES && alone.includes(mark(names[at]))) continue
    const never =
      idle[at] >= patience(IDLE, { kinds }, context) && news[at] <= idle[at] / 10 + 1 && idle[at] * 2 >= pages[at]
    // Where every link has it, real pages have it too, and are soon outnumbered.
    if (!never && idle[at] <= 3 * (pages[at] - idle[at]) + 12) continue
    const evidence = `${idle[at]} of ${pages[at]} pages with the parameter ${names[at]} said what was known from others`
    found.push({ ...finding, evidence })
  }
  return withoutBystanders(found, page.path)
}

/** Of the pages that could be compared, too few say something of their own. Such pages may well differ from each other. */
function isMade(stale: number, novel: number, context: PageContext): boolean {
  return stale >= patience(2 * IDLE, NO_KINDS, context) && (novel <= stale / 10 || stale > 4 * novel + 12)
}

const NO_KINDS = { kinds: 0 }

/** Where every link has a session id, the parameter that names the page repeats as often. Random values name no page. */
function withoutBystanders(found: PatternFinding[], path: string): PatternFinding[] {
  if (found.length < 2) return found
  const random = parametersOf(path).filter(({ value }) => looksRandom(value))
  const drawn = found.filter(({ pattern }) => random.some(({ name }) => pattern.includes(`?${name}=`)))
  return drawn.length > 0 ? drawn : found
}

export function idlePattern(base: string, name: string, value = '*'): string {
  return `${base}?${name}=${value}&**`
}
