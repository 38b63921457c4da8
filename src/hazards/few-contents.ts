/**
 * Many URLs, few contents: an error page in place of content, a login for everything. Contents that come back letter by letter
 * are counted for the whole site, whatever pattern their URLs have.
 */
import { CONTENT_COLUMNS, type Content, findLike, likeness, toColumns } from './content.ts'

/** A content's columns, then: URLs that gave it, the form of the last one, how often that changed. */
const WIDTH = CONTENT_COLUMNS + 3
const MOST = 8
/** URLs, of several forms, that gave one content. */
const URLS = 10
const FORMS = 2

export interface Commonness {
  contents: number[]
  /** It, or one near it, was there before, under another URL. */
  seen: boolean
  /** It was there letter by letter, so often that it is no content. */
  common: boolean
  /** It has become so with this page. */
  becameCommon: boolean
  urls: number
}

/** `certain`: its pictures are known too, or its bytes are the same. */
export function countContent(
  contents: readonly number[] = [],
  content: Content,
  form: number,
  certain: boolean,
): Commonness {
  const at = findLike(content, contents, WIDTH)
  const same = at >= 0 && certain && likeness(content, contents, at) === 'same'
  if (at >= 0 && !same) return { contents: [...contents], seen: true, common: false, becameCommon: false, urls: 0 }
  if (at < 0) {
    const kept = contents.length < MOST * WIDTH ? contents : without(contents, rarest(contents))
    const added = [...kept, ...toColumns(content), 1, form, 0]
    return { contents: added, seen: false, common: false, becameCommon: false, urls: 1 }
  }
  const next = [...contents]
  const urls = (next[at + CONTENT_COLUMNS] = Math.min(next[at + CONTENT_COLUMNS] + 1, 99_999))
  if (next[at + CONTENT_COLUMNS + 1] !== form) {
    next[at + CONTENT_COLUMNS + 1] = form
    next[at + CONTENT_COLUMNS + 2] = Math.min(next[at + CONTENT_COLUMNS + 2] + 1, 99_999)
  }
  const common = isCommon(next, at)
  return { contents: next, seen: true, common, becameCommon: common && !isCommon(contents, at), urls }
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

function without(contents: readonly number[], at: number): number[] {
  return [...contents.slice(0, at), ...contents.slice(at + WIDTH)]
}
