/**
 * Other texts of a URL. A key is made by rules that may be wrong about a site (session ids, index files): when the text
 * that was asked for is not found, the next one seen is. The row of the URL has the text that waits or was asked for last,
 * `url_spelling` the others, at most three: so a URL is never asked for under more than four texts, and under none twice
 * (C1).
 *
 * A folder and the names of its index have one key, too. As long as they may be one page (`UrlReader.mayBeSeveral`), one of
 * them is asked for, and the other is kept in `url_spelling` even after that one was found. As soon as they may be more than
 * one, each is a URL with a key of its own, in whatever order they were seen.
 */
import { generationOf, pathAfter } from '../../contracts/generation.ts'
import { isSameText, type UrlReader } from '../../web/url/web-url.ts'
import { MARKS, NOT_FOUND, WAITING } from './mark.ts'

export const MAX_SPELLINGS = 3

export interface KnownText {
  url: string
  mark: number
}

/** Whether another text of a URL whose row is `known` can be of any use. */
export function isNewText(known: KnownText, url: string): boolean {
  return (known.mark === WAITING || known.mark === NOT_FOUND) && !isSameText(known.url, url)
}

/** Whether another index of the folder is a URL of its own, beside the known text and the other texts of its key. */
export function isApart(known: KnownText, others: readonly { url: string }[], url: string, urls: UrlReader): boolean {
  if (urls.mayBeSeveral([known.url, url, ...others.map((other) => other.url)])) return true
  // Session ids make any number of texts of one name; only one to which the server sends us is asked for all the same.
  const isOneMore = MARKS[known.mark] !== 'moved' && isNamed(others, url, urls)
  return others.length >= MAX_SPELLINGS && !isOneMore
}

/** Whether one of them names the folder's index as this URL does. */
export function isNamed(others: readonly { url: string }[], url: string, urls: UrlReader): boolean {
  return others.some((other) => !urls.areTwoIndexes(other.url, url))
}

/** How a text was found to which the server sent us from another text of the same URL. */
export function pathOfMove(path: string): string {
  return pathAfter(path, 'R', generationOf(path) === 0)
}
