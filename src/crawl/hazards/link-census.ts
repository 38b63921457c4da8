/**
 * Counts the links of a page: fresh ones by the family they lead into, known ones by whether the page before had them
 * too. An honest site closes: its pages link to known pages and share navigation. A maze does not.
 */
import { lowHalf } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { hasRandomName, patternOf, type UrlPattern } from './pattern.ts'

export interface FreshLinks {
  count: number
  /** Those with random names. */
  random: number
  /** Those with a URL longer than the page's. */
  longer: number
}

export interface LinkCensus {
  /** All fresh links. */
  fresh: number
  /** Into its own form or that of the page that named it, its folders (deepest first), its base with parameters. */
  form: FreshLinks
  folders: readonly FreshLinks[]
  base: FreshLinks
  navigation: number
  known: number
  /** It links to the home page. */
  homeward: boolean
  /** Other forms and folders that its fresh links lead into. */
  elsewhere: ReadonlySet<string>
}

/** A page with more links is sampled. */
const MAX_LINKS = 64
const MAX_MARKS = 32

const asItIs = (link: string) => link

/**
 * `marks`: link marks of the page before; replaced by those of this page. `namer`: the pattern of the page that named it. `plain`:
 * a URL as it is asked for.
 */
export function countLinks(
  { path, links, generation, via }: Pick<PageFacts, 'path' | 'links' | 'generation' | 'via'>,
  pattern: UrlPattern,
  marks: number[],
  namer: UrlPattern | undefined,
  plain: (link: string) => string = asItIs,
): LinkCensus {
  const otherForm = namer !== undefined && generation > 0 ? namer.form : pattern.form
  const form = none()
  const base = none()
  const folders = pattern.folders.map(none)
  let elsewhere: Set<string> | undefined
  let marked = 0
  let fresh = 0
  let navigation = 0
  let known = 0
  let homeward = false
  const step = Math.max(1, links.length / MAX_LINKS)
  indexMarks(marks)
  targets.clear()
  targets.set(path, pattern)
  if (via !== undefined && namer !== undefined) targets.set(via, namer)
  for (let at = 0; at < links.length; at += step) {
    const link = links[Math.floor(at)]
    // Links to itself or home may be on every page, even in a maze.
    if (link.path.length === 1 && link.path === '/') {
      homeward = true
      continue
    }
    if (link.path.length === path.length && link.path === path) continue
    const name = lowHalf(link.key)
    // A link that is fresh now may be navigation on the next page.
    if (marked < MAX_MARKS) marks[marked++] = name
    if (!link.fresh) {
      // A link to a folder above the page closes the tree, even if every page has it.
      if (wasOnLastPage(name) && !isAbove(link.path, path)) navigation++
      else known++
      continue
    }
    fresh++
    elsewhere ??= new Set()
    const target = patternOf(plain(link.path))
    targets.set(link.path, target)
    const longer = link.path.length > path.length
    const random = hasRandomName(link.path)
    // Two families that link to each other grow as one.
    if (target.form === pattern.form || target.form === otherForm) add(form, random, longer)
    else if (target.base !== pattern.base) elsewhere.add(target.form)
    if (target.names.length > 0 && target.base === pattern.base) add(base, random, longer)
    for (const folder of target.folders) {
      const own = pattern.folders.indexOf(folder)
      if (own >= 0) add(folders[own], random, longer)
      else elsewhere.add(folder)
    }
  }
  marks.length = marked
  return {
    fresh,
    form,
    folders,
    base,
    navigation,
    known,
    homeward,
    elsewhere: elsewhere ?? NOWHERE,
  }
}

function isAbove(link: string, path: string): boolean {
  return link.length < path.length && link.charCodeAt(link.length - 1) === 47 && path.startsWith(link)
}

/** Patterns of the page counted last, of the page that named it and of its fresh links, needed again for `familiesBeside`. */
const targets = new Map<string, UrlPattern>()

export function patternOfLink(path: string): UrlPattern {
  return targets.get(path) ?? patternOf(path)
}

const NOWHERE: ReadonlySet<string> = new Set()

/** Marks of the page before as a hash table: a lookup costs a twentieth of a search in the list. 0 is empty. */
const SLOTS = 128
const lastPageMarks = new Int32Array(SLOTS)

function indexMarks(marks: readonly number[]): void {
  lastPageMarks.fill(0)
  for (let at = 0; at < marks.length && at < MAX_MARKS; at++) {
    const one = marks[at]
    let slot = one & (SLOTS - 1)
    while (lastPageMarks[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    lastPageMarks[slot] = one | 0
  }
}

function wasOnLastPage(one: number): boolean {
  for (let slot = one & (SLOTS - 1); lastPageMarks[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    if (lastPageMarks[slot] === (one | 0)) return true
  }
  return false
}

/** Of the page counted last: the page before it had this link, too. */
export function isNavigation(key: bigint): boolean {
  return wasOnLastPage(lowHalf(key))
}

function none(): FreshLinks {
  return { count: 0, random: 0, longer: 0 }
}

function add(links: FreshLinks, random: boolean, longer: boolean): void {
  links.count++
  if (random) links.random++
  if (longer) links.longer++
}
