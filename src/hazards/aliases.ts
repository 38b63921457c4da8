/**
 * URLs that are another with a part more and say the same: `/post?replytocom=7` for `/post`, `/pub/current/a` for `/pub/a`. The
 * page without the part is known, so nothing is lost; parts that were seen to do nothing often enough are followed no more.
 */
import type { TrapMemory } from '../visit/trap-memory.ts'
import { type Content, mark } from './content.ts'
import { shorten } from './family.ts'
import { type Finding, hasRest, patience, type Sight } from './finding.ts'
import { saidAt } from './known-pages.ts'
import { idlePattern } from './parameters.ts'
import { choicesOf, parametersOf, type UrlPattern } from './pattern.ts'
import { ANYWHERE } from './stopped.ts'

type AliasRow = NonNullable<TrapMemory['aliases']>[number]

/** Pages that said the same without the parameter, and without the folder; for each that did not there must be ten. */
const PARAMETER = 5
const FOLDER = 8
const MOST_ROWS = 20
const MOST_PARTS = 6

export interface Aliases {
  rows: AliasRow[]
  /** It is what a URL with a part less gave. */
  isAlias: boolean
  /** Parts of this page. */
  parts: string[]
}

export function countAliases(
  traps: TrapMemory,
  path: string,
  { folders, place, names: own }: UrlPattern,
  content: Content,
  links: readonly { path: string }[],
  isNews: boolean,
): Aliases {
  const rows = traps.aliases ?? []
  const known = traps.known ?? ''
  const parts = new Map<string, 'same' | 'other'>()
  for (const [shorter, names, alone] of withoutParameters(path)) {
    const said = saidAt(known, shorter, content)
    // That it says something else without any of several tells of none of them.
    if (said === undefined || (said === 'other' && !alone)) continue
    for (const name of names) if (parts.get(name) !== 'same') parts.set(name, said)
  }
  if (!path.includes('?') && folders.length > 0) {
    for (const [shorter, folder, segment] of withoutFolders(path, folders)) {
      // A listing tells where it stands.
      const said = saidAt(known, shorter, content, true)
      // A translation, or an edition, may well be the same; a folder that lies in itself has no other sense.
      if (said === undefined) continue
      if (rows.some(([part]) => part === folder) || leadsIntoItself(segment, path, links)) parts.set(folder, said)
    }
  }
  // Where a part is on every link, what is real comes with it too: something new that is not known without it speaks for it.
  if (isNews && parts.size === 0) {
    for (const [part] of rows) {
      const isIts = part.startsWith('?') ? own.includes(part.slice(1).split('=')[0]) : folders.includes(part)
      if (isIts) parts.set(part, 'other')
    }
  }
  if (parts.size === 0) return { rows, isAlias: false, parts: [] }
  let next = rows
  const here = placeMark(place)
  for (const [part, said] of parts) next = count(next, part, said, here)
  return { rows: next, isAlias: [...parts.values()].includes('same'), parts: [...parts.keys()] }
}

/** The path itself, or one of the links, has the segment twice in a row. */
function leadsIntoItself(segment: string, path: string, links: readonly { path: string }[]): boolean {
  const twice = `/${segment}/${segment}/`
  return path.includes(twice) || links.some((link) => link.path.includes(twice))
}

function count(rows: readonly AliasRow[], part: string, said: 'same' | 'other', here: number): AliasRow[] {
  const at = rows.findIndex(([name]) => name === part)
  const [, same, other, place, places] = at < 0 ? [part, 0, 0, here, 0] : rows[at]
  const moved = Math.min(9, place === here ? places : places + 1)
  const row: AliasRow = said === 'same' ? [part, same + 1, other, here, moved] : [part, same, other + 1, here, moved]
  if (at >= 0) return rows.map((one, place) => (place === at ? row : one))
  return [...(rows.length < MOST_ROWS ? rows : withoutLeast(rows)), row]
}

function withoutLeast(rows: readonly AliasRow[]): AliasRow[] {
  const least = Math.min(...rows.map(([, same, other]) => same + other))
  const at = rows.findIndex(([, same, other]) => same + other === least)
  return rows.filter((_, place) => place !== at)
}

/** The URL without its query, and without each of its parameters; with the parts that are missing then. */
function* withoutParameters(path: string): Generator<[shorter: string, parts: string[], alone: boolean]> {
  const query = path.indexOf('?')
  if (query < 0) return
  const pieces = path.slice(query + 1).split('&', MOST_PARTS + 1)
  const parameters = parametersOf(path)
  const parts = (at: number) => choicesOf(parameters[at]).map((part) => `?${part}`)
  yield [path.slice(0, query), parameters.flatMap((_, at) => parts(at)), parameters.length === 1]
  if (pieces.length < 2 || pieces.length > MOST_PARTS) return
  for (let at = 0; at < Math.min(pieces.length, parameters.length); at++) {
    yield [`${path.slice(0, query)}?${pieces.filter((_, other) => other !== at).join('&')}`, parts(at), true]
  }
}

/** The path without one of the shallowest folders that have a pattern of their own. */
function* withoutFolders(
  path: string,
  folders: readonly string[],
): Generator<[shorter: string, folder: string, segment: string]> {
  let from = 0
  for (let at = folders.length - 1; at >= 0; at--) {
    const to = path.indexOf('/', from + 1)
    if (to < 0) return
    yield [path.slice(0, from) + path.slice(to), folders[at], path.slice(from + 1, to)]
    from = to
  }
}

export function judgeAliases({ rows, isAlias, parts }: Aliases, sight: Sight): Finding[] {
  if (!isAlias || !hasRest(sight.novel, 0)) return []
  const all = judgeAll(rows, sight)
  const found: Finding[] = all === undefined ? [] : [all]
  for (const [part, same, other, , places] of rows) {
    if (!parts.includes(part) || other * 10 > same) continue
    const isParameter = part.startsWith('?')
    if (same < patience(isParameter ? PARAMETER : FOLDER, NO_KINDS, sight)) continue
    const examples = [shorten(sight.page.path)]
    if (isParameter) {
      const evidence = `${same} of ${same + other} pages said the same without ${part.slice(1)}`
      const [name, value] = part.slice(1).split('=')
      found.push({
        rule: 'idle-parameter',
        pattern: idlePattern(places > 0 ? ANYWHERE : sight.pattern.place, name, value),
        evidence,
        examples,
      })
    } else {
      const evidence = `${same} of ${same + other} pages said the same without this folder in their path`
      found.push({ rule: 'folder-in-itself', pattern: part, evidence, examples })
    }
  }
  return found
}

/** Of one page, so many different parameters that did nothing, on so many URLs, and none that did something. */
const NAMES_OF_ALL = 4
const PAGES_OF_ALL = 12

function judgeAll(rows: readonly AliasRow[], { pattern, page }: Sight): Finding | undefined {
  const here = placeMark(pattern.place)
  const own = rows.filter(([part, , , place]) => place === here && part.startsWith('?') && !part.includes('='))
  const pages = own.reduce((sum, [, same]) => sum + same, 0)
  const isIdle = own.every(([, , other, , places]) => other === 0 && places === 0)
  if (!isIdle || own.length < NAMES_OF_ALL || pages < PAGES_OF_ALL) return undefined
  const evidence = `${pages} URLs with ${own.length} different parameters said the same as without them, and none something else`
  return { rule: 'idle-parameter', pattern: `${pattern.place}?**`, evidence, examples: [shorten(page.path)] }
}

const placeMark = (place: string) => mark(place) >>> 8

const NO_KINDS = { kinds: 0 }
