/** Counts one page in one of its families. */
import {
  addColumns,
  CONTENT_COLUMNS,
  type Content,
  findLike,
  isSameTemplate,
  likeness,
  writeColumns,
} from './content.ts'
import { type Family, isFolder, LARGEST_NUMBER, MAX_FOLDER_KINDS, withExample } from './family.ts'
import { isAhead } from './family-rules.ts'
import { countWords, type Words, wordsOfPage } from './few-words.ts'
import type { FreshLinks, LinkCensus } from './link-census.ts'
import type { PageFacts } from './page-facts.ts'
import { isDigit } from './segments.ts'

/** Contents that a family remembers: the latest new ones. */
const MAX_CONTENTS = 4

export interface Counted {
  page: PageFacts
  /** Generation 0: it never counts against its family. */
  listed: boolean
  content: Content | undefined
  census: LinkCensus
  slow: boolean
  /** Empty of content: soft-404, or a text that too many URLs gave. */
  hollow: boolean
  /** Like the answer to a name that cannot exist. */
  missing: boolean
  /** The same text and pictures were on another page of the site. */
  seen: boolean
  /** The page at the URL without one part says the same; or, with several parameters, another page nearly does. */
  alias: boolean
  /** Computed on demand: words in its URL; the number in it, or -1; whether its date lies years ahead. */
  words: Words | undefined
  ordinal: number | undefined
  ahead: boolean | undefined
  /** Much shorter than the site's other new pages. */
  short: boolean
  /** Other pages of the site have the same template. */
  isTemplated: boolean
  now: number
  /** The number of pages it stands for. */
  weight: number
}

export function countPage(family: Family, into: FreshLinks, counted: Counted): void {
  const { page, content, census, now, weight } = counted
  family.answers += weight
  family.at = now
  if (counted.slow) family.slow++
  if (counted.missing) family.hollow++
  withExample(family, page.path)
  // A redirect into its own family is a page without content; any other redirect is not a page.
  if (content === undefined && !(page.outcome === 'moved' && into.count > 0)) return
  family.pages += weight
  if (counted.hollow) family.streak++
  else countContent(family, content ?? NOTHING, counted)
  if (family.streak === 0) family.bred = family.born = 0
  else if (into.count > 0) {
    family.bred++
    family.born += into.count
  }
  countFresh(family, into, counted)
  family.lost = isLost(into, census, page.crossSite) ? family.lost + 1 : Math.max(0, family.lost - 2 * weight)
  family.navigation += weight * census.navigation
  family.known += weight * census.known
  counted.ahead ??= isAhead(page.path, page.at)
  if (counted.ahead) family.ahead++
  // Not for folders: those of a manual have few words too, in many orders.
  if (!isFolder(family)) {
    counted.words ??= wordsOfPage(page.path)
    countWords(family, counted.words, page.links)
  }
  if (census.homeward) family.homeward += weight
  if (page.crossSite > 0) family.outward += weight
  if (page.path.length > family.longest) family.longest = page.path.length
}

/** A listed page never counts against its family; it only shows content. True if that is new. */
export function countListed(family: Family, counted: Counted): boolean {
  const { page, content, seen, alias, hollow, missing, now, weight } = counted
  family.at = now
  family.answers += weight
  if (missing) {
    family.hollow++
    withExample(family, page.path)
  }
  if (content === undefined || hollow || findLike(content, family.contents) >= 0) return false
  if (!seen && !alias) family.kinds++
  rememberNew(family, content)
  return true
}

const NOTHING: Content = { low: 0, high: 0, embeds: 0, text: 0, length: 0, bag: 0, title: 0, words: 0 }

/** Equality is certain if the pictures are known too, or the bytes are the same. */
export function isCertain(page: PageFacts): boolean {
  return page.duplicate || page.content?.embeds !== undefined
}

function countContent(
  family: Family,
  content: Content,
  { page, seen, alias, short, isTemplated, census, weight }: Counted,
): void {
  if (isTemplated) family.templated += weight
  const like = findLike(content, family.contents)
  const at = like < 0 && short ? findSameTemplate(content, family.contents) : like
  if (at >= 0) {
    family.streak += weight
    const same = likeness(content, family.contents, at) === 'same'
    family.same = isCertain(page) && same ? family.same + 1 : 0
    if (same && isLinkedText(content, census)) family.linked++
    return
  }
  family.streak = 0
  family.same = 0
  family.linked = 0
  // Known from elsewhere but not repeated, such as another version of a manual: neither new nor part of a streak.
  if (!seen && !alias) family.kinds++
  rememberNew(family, content)
}

/** A folder with many contents is not judged by them, so it keeps only the last. */
function rememberNew(family: Family, content: Content): void {
  if (isFolder(family) && family.kinds > MAX_FOLDER_KINDS) {
    family.contents.length = Math.min(family.contents.length, CONTENT_COLUMNS)
    writeColumns(family.contents, 0, content)
  } else remember(family, content)
}

function findSameTemplate(content: Content, columns: readonly number[]): number {
  for (let at = 0; at + CONTENT_COLUMNS <= columns.length; at += CONTENT_COLUMNS) {
    if (isSameTemplate(content, columns, at)) return at
  }
  return -1
}

export function remember(family: Family, content: Content): void {
  addColumns(family.contents, content, MAX_CONTENTS)
}

function countFresh(family: Family, into: FreshLinks, counted: Counted): void {
  const { census } = counted
  family.fresh += into.count
  family.random += into.random
  if (into.count > 0) family.growing++
  if (into.count > 1) family.branching++
  if (into.count > 0 && into.count === census.fresh) family.inward++
  if (into.count > 0 && into.longer === into.count) family.longer++
  if (!family.pattern.includes('#')) return
  const ordinal = (counted.ordinal ??= ordinalOf(counted.page.path))
  if (ordinal < 0) return
  const first = family.pages === counted.weight
  if (first || ordinal < family.lowest || ordinal > family.highest) family.stepping++
  family.lowest = first ? ordinal : Math.min(family.lowest, ordinal)
  family.highest = first ? ordinal : Math.max(family.highest, ordinal)
}

/** Errors are short. A long text on pages that link to known pages is a site with one template. */
const LONG_TEXT = 150

export function isLinkedText({ words }: Content, { known }: LinkCensus): boolean {
  return words >= LONG_TEXT && known > 0
}

/** All its links are fresh and lead to more of its kind, as on a page of a maze. */
export function isLost(into: Pick<FreshLinks, 'count'>, census: LinkCensus, crossSite: number): boolean {
  const { fresh, known, navigation, homeward } = census
  return into.count > 1 && into.count === fresh && known + navigation + crossSite === 0 && !homeward
}

const LONGEST_URL = 300
const GROUPS = 3

/** The first numbers of a URL as one number that grows with later dates and higher pages; -1 without any. */
export function ordinalOf(path: string): number {
  const end = Math.min(path.length, LONGEST_URL)
  let ordinal = -1
  let groups = 0
  for (let at = 0; at < end; at++) {
    if (!isDigit(path.charCodeAt(at))) continue
    let number = 0
    for (; at < end && isDigit(path.charCodeAt(at)); at++)
      number = Math.min(10 * number + path.charCodeAt(at) - 48, LARGEST_NUMBER - 1)
    ordinal = Math.max(ordinal, 0) * LARGEST_NUMBER + number
    if (++groups === GROUPS) break
  }
  return ordinal
}
