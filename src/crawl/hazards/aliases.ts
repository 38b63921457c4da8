/**
 * URLs that say the same without one of their parts: `/post?replytocom=7` for `/post`, `/pub/current/a` for `/pub/a`.
 * The page without the part is known, so nothing is lost. Parts that made no difference often enough are no longer
 * followed.
 */
import type { AliasRow } from '../../contracts/trap-memory.ts'
import type { Content } from './content.ts'
import { shorten } from './family.ts'
import { hasRest, type PageContext, type PatternFinding, patience } from './finding.ts'
import type { KnownPages } from './known-pages.ts'
import { EMPTY, mark, markOn, mix } from './marks.ts'
import { idlePattern } from './parameters.ts'
import { choicesOf, type Parameter, parametersOf, type UrlPattern } from './pattern.ts'
import { ANYWHERE } from './suspects.ts'
import { marksOf, saidBy, type Variants } from './variants.ts'

/** Pages that said the same without the parameter or the folder; each page that did not needs ten that did. */
const PARAMETER = 5
const FOLDER = 8
const FEWEST = 2
const MAX_ROWS = 20
const MAX_PARTS = 6

type Said = 'same' | 'other'
type Parts = Map<string, Said>

export interface Aliases {
  rows: readonly AliasRow[]
  /** A URL without one of its parts gave the same page. */
  isAlias: boolean
  /** Parts of this page. */
  parts: readonly string[]
  /** Parts without which the page could be compared with another, and the result. */
  direct: Parts | undefined
}

interface KnownAliases {
  aliases: readonly AliasRow[]
  known: KnownPages
  variants: Variants
}

export function countAliases(
  { aliases: rows, known, variants }: KnownAliases,
  path: string,
  { folders, base, names: own }: UrlPattern,
  content: Content,
  links: readonly { path: string; fresh: boolean }[],
  isNews: boolean,
  isStale: boolean,
): Aliases {
  const query = path.indexOf('?')
  const parameters = query < 0 ? NO_PARAMETERS : parametersOf(path)
  let parts =
    query < 0
      ? partsOfFolders(known, rows, path, folders, content, links)
      : partsOfParameters(known, path, query, parameters, content)
  const direct = query < 0 ? parts : (parts = addVariants(parts, variants, path, parameters, content, links))
  // Where every link has the part, real pages have it too: new content not known without the part speaks for it, but for a usual value.
  if (isNews && !isStale && parts === undefined) {
    for (const [part, , , , , usual] of rows) {
      const name = part.startsWith('?') ? part.slice(1).split('=')[0] : undefined
      const isIts = name === undefined ? folders.includes(part) : own.includes(name)
      if (isIts && !(name !== undefined && !part.includes('=') && isUsual(name, usual, parameters)))
        parts = (parts ?? new Map<string, Said>()).set(part, 'other')
    }
  }
  // Known from elsewhere: that it differs from one page says nothing.
  if (isStale && parts !== undefined) for (const [part, said] of parts) if (said === 'other') parts.delete(part)
  const isKnown = direct !== undefined && [...direct.values()].includes('same')
  const voted = isNews && !isStale && !isKnown ? voteForUsual(rows, parameters) : rows
  if (parts === undefined) return { rows: voted, isAlias: false, parts: NO_PARTS, direct }
  let next = voted
  const here = baseMark(base)
  for (const [part, said] of parts) next = count(next, part, said, here, direct !== undefined && said === 'other')
  return { rows: next, isAlias: [...parts.values()].includes('same'), parts: [...parts.keys()], direct }
}

const NO_PARAMETERS: readonly Parameter[] = []
/** Longer values are not on all links of a site. */
const LONGEST_USUAL = 24

function isUsual(name: string, usual: string | undefined, parameters: readonly Parameter[]): boolean {
  return usual !== undefined && usual !== '' && parameters.some((one) => one.name === name && one.value === usual)
}

/**
 * What most new pages have: a value of the parameter, or none (''). One candidate at a time: a page that has another counts against
 * it.
 */
function voteForUsual(rows: readonly AliasRow[], parameters: readonly Parameter[]): readonly AliasRow[] {
  if (!rows.some(([part]) => part.startsWith('?'))) return rows
  return rows.map((row): AliasRow => {
    const [part, same, other, place, places, usual = '', votes = 0, differs = 0] = row
    if (!part.startsWith('?')) return row
    const name = part.slice(1).split('=')[0]
    const value = parameters.find((one) => one.name === name)?.value ?? ''
    const vote: [string, number] =
      value === usual
        ? [usual, votes + 1]
        : votes > 0
          ? [usual, votes - 1]
          : [value.length > LONGEST_USUAL ? '' : value, 1]
    return [part, same, other, place, places, ...vote, differs]
  })
}

/** Compares with URLs that have another value of one or two parameters, or lack them, however long ago they were seen. */
function addVariants(
  parts: Parts | undefined,
  variants: Variants,
  path: string,
  parameters: readonly Parameter[],
  content: Content,
  links: readonly { path: string; fresh: boolean }[],
): Parts | undefined {
  const grows = links.some(({ fresh }) => fresh)
  const said = saidBy(content)
  const { without } = marksOf(path)
  let all = parts
  for (const { key, plain, missing } of without) {
    if (missing.some((at) => at >= parameters.length)) continue
    // One of the two is enough to explain it.
    if (missing.length > 1 && missing.some((at) => all?.get(`?${parameters[at].name}`) === 'same')) continue
    const others = [variants.compareAt(key, said), missing.length > 1 ? undefined : variants.compareAt(plain, said)]
    // Pages that differ in numbers are the same only where each leads to another.
    const isSame = others.includes('same') || (grows && others.includes('alike'))
    // A different page says nothing about one of two parameters.
    if (!isSame && !(others.includes('other') && missing.length === 1)) continue
    all ??= new Map<string, Said>()
    for (const at of missing) {
      const { name } = parameters[at]
      if (isSame && leadsBeyond(links, name)) continue
      if (!all.has(`?${name}`)) all.set(`?${name}`, isSame ? 'same' : 'other')
    }
  }
  return all
}

const NO_PARTS: readonly string[] = []

/** Compares with the URL without its query, and without each parameter. */
function partsOfParameters(
  known: KnownPages,
  path: string,
  query: number,
  parameters: readonly Parameter[],
  content: Content,
): Parts | undefined {
  const parts: Parts = new Map()
  const pieces = path.slice(query + 1).split('&', MAX_PARTS + 1)
  const add = (missing: readonly Parameter[], shorter: number, alone: boolean) => {
    const said = known.compareAt(shorter, content)
    // A different page without several parameters says nothing about any one of them.
    if (said === undefined || (said === 'other' && !alone)) return
    for (const parameter of missing)
      for (const choice of choicesOf(parameter)) {
        const part = `?${choice}`
        if (parts.get(part) !== 'same') parts.set(part, said)
      }
  }
  add(parameters, mix(markOn(EMPTY, path, 0, query)), parameters.length === 1)
  if (pieces.length >= 2 && pieces.length <= MAX_PARTS) {
    for (let at = 0; at < Math.min(pieces.length, parameters.length); at++) {
      const others = pieces.filter((_, other) => other !== at).join('&')
      add([parameters[at]], mark(`${path.slice(0, query)}?${others}`), true)
    }
  }
  return parts.size === 0 ? undefined : parts
}

/** It opens a list: unknown URLs without the parameter are not there because every link carries it on. */
function leadsBeyond(links: readonly { path: string; fresh: boolean }[], name: string): boolean {
  return links.some(({ path, fresh }) => fresh && !parametersOf(path).some((one) => one.name === name))
}

/** Compares with the path without one of its shallowest folders. */
function partsOfFolders(
  known: KnownPages,
  rows: readonly AliasRow[],
  path: string,
  folders: readonly string[],
  content: Content,
  links: readonly { path: string }[],
): Parts | undefined {
  let parts: Parts | undefined
  let from = 0
  for (let at = folders.length - 1; at >= 0; at--) {
    const to = path.indexOf('/', from + 1)
    if (to < 0) break
    const shorter = mix(markOn(markOn(EMPTY, path, 0, from), path, to, path.length))
    // Rough comparison: a listing names its own path.
    const said = known.compareAt(shorter, content, true)
    const folder = folders[at]
    // A translation or an edition may be the same page; a folder inside itself has no other reason.
    if (said !== undefined && (rows.some(([part]) => part === folder) || leadsIntoItself(path, from, to, links)))
      parts = (parts ?? new Map<string, Said>()).set(folder, said)
    from = to
  }
  return parts
}

/** The path itself, or one of the links, has the segment between the slashes twice in a row. */
function leadsIntoItself(path: string, from: number, to: number, links: readonly { path: string }[]): boolean {
  const segment = path.slice(from + 1, to)
  const twice = `/${segment}/${segment}/`
  return path.includes(twice) || links.some((link) => link.path.includes(twice))
}

function count(
  rows: readonly AliasRow[],
  part: string,
  said: Said,
  here: number,
  isDirect: boolean,
): readonly AliasRow[] {
  const at = rows.findIndex(([name]) => name === part)
  const [, same, other, base, baseChanges, usual = '', votes = 0, differs = 0] =
    at < 0 ? [part, 0, 0, here, 0] : rows[at]
  const moved = Math.min(9, base === here ? baseChanges : baseChanges + 1)
  const counted: [number, number] = said === 'other' ? [same, other + 1] : [same + 1, other]
  const row: AliasRow = part.startsWith('?')
    ? [part, ...counted, here, moved, usual, votes, differs + (isDirect ? 1 : 0)]
    : [part, ...counted, here, moved]
  if (at >= 0) return rows.map((one, index) => (index === at ? row : one))
  return [...(rows.length < MAX_ROWS ? rows : withoutLeast(rows)), row]
}

/** Pages that differ in this parameter only say different things. */
export function isDistinguishing(rows: readonly AliasRow[], name: string): boolean {
  const row = rows.find(([part]) => part === `?${name}`)
  if (row === undefined) return false
  const [, same, , , , , , differs = 0] = row
  return differs >= 2 && differs * 10 > same
}

function withoutLeast(rows: readonly AliasRow[]): AliasRow[] {
  const min = Math.min(...rows.map(([, same, other]) => same + other))
  const at = rows.findIndex(([, same, other]) => same + other === min)
  return rows.filter((_, index) => index !== at)
}

const NO_FINDINGS: readonly PatternFinding[] = []

export function judgeAliases({ rows, isAlias, parts }: Aliases, context: PageContext): readonly PatternFinding[] {
  if (!isAlias || !hasRest(context.novel, 0)) return NO_FINDINGS
  const all = judgeAll(rows, context)
  const found: PatternFinding[] = all === undefined ? [] : [all]
  let folders = 0
  for (const [part, same, other] of rows) if (!part.startsWith('?') && other * 10 <= same) folders += same
  for (const row of rows) {
    const [part, same, , , baseChanges, usual] = row
    const other = againstIt(row)
    if (!parts.includes(part) || other * 10 > same) continue
    const isParameter = part.startsWith('?')
    // Nested folders, as relative links pile them up, count together.
    const pages = isParameter ? same : same < FEWEST ? 0 : folders
    if (pages < patience(isParameter ? PARAMETER : FOLDER, NO_KINDS, context)) continue
    const examples = [shorten(context.page.path)]
    if (isParameter) {
      const evidence = `${same} of ${same + other} pages said the same without ${part.slice(1)}`
      const [name, value] = part.slice(1).split('=')
      const finding: PatternFinding = {
        rule: 'idle-parameter',
        proof: 'alias',
        pattern: idlePattern(baseChanges > 0 ? ANYWHERE : context.pattern.base, name, value),
        evidence,
        examples,
      }
      // A pattern of one value holds back that value, so it has no usual one.
      found.push(usual && value === undefined ? { ...finding, usual } : finding)
    } else {
      const evidence = `${same} of ${same + other} pages said the same without this folder in their path`
      found.push({ rule: 'folder-in-itself', proof: 'alias', pattern: part, evidence, examples })
    }
  }
  return found
}

/** Pages that speak against it. Where most new pages have one value, others may be new for another reason. */
function againstIt([part, , other, , , usual = '', votes = 0, differs = 0]: AliasRow): number {
  return usual !== '' && !part.includes('=') && votes >= other - differs ? differs : other
}

/** Different parameters of one page that made no difference, on this many URLs, and none that did. */
const NAMES_OF_ALL = 4
const PAGES_OF_ALL = 12

function judgeAll(rows: readonly AliasRow[], { pattern, page }: PageContext): PatternFinding | undefined {
  const here = baseMark(pattern.base)
  const own = rows.filter(([part, , , base]) => base === here && part.startsWith('?') && !part.includes('='))
  const pages = own.reduce((sum, [, same]) => sum + same, 0)
  const isIdle = own.every(([, , other, , baseChanges]) => other === 0 && baseChanges === 0)
  if (!isIdle || own.length < NAMES_OF_ALL || pages < PAGES_OF_ALL) return undefined
  const evidence = `${pages} URLs with ${own.length} different parameters said the same as without them, and none something else`
  return {
    rule: 'idle-parameter',
    proof: 'alias',
    pattern: `${pattern.base}?**`,
    evidence,
    examples: [shorten(page.path)],
  }
}

const baseMark = (base: string) => mark(base) >>> 8

const NO_KINDS = { kinds: 0 }

/**
 * Repeated segments (`/a/b/a/b/a/b`, `/x/x/x`): relative links on a server that answers anything. Four repeats are
 * enough if one such page had nothing new; fewer if several had.
 */

const CERTAIN = 4
const SUSPICIOUS = 2
/** Pages with few repeats that said nothing new. */
const PAGES = 3

/** Segments considered when comparing with shorter URLs. */
const MAX_SEGMENTS = 12

export type Repeats = [answered: number, nothingNew: number]

function repeatPattern(folder: string, min: number): string {
  return `${folder}/** with ${min} segments repeated`
}

/** The URL repeats itself (`inPath`, as `repeatsIn` counts), and a known page at the URL without some of its segments says nearly the same. */
export function isAliasOfRepeats(known: KnownPages, path: string, inPath: number, content: Content): boolean {
  if (inPath < SUSPICIOUS) return false
  const slashes: number[] = []
  for (let at = path.indexOf('/'); at >= 0 && slashes.length < MAX_SEGMENTS; at = path.indexOf('/', at + 1))
    slashes.push(at)
  return slashes.some((from, first) =>
    slashes.slice(first + 1).some((to) => {
      const shorter = mix(markOn(markOn(EMPTY, path, 0, from), path, to, path.length))
      return known.compareAt(shorter, content, true) === 'same'
    }),
  )
}

/** Counts the page if its path repeats itself. */
export function countRepeats(repeats: Repeats | undefined, inPath: number, isNew: boolean): Repeats | undefined {
  if (inPath < SUSPICIOUS) return repeats
  const [answered, nothingNew] = repeats ?? [0, 0]
  return [answered + 1, nothingNew + (isNew ? 0 : 1)]
}

export function judgeRepeats(
  repeats: Repeats | undefined,
  inPath: number,
  isAlias: boolean,
  { page, content }: PageContext,
): PatternFinding | undefined {
  if (content === undefined || repeats === undefined || inPath < SUSPICIOUS) return undefined
  const [answered, nothingNew] = repeats
  const rule = 'repeated-segments'
  const examples = [shorten(page.path)]
  if (nothingNew >= PAGES && nothingNew * 5 >= answered * 2) {
    const evidence = `${nothingNew} of ${answered} pages with repeated segments in their paths said nothing new`
    // Relative links pile up in one folder, which is known without them; elsewhere such paths may be meant.
    const folder = isAlias ? page.path.slice(0, page.path.indexOf('/', 1)) : ''
    return { rule, proof: isAlias ? 'alias' : 'text', pattern: repeatPattern(folder, SUSPICIOUS), evidence, examples }
  }
  // A page with new content counts as a page wherever it lies.
  if (inPath < CERTAIN || nothingNew === 0) return undefined
  const evidence = `a page was answered whose path has ${inPath} segments that were there before in it`
  return { rule, proof: 'text', pattern: repeatPattern('', CERTAIN), evidence, examples }
}
