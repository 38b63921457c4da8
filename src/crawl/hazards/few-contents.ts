/**
 * Many URLs, few contents: an error page in place of content, a login for everything. Contents that come back letter by letter
 * are counted for the whole site, whatever pattern their URLs have.
 */
import { extended, shifted } from './columns.ts'
import { CONTENT_COLUMNS, type Content, findLike, likeness, writeColumns } from './content.ts'

/** A content's columns, then: URLs that gave it, the form of the last one, how often that changed. */
const WIDTH = CONTENT_COLUMNS + 3
const MAX = 8
/** URLs, of several forms, that gave one content. */
const URLS = 10
const FORMS = 2

export interface Commonness {
  contents: readonly number[]
  /** It, or one near it, was there before, under another URL. */
  seen: boolean
  /** It was there letter by letter, so often that it is no content. */
  common: boolean
  urls: number
}

const NONE: readonly number[] = []

/** `certain`: its pictures are known too, or its bytes are the same. */
export function countContent(
  contents: readonly number[] = NONE,
  content: Content,
  form: number,
  certain: boolean,
): Commonness {
  const at = findLike(content, contents, WIDTH)
  if (at < 0) return { contents: added(contents, content, form), seen: false, common: false, urls: 1 }
  if (!certain || likeness(content, contents, at) !== 'same') return { contents, seen: true, common: false, urls: 0 }
  const next = contents.slice()
  const urls = (next[at + CONTENT_COLUMNS] = Math.min(next[at + CONTENT_COLUMNS] + 1, 99_999))
  if (next[at + CONTENT_COLUMNS + 1] !== form) {
    next[at + CONTENT_COLUMNS + 1] = form
    next[at + CONTENT_COLUMNS + 2] = Math.min(next[at + CONTENT_COLUMNS + 2] + 1, 99_999)
  }
  return { contents: next, seen: true, common: isCommon(next, at), urls }
}

/** The new one comes last, if need be in the room of the rarest. */
function added(contents: readonly number[], content: Content, form: number): number[] {
  const full = contents.length >= MAX * WIDTH
  const next = full ? shifted(contents, rarest(contents), WIDTH) : extended(contents, WIDTH)
  const at = next.length - WIDTH
  writeColumns(next, at, content)
  next[at + CONTENT_COLUMNS] = 1
  next[at + CONTENT_COLUMNS + 1] = form
  next[at + CONTENT_COLUMNS + 2] = 0
  return next
}

function isCommon(contents: readonly number[], at: number): boolean {
  return contents[at + CONTENT_COLUMNS] >= URLS && contents[at + CONTENT_COLUMNS + 2] >= FORMS
}

/** The oldest of those that the fewest URLs gave. */
function rarest(contents: readonly number[]): number {
  let at = 0
  for (let next = WIDTH; next < contents.length; next += WIDTH) {
    if (contents[next + CONTENT_COLUMNS] < contents[at + CONTENT_COLUMNS]) at = next
  }
  return at
}
