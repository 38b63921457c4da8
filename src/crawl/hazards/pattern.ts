/**
 * The patterns of a URL: its form (`/calendar/#/#`), its folders (`/calendar/**`) and, with parameters, all URLs of its
 * page (`/shop?**`). Patterns are readable text; equal text means an equal pattern.
 */
import { EMPTY, markOn } from './marks.ts'
import { extensionAt, foldLeaf, foldName, foldSegment, isDigit, looksRandom, readable } from './segments.ts'

export interface UrlPattern {
  /** Every URL of this form. */
  form: string
  /** Its folders, deepest first, at most the three shallowest. */
  folders: readonly string[]
  /** The path without parameters, its last segment unfolded. */
  base: string
  /** Distinct parameter names, in order. */
  names: readonly string[]
}

const MAX_FOLDERS = 3
/** Of a longer path only the first segments count. */
const MAX_SEGMENTS = 8
export const LONGEST_PATTERN = 80
/** phpBB has eight on each link; those left out would not count as news. */
const MAX_NAMES = 10
const LONGEST_NAME = 20

export function patternOf(path: string): UrlPattern {
  const mark = path.indexOf('?')
  const end = mark < 0 ? path.length : mark
  const leafAt = leafAtOf(path, end)
  const { folder, folders } = foldersBefore(path, leafAt)
  const isFolder = end > leafAt && path.charCodeAt(end - 1) === 47
  const leaf = path.slice(leafAt, isFolder ? end - 1 : end)
  const slash = isFolder && leaf !== '' ? '/' : ''
  const dot = extensionAt(leaf)
  const folded = foldLeaf(leaf, dot)
  const base = cut(`${folder}/${folded}${slash}`)
  if (mark >= 0) return withParameters(path, mark, base, folders)
  // Folding cuts a long leaf, which may then end like an extension.
  const name = foldName(folded, dot < 0 ? extensionAt(folded) : folded.length - leaf.length + dot)
  const form = name === folded ? base : cut(`${folder}/${name}${slash}`)
  return { form, folders, base, names: NO_NAMES }
}

const NO_NAMES: readonly string[] = []

/** The leaf follows the last slash; a path that ends in a slash has its last folder as leaf. */
function leafAtOf(path: string, end = path.includes('?') ? path.indexOf('?') : path.length): number {
  return path.lastIndexOf('/', end - 2) + 1
}

/** Its last segment, or one of its parameters, looks random. */
export function hasRandomName(path: string): boolean {
  const mark = path.indexOf('?')
  if (mark >= 0)
    return parametersOf(path)
      .slice(0, MAX_NAMES)
      .some(({ value }) => looksRandom(value.slice(0, 200)))
  const leafAt = leafAtOf(path)
  return looksRandom(path.slice(leafAt, path.endsWith('/') && leafAt < path.length ? -1 : path.length))
}

function withParameters(path: string, mark: number, base: string, folders: readonly string[]): UrlPattern {
  const names: string[] = []
  const kinds: string[] = []
  for (let from = mark + 1; from < path.length && names.length < MAX_NAMES; ) {
    let to = path.indexOf('&', from)
    if (to < 0) to = path.length
    let equals = path.indexOf('=', from)
    if (equals < 0 || equals > to) equals = to
    const name = nameOf(path.slice(from, equals))
    const value = path.slice(equals + 1, Math.min(to, equals + 201))
    const known = names.indexOf(name)
    const at = known < 0 ? names.length : known
    names[at] = name
    kinds[at] = isNumeric(value) ? '#' : '*'
    from = to + 1
  }
  const ordered = names.length < 2 ? names : names.toSorted()
  let form = base
  for (const name of ordered) form += `${form === base ? '?' : '&'}${name}=${kinds[names.indexOf(name)]}`
  return { form: cut(names.length === 0 ? `${base}?` : form), folders, base, names: ordered }
}

/** The number of a page or of its state (`?17-1.IBehaviorListener`) is no name. */
const NUMBER = /^\d+(?:-|$)/

export function nameOf(raw: string): string {
  return isDigit(raw.charCodeAt(0)) && NUMBER.test(raw) ? '#' : readable(raw.slice(0, LONGEST_NAME))
}

/** A number, a date, a time. */
function isNumeric(value: string): boolean {
  if (!isDigit(value.charCodeAt(0))) return false
  for (let at = 1; at < value.length; at++) {
    const code = value.charCodeAt(at)
    // Digits, - . / : and the T of a time.
    if (!((code >= 45 && code <= 58) || code === 84)) return false
  }
  return true
}

function cut(pattern: string): string {
  return pattern.length <= LONGEST_PATTERN ? pattern : pattern.slice(0, LONGEST_PATTERN - 1) + '…'
}

/** The part of a path before its last segment, folded, and the patterns of its folders. */
interface Folders {
  /** Unfolded. */
  raw: string
  folder: string
  folders: readonly string[]
}

/** Pages of a site share folders, so results are cached by hash. */
const SLOTS = 1024
const LONGEST_CACHED = 100
const folderCache: (Folders | undefined)[] = Array(SLOTS).fill(undefined)

function foldersBefore(path: string, leafAt: number): Folders {
  if (leafAt > LONGEST_CACHED) return foldFolders(path.slice(0, leafAt))
  const hash = markOn(EMPTY, path, 0, leafAt)
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
  let found = folderCache[slot]
  if (found === undefined || found.raw.length !== leafAt || !path.startsWith(found.raw)) {
    found = foldFolders(path.slice(0, leafAt))
    folderCache[slot] = found
  }
  return found
}

/** `raw`: everything before the last segment, with its slash. */
function foldFolders(raw: string): Folders {
  const folders: string[] = []
  let folder = ''
  let segments = 0
  for (let from = raw.charCodeAt(0) === 47 ? 1 : 0; from < raw.length; ) {
    const slash = raw.indexOf('/', from)
    if (segments < MAX_SEGMENTS) folder += '/' + foldSegment(raw.slice(from, slash))
    segments++
    if (segments <= MAX_FOLDERS && folder.length < LONGEST_PATTERN - 3) folders.unshift(folder + '/**')
    from = slash + 1
  }
  if (segments > MAX_SEGMENTS) folder += '/…'
  return { raw, folder, folders }
}

export interface Parameter {
  name: string
  value: string
}

/** Parameters with their values, in order. */
export function parametersOf(path: string): Parameter[] {
  const mark = path.indexOf('?')
  if (mark < 0) return []
  return path
    .slice(mark + 1, mark + 501)
    .split('&', 12)
    .map((pair) => {
      const equals = pair.indexOf('=')
      return equals < 0 ? { name: pair, value: '' } : { name: pair.slice(0, equals), value: pair.slice(equals + 1) }
    })
    .map(({ name, value }) => ({ name: nameOf(name), value }))
}

/** A value of letters only is a choice, and may make no difference where another value does. */
const CHOICE = /^[a-z]{1,10}$/

/** The name, and `name=value` if the value is a choice. */
export function choicesOf({ name, value }: Parameter): string[] {
  return CHOICE.test(value) ? [name, `${name}=${value}`] : [name]
}

/**
 * How many segments of a path repeat an earlier one: 0 for `/a/b/c`, 4 for `/a/b/a/b/a/b`. Numbers (`/2011/11/11`) and
 * the query don't count.
 */
export function repeatsIn(path: string): number {
  const mark = path.indexOf('?')
  const end = Math.min(mark < 0 ? path.length : mark, LONGEST_WITH_REPEATS)
  let repeats = 0
  let known = 0
  for (let from = 0; from < end; ) {
    let to = from
    let isNumber = true
    for (; to < end; to++) {
      const code = path.charCodeAt(to)
      if (code === 47) break
      if (!isDigit(code)) isNumber = false
    }
    if (!isNumber) {
      if (isRepeated(path, from, to, known)) repeats++
      else if (known < MAX_DISTINCT) {
        starts[known] = from
        ends[known++] = to
      }
    }
    from = to + 1
  }
  return repeats
}

const LONGEST_WITH_REPEATS = 2000
/** Of more different segments, the later ones are compared with these. Positions are cheaper than a set of strings. */
const MAX_DISTINCT = 12
const starts = new Int32Array(MAX_DISTINCT)
const ends = new Int32Array(MAX_DISTINCT)

function isRepeated(path: string, from: number, to: number, known: number): boolean {
  for (let one = 0; one < known; one++) {
    let at = starts[one]
    if (ends[one] - at !== to - from) continue
    let here = from
    while (here < to && path.charCodeAt(at) === path.charCodeAt(here)) {
      at++
      here++
    }
    if (here === to) return true
  }
  return false
}
