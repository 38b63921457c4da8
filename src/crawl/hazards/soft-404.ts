/**
 * Sites that never answer 404. Once several short pages look alike, a name that cannot exist is requested. If the
 * answer claims to be a page, pages like it are not: their links are not followed, and patterns that give nothing else
 * are stopped.
 */
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import {
  bitsApart,
  CONTENT_COLUMNS,
  type Content,
  contentOf,
  findLike,
  likeness,
  toColumns,
  writeColumns,
} from './content.ts'
import type { Family } from './family.ts'
import type { PatternFinding } from './finding.ts'
import { lowHalf, shift } from './marks.ts'
import type { PageFacts } from './page-facts.ts'

/** Hollow pages that a pattern needs: in a folder, and at the top of the site, where anything may be. */
const IN_A_FOLDER = 5
const AT_THE_TOP = 8
/** Hollow pages that may have come before the probe. */
const BEFORE_IT_WAS_KNOWN = 3

/** Error pages are short, in words. */
export const LONGEST_ERROR = 400
/** Bits in which two error pages that repeat the name may differ; 32 would be chance. */
const APART_BY_A_NAME = 20

/** `path`: the requested name, if known. */
export function learnAnswer(
  status: number,
  facts: PageFacts['content'],
  path: string | undefined,
): NonNullable<TrapMemory['probe']> {
  if (status < 200 || status > 299 || facts === undefined) return {}
  const like = [...toColumns(contentOf(facts)), tagsOf(facts)]
  return path === undefined ? { like } : { like, name: [facts.length, lengthOf(path)] }
}

type Page = Pick<PageFacts, 'path' | 'content'>

/**
 * Like the answer to the probe: the same text; or the same shape and tags; or the same tags and a text that is longer
 * by the length of the URL, because it repeats the name.
 */
export function isSoft404(probe: TrapMemory['probe'], page: Page, content: Content | undefined): boolean {
  if (probe?.like === undefined || content === undefined || page.content === undefined) return false
  const like = likeness(content, probe.like, 0)
  if (like === 'same') return true
  if (tagsOf(page.content) !== probe.like[CONTENT_COLUMNS] || content.embeds !== probe.like[2]) return false
  if (like === 'near') return true
  return bitsApart(content, probe.like, 0) <= APART_BY_A_NAME && isLongerByItsName(probe.name, page)
}

/** The text repeats the name up to three times. */
function isLongerByItsName(name: [text: number, path: number] | undefined, { path, content }: Page): boolean {
  if (name === undefined || content === undefined) return false
  const longer = content.length - name[0]
  const byName = lengthOf(path) - name[1]
  return byName !== 0 && [1, 2, 3].some((times) => longer === times * byName)
}

/** Decoded length: in a URL inside a URL a slash takes three characters. */
function lengthOf(path: string): number {
  return path.length - 2 * (path.match(/%[0-7][\dA-F]/gi)?.length ?? 0)
}

function tagsOf({ tags }: NonNullable<PageFacts['content']>): number {
  return lowHalf(tags)
}

export function judgeHollow(family: Family): PatternFinding | undefined {
  const { pattern, hollow, answers, kinds, examples } = family
  const min = pattern.indexOf('/', 1) > 0 ? IN_A_FOLDER : AT_THE_TOP
  if (hollow < min || hollow * 6 < (answers - BEFORE_IT_WAS_KNOWN) * 5 || kinds > 2) return undefined
  const evidence = `${hollow} of ${answers} URLs gave what the site gives for names that do not exist`
  return { rule: 'hollow', proof: 'missing', pattern, evidence, examples }
}

/**
 * Many URLs, few contents: an error page or a login in place of everything. Exact texts are counted for the whole site,
 * under any pattern.
 */

/** Columns of a content, then: URLs that gave it, the form of the last one, how often that changed. */
const WIDTH = CONTENT_COLUMNS + 3
const MAX = 8
/** URLs and changes of form that make a content common. */
const URLS = 10
const FORMS = 2

export interface Commonness {
  /** It, or a similar one, was at another URL before. */
  seen: boolean
  /** Exactly this text came so often that it counts as empty. */
  common: boolean
  urls: number
}

const UNSEEN: Commonness = { seen: false, common: false, urls: 1 }
const NEAR: Commonness = { seen: true, common: false, urls: 0 }

/** `certain`: its pictures are known, or its bytes are the same. */
export function countContent(contents: number[], content: Content, form: number, certain: boolean): Commonness {
  const at = findLike(content, contents, WIDTH)
  if (at < 0) {
    add(contents, content, form)
    return UNSEEN
  }
  if (!certain || likeness(content, contents, at) !== 'same') return NEAR
  const urls = (contents[at + CONTENT_COLUMNS] = Math.min(contents[at + CONTENT_COLUMNS] + 1, 99_999))
  if (contents[at + CONTENT_COLUMNS + 1] !== form) {
    contents[at + CONTENT_COLUMNS + 1] = form
    contents[at + CONTENT_COLUMNS + 2] = Math.min(contents[at + CONTENT_COLUMNS + 2] + 1, 99_999)
  }
  return { seen: true, common: isCommon(contents, at), urls }
}

/** Adds it at the end, replacing the rarest if full. */
function add(contents: number[], content: Content, form: number): void {
  const full = contents.length >= MAX * WIDTH
  if (full) shift(contents, rarest(contents), WIDTH)
  const at = full ? contents.length - WIDTH : contents.length
  writeColumns(contents, at, content)
  contents[at + CONTENT_COLUMNS] = 1
  contents[at + CONTENT_COLUMNS + 1] = form
  contents[at + CONTENT_COLUMNS + 2] = 0
}

function isCommon(contents: readonly number[], at: number): boolean {
  return contents[at + CONTENT_COLUMNS] >= URLS && contents[at + CONTENT_COLUMNS + 2] >= FORMS
}

/** The oldest with the fewest URLs. */
function rarest(contents: readonly number[]): number {
  let at = 0
  for (let next = WIDTH; next < contents.length; next += WIDTH) {
    if (contents[next + CONTENT_COLUMNS] < contents[at + CONTENT_COLUMNS]) at = next
  }
  return at
}
