/**
 * URLs that are another with a part more and say the same: `/post?replytocom=7` for `/post`, `/pub/current/a` for `/pub/a`. The
 * page without the part is known, so nothing is lost; parts that were seen to do nothing often enough are followed no more.
 */
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import type { Content } from './content.ts'
import { shorten } from './family.ts'
import { hasRest, type PatternFinding, patience, type Sight } from './finding.ts'
import type { KnownPages } from './known-pages.ts'
import { EMPTY, mark, markOn, mix } from './marks.ts'
import { idlePattern } from './parameters.ts'
import { choicesOf, type Parameter, parametersOf, type UrlPattern } from './pattern.ts'
import { ANYWHERE } from './suspects.ts'

type AliasRow = NonNullable<TrapMemory['aliases']>[number]

/** Pages that said the same without the parameter, and without the folder; for each that did not there must be ten. */
const PARAMETER = 5
const FOLDER = 8
const FEWEST = 2
const MAX_ROWS = 20
const MAX_PARTS = 6

export interface Aliases {
  rows: readonly AliasRow[]
  /** It is what a URL with a part less gave. */
  isAlias: boolean
  /** Parts of this page. */
  parts: readonly string[]
}

type Parts = Map<string, 'same' | 'other'>

export function countAliases(
  { aliases: rows, known }: { aliases: readonly AliasRow[]; known: KnownPages },
  path: string,
  { folders, place, names: own }: UrlPattern,
  content: Content,
  links: readonly { path: string }[],
  isNews: boolean,
): Aliases {
  const query = path.indexOf('?')
  let parts =
    query < 0
      ? partsOfFolders(known, rows, path, folders, content, links)
      : partsOfParameters(known, path, query, content)
  // Where a part is on every link, what is real comes with it too: something new that is not known without it speaks for it.
  if (isNews && parts === undefined) {
    for (const [part] of rows) {
      const isIts = part.startsWith('?') ? own.includes(part.slice(1).split('=')[0]) : folders.includes(part)
      if (isIts) parts = (parts ?? new Map<string, 'same' | 'other'>()).set(part, 'other')
    }
  }
  if (parts === undefined) return { rows, isAlias: false, parts: NO_PARTS }
  let next = rows
  const here = placeMark(place)
  for (const [part, said] of parts) next = count(next, part, said, here)
  return { rows: next, isAlias: [...parts.values()].includes('same'), parts: [...parts.keys()] }
}

const NO_PARTS: readonly string[] = []

/** Held against the URL without its query, and without each of its parameters. */
function partsOfParameters(known: KnownPages, path: string, query: number, content: Content): Parts | undefined {
  const parts: Parts = new Map()
  const pieces = path.slice(query + 1).split('&', MAX_PARTS + 1)
  const parameters = parametersOf(path)
  const add = (missing: readonly Parameter[], shorter: number, alone: boolean) => {
    const said = known.saidAt(shorter, content)
    // That it says something else without any of several tells of none of them.
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

/** Held against the path without one of the shallowest folders that have a pattern of their own. */
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
    // A listing tells where it stands.
    const said = known.saidAt(shorter, content, true)
    const folder = folders[at]
    // A translation, or an edition, may well be the same; a folder that lies in itself has no other sense.
    if (said !== undefined && (rows.some(([part]) => part === folder) || leadsIntoItself(path, from, to, links)))
      parts = (parts ?? new Map<string, 'same' | 'other'>()).set(folder, said)
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

function count(rows: readonly AliasRow[], part: string, said: 'same' | 'other', here: number): AliasRow[] {
  const at = rows.findIndex(([name]) => name === part)
  const [, same, other, place, places] = at < 0 ? [part, 0, 0, here, 0] : rows[at]
  const moved = Math.min(9, place === here ? places : places + 1)
  const row: AliasRow = said === 'same' ? [part, same + 1, other, here, moved] : [part, same, other + 1, here, moved]
  if (at >= 0) return rows.map((one, place) => (place === at ? row : one))
  return [...(rows.length < MAX_ROWS ? rows : withoutLeast(rows)), row]
}

function withoutLeast(rows: readonly AliasRow[]): AliasRow[] {
  const min = Math.min(...rows.map(([, same, other]) => same + other))
  const at = rows.findIndex(([, same, other]) => same + other === min)
  return rows.filter((_, place) => place !== at)
}

const NO_FINDINGS: readonly PatternFinding[] = []

export function judgeAliases({ rows, isAlias, parts }: Aliases, sight: Sight): readonly PatternFinding[] {
  if (!isAlias || !hasRest(sight.novel, 0)) return NO_FINDINGS
  const all = judgeAll(rows, sight)
  const found: PatternFinding[] = all === undefined ? [] : [all]
  let folders = 0
  for (const [part, same, other] of rows) if (!part.startsWith('?') && other * 10 <= same) folders += same
  for (const [part, same, other, , places] of rows) {
    if (!parts.includes(part) || other * 10 > same) continue
    const isParameter = part.startsWith('?')
    // Folders that lie in one another, as relative links pile them up, speak for one another.
    const pages = isParameter ? same : same < FEWEST ? 0 : folders
    if (pages < patience(isParameter ? PARAMETER : FOLDER, NO_KINDS, sight)) continue
    const examples = [shorten(sight.page.path)]
    if (isParameter) {
      const evidence = `${same} of ${same + other} pages said the same without ${part.slice(1)}`
      const [name, value] = part.slice(1).split('=')
      found.push({
        rule: 'idle-parameter',
        proof: 'alias',
        pattern: idlePattern(places > 0 ? ANYWHERE : sight.pattern.place, name, value),
        evidence,
        examples,
      })
    } else {
      const evidence = `${same} of ${same + other} pages said the same without this folder in their path`
      found.push({ rule: 'folder-in-itself', proof: 'alias', pattern: part, evidence, examples })
    }
  }
  return found
}

/** Of one page, so many different parameters that did nothing, on so many URLs, and none that did something. */
const NAMES_OF_ALL = 4
const PAGES_OF_ALL = 12

function judgeAll(rows: readonly AliasRow[], { pattern, page }: Sight): PatternFinding | undefined {
  const here = placeMark(pattern.place)
  const own = rows.filter(([part, , , place]) => place === here && part.startsWith('?') && !part.includes('='))
  const pages = own.reduce((sum, [, same]) => sum + same, 0)
  const isIdle = own.every(([, , other, , places]) => other === 0 && places === 0)
  if (!isIdle || own.length < NAMES_OF_ALL || pages < PAGES_OF_ALL) return undefined
  const evidence = `${pages} URLs with ${own.length} different parameters said the same as without them, and none something else`
  return {
    rule: 'idle-parameter',
    proof: 'alias',
    pattern: `${pattern.place}?**`,
    evidence,
    examples: [shorten(page.path)],
  }
}

const placeMark = (place: string) => mark(place) >>> 8

const NO_KINDS = { kinds: 0 }
