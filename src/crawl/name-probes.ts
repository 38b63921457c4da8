/**
 * Names to try (V2). A name is no URL: nobody knows whether it answers, with `www.` or without, over https or http. So the
 * best guess is asked for in an ordinary visit, and when that ends without a usable answer the visit tells the next one.
 *
 * Nothing is remembered but the item itself: `N`, `NN` … in its path says which guess it is, its URL says of which name.
 * Whatever guess is known already is not enqueued again (C1), so a chain always ends.
 */
import type { FailureKind } from '../contracts/outcome.ts'
import type { Link } from '../contracts/report.ts'
import { registrableDomain } from '../web/url/domain.ts'
import { parseUrl, type WebUrl } from '../web/url/web-url.ts'
import { linkTo } from './link-to.ts'

/** The whole site is given up with these: another scheme of the same host would find nobody either. */
const NAME_IS_OUT: ReadonlySet<FailureKind> = new Set(['no-such-name', 'dns', 'address-refused'])

export function isNameProbe(path: string): boolean {
  return /^N{1,4}$/.test(path)
}

/** The server has no door of this scheme, it seems; the other scheme's is still to be tried, so the site is not silent. */
export function isSchemeProbe({ url, path }: { url: string; path: string }): boolean {
  return isNameProbe(path) && url.startsWith('https:')
}

/** What is tried for a name, the likeliest first. A name of several labels has no `www.` unless it comes with it. */
export function candidatesOf(host: string): string[] {
  const bare = host.startsWith('www.') ? host.slice(4) : undefined
  if (bare?.includes('.')) {
    return [`https://${host}/`, `http://${host}/`, `https://${bare}/`, `http://${bare}/`]
  }
  if (registrableDomain(host) !== host) return [`https://${host}/`, `http://${host}/`]
  return [`https://${host}/`, `https://www.${host}/`, `http://${host}/`, `http://www.${host}/`]
}

/** What to try when `item` is over for good; undefined when it is no name to try, when it answered, or was the last. */
export function nextCandidate(item: { url: string; path: string }, why: FailureKind): Link | undefined {
  // Its bytes are kept: there was an answer.
  if (!isNameProbe(item.path) || why === 'reading') return undefined
  const from = parseUrl(item.url)
  if (from === undefined) return undefined
  const place = item.path.length
  const list = listOf(from, place)
  if (list === undefined) return undefined
  const isOut = NAME_IS_OUT.has(why)
  // The bare name is out from the start: what is left is all that would be tried of the other one.
  if (isOut && place === 1 && hostOf(list[1]) !== from.host) {
    return guess(candidatesOf(hostOf(list[1]))[0], 1, from)
  }
  const next = list.findIndex((url, i) => i >= place && (!isOut || hostOf(url) !== from.host))
  return next < 0 ? undefined : guess(list[next], next + 1, from)
}

/** The list of which this URL is the one in that place. */
function listOf(url: WebUrl, place: number): string[] | undefined {
  const other = url.host.startsWith('www.') ? url.host.slice(4) : `www.${url.host}`
  return [url.host, other].map(candidatesOf).find((list) => list[place - 1] === url.href)
}

function hostOf(url: string): string {
  return url.slice(url.indexOf('//') + 2, -1)
}

function guess(text: string, place: number, from: WebUrl): Link | undefined {
  const url = parseUrl(text)
  return url && linkTo(url, 0, from.href, 'N'.repeat(place))
}
