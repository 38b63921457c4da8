/**
 * Many URLs, few contents: an error page in place of content, a login for everything. Contents that come back letter by letter
 * are counted for the whole site, whatever pattern their URLs have.
 */
import { shift } from './columns.ts'
import { CONTENT_COLUMNS, type Content, findLike, likeness, writeColumns } from './content.ts'

/** A content's columns, then: URLs that gave it, the form of the last one, how often that changed. */
const WIDTH = CONTENT_COLUMNS + 3
const MAX = 8
/** URLs, of several forms, that gave one content. */
const URLS = 10
const FORMS = 2

export interface Commonness {
  /** It, or one near it, was there before, under another URL. */
  seen: boolean
  /** It was there letter by letter, so often that it is no content. */
  common: boolean
  urls: number
}

const UNSEEN: Commonness = { seen: false, common: false, urls: 1 }
const NEAR: Commonness = { seen: true, common: false, urls: 0 }

/** `certain`: its pictures are known too, or its bytes are the same. */
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

/** The new one comes last, if need be in the room of the rarest. */
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

/** The oldest of those that the fewest URLs gave. */
function rarest(contents: readonly number[]): number {
  let at = 0
  for (let next = WIDTH; next < contents.length; next += WIDTH) {
    if (contents[next + CONTENT_COLUMNS] < contents[at + CONTENT_COLUMNS]) at = next
  }
  return at
}
