/**
 * A URL as the patterns it belongs to: its own form (`/calendar/#/#`), the folders it lies in (`/calendar/**`) and, with
 * parameters, all URLs of its page (`/shop?**`). Each is text that people can read, and text of one pattern is one pattern.
 */
import { foldLeaf, foldName, foldSegment, looksRandom, readable } from './segments.ts'

export interface UrlPattern {
  /** Every URL of this form. */
  form: string
  /** The folders it lies in, deepest first, at most three of them, the shallowest ones. */
  folders: readonly string[]
  /** The path without parameters, its last segment as it is. */
  place: string
  /** Names of parameters, in order, each once; empty without any. */
  names: readonly string[]
  /** Its last segment, or its parameters, look like a throw of dice. */
  random: boolean
}

const MOST_FOLDERS = 3
/** A path of more segments has the form of its first ones. */
const MOST_SEGMENTS = 8
export const LONGEST_PATTERN = 80
const MOST_NAMES = 6
const LONGEST_NAME = 20

export function patternOf(path: string): UrlPattern {
  const mark = path.indexOf('?')
  const end = mark < 0 ? path.length : mark
  const folders: string[] = []
  let folder = ''
  let from = path.charCodeAt(0) === 47 ? 1 : 0
  let segments = 0
  let leafAt = from
  for (;;) {
    const slash = path.indexOf('/', from)
    // What follows the last slash is the leaf; a path that ends in a slash has its last folder for one.
    if (slash < 0 || slash >= end - 1) break
    if (segments < MOST_SEGMENTS) folder += '/' + fold(path.slice(from, slash))
    segments++
    if (segments <= MOST_FOLDERS && folder.length < LONGEST_PATTERN - 3) folders.unshift(folder + '/**')
    from = slash + 1
    leafAt = from
  }
  if (segments > MOST_SEGMENTS) folder += '/…'
  const isFolder = end > leafAt && path.charCodeAt(end - 1) === 47
  const leaf = path.slice(leafAt, isFolder ? end - 1 : end)
  const slash = isFolder && leaf !== '' ? '/' : ''
  const folded = foldLeaf(leaf)
  const place = cut(`${folder}/${folded}${slash}`)
  if (mark < 0) {
    const form = cut(`${folder}/${foldName(folded)}${slash}`)
    return { form, folders, place, names: NO_NAMES, random: looksRandom(leaf) }
  }
  return withParameters(path, mark, place, folders)
}

const NO_NAMES: readonly string[] = []

function withParameters(path: string, mark: number, place: string, folders: readonly string[]): UrlPattern {
  const kinds = new Map<string, string>()
  let random = false
  for (let from = mark + 1; from < path.length && kinds.size < MOST_NAMES; ) {
    let to = path.indexOf('&', from)
    if (to < 0) to = path.length
    let equals = path.indexOf('=', from)
    if (equals < 0 || equals > to) equals = to
    const name = nameOf(path.slice(from, equals))
    const value = path.slice(equals + 1, Math.min(to, equals + 201))
    if (looksRandom(value)) random = true
    kinds.set(name, NUMERIC.test(value) ? '#' : '*')
    from = to + 1
  }
  const names = [...kinds.keys()].sort()
  const query = names.map((name) => `${name}=${kinds.get(name)}`).join('&')
  return { form: cut(`${place}?${query}`), folders, place, names, random }
}

function nameOf(raw: string): string {
  return readable(raw.slice(0, LONGEST_NAME))
}

const NUMERIC = /^\d[\d\-./:T]*$/

function cut(pattern: string): string {
  return pattern.length <= LONGEST_PATTERN ? pattern : pattern.slice(0, LONGEST_PATTERN - 1) + '…'
}

/** Pages of a site share their folders: what was folded lately is looked up. A memo of a pure function, nothing more. */
const MOST_REMEMBERED = 1000
const remembered = new Map<string, string>()

function fold(segment: string): string {
  let folded = remembered.get(segment)
  if (folded !== undefined) return folded
  folded = foldSegment(segment)
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  if (segment.length <= 40) remembered.set(segment, folded)
  return folded
}

/** Values of parameters, as hashes with their names, in order. */
export function parametersOf(path: string): { name: string; value: string }[] {
  const mark = path.indexOf('?')
  if (mark < 0) return []
  return path
    .slice(mark + 1, mark + 501)
    .split('&', 2 * MOST_NAMES)
    .map((pair) => {
      const equals = pair.indexOf('=')
      return equals < 0 ? { name: pair, value: '' } : { name: pair.slice(0, equals), value: pair.slice(equals + 1) }
    })
    .map(({ name, value }) => ({ name: nameOf(name), value }))
}

/** A value of letters only is a choice, and may do nothing where another of the same parameter does something. */
const CHOICE = /^[a-z]{1,10}$/

/** The name, and the name with its value if that is a choice. */
export function choicesOf({ name, value }: { name: string; value: string }): string[] {
  return CHOICE.test(value) ? [name, `${name}=${value}`] : [name]
}

/**
 * How many segments of a path were there before in it: 0 for `/a/b/c`, 4 for `/a/b/a/b/a/b`. Numbers do not count
 * (`/2011/11/11`), nor does what stands in the query.
 */
export function repeatsIn(path: string): number {
  const mark = path.indexOf('?')
  const segments = (mark < 0 ? path : path.slice(0, mark)).slice(0, 2000).split('/')
  const seen = new Set<string>()
  let repeats = 0
  for (const segment of segments) {
    if (segment === '' || /^\d+$/.test(segment)) continue
    if (seen.has(segment)) repeats++
    else seen.add(segment)
  }
  return repeats
}
