/**
 * Other texts of a URL. A key is made by rules that may be wrong about a site (session ids, index files): when the text
 * that was asked for is not found, the next one seen is. The row of the URL has the text that waits or was asked for last,
 * `url_spelling` the others, at most three: so a URL is never asked for under more than four texts, and under none twice
 * (C1).
 */
import { isSameText } from '../web/url/web-url.ts'
import { NOT_FOUND, WAITING } from './mark.ts'

export const MOST_SPELLINGS = 3
const LONGEST_PATH = 50

export interface KnownText {
  url: string
  mark: number
}

/** Whether another text of a URL whose row is `known` can be of any use. */
export function isNewText(known: KnownText, url: string): boolean {
  return (known.mark === WAITING || known.mark === NOT_FOUND) && !isSameText(known.url, url)
}

/** How a text was found to which the server sent us from another text of the same URL. */
export function pathOfMove(path: string): string {
  return `${path}R`.slice(0, LONGEST_PATH)
}
