/**
 * Other texts of a URL. A key is made by rules that may be wrong about a site (session ids, index files): when the text
 * that was asked for is not found, the next one seen is. The row of the URL has the text that waits or was asked for last,
 * `url_spelling` the others, at most three: so a URL is never asked for under more than four texts, and under none twice
 * (C1). Two names that stand for one folder are two URLs as soon as both are seen (`asOtherIndex`).
 */
import { generationOf, pathAfter } from '../visit/generation.ts'
import type { Link } from '../visit/report.ts'
import { isSameText, type UrlReader } from '../web/url/web-url.ts'
import { NOT_FOUND, WAITING } from './mark.ts'

export const MOST_SPELLINGS = 3

export interface KnownText {
  url: string
  mark: number
}

/** Whether another text of a URL whose row is `known` can be of any use. */
export function isNewText(known: KnownText, url: string): boolean {
  return (known.mark === WAITING || known.mark === NOT_FOUND) && !isSameText(known.url, url)
}

/**
 * A link that names another index of the folder than the known text does: both may exist and say different things, so it is
 * a URL of its own, with a key of its own. Undefined for any other link.
 */
export function asOtherIndex(known: string, link: Link, urls: UrlReader): Link | undefined {
  const key = urls.areTwoIndexes(known, link.url) ? urls.keyByName(link.url) : undefined
  if (key === undefined) return undefined
  const { spelling: _, ...rest } = link
  return { ...rest, key }
}

/** How a text was found to which the server sent us from another text of the same URL. */
export function pathOfMove(path: string): string {
  return pathAfter(path, 'R', generationOf(path) === 0)
}
