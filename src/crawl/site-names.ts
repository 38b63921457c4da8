/**
 * Which name a site goes by. With `www.` or without is learnt, never assumed: adding `www.` to every name loses 4 % of the
 * sites (V13). Nothing is assumed about any other pair of names.
 *
 * A submitted name is not a URL (V2): it may answer with `www.` or without, over https or http. The likeliest guess is
 * fetched in an ordinary visit; if that brings no usable answer, the visit reports the next guess. Only the item itself
 * carries the state: `N`, `NN` … in its path is the number of the guess. A known guess is not enqueued again (C1), so a
 * chain always ends.
 */
import { LONGEST_PATH } from '../contracts/generation.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { Learnt, Link, PageReport } from '../contracts/report.ts'
import type { RobotsMemory, SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, SiteName } from '../contracts/visit.ts'
import { registrableDomain } from '../web/url/domain.ts'
import { homeOf, hostOfSite, normalPath, parseUrl, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import { linkTo } from './local-frontier.ts'
import type { Scope } from './scope/scope.ts'

const WWW = 'www.'
/** A temporary redirect may be gone tomorrow; two of them are a habit. */
const ENOUGH_TIMES = 2

/** `www.example.org` of `example.org` and the reverse, with its port; undefined where the two may have different owners. */
export function wwwSibling(site: SiteName): SiteName | undefined {
  const host = hostOfSite(site)
  const sibling = host.startsWith(WWW) ? host.slice(WWW.length) : WWW + host
  const domain = registrableDomain(host)
  return domain !== undefined && domain === registrableDomain(sibling) ? sibling + site.slice(host.length) : undefined
}

export interface NameTools {
  scope: Pick<Scope, 'judge'>
  urls: UrlReader
}

/**
 * What a page of the site says about its name, and what to remember until enough has been said. The home page alone proves
 * little: many sites redirect only that one and serve their old pages where they were. So robots.txt or another page must be
 * sent to the same path at the sibling too.
 */
export function aliasFrom(
  site: SiteName,
  page: Pick<PageReport, 'url' | 'status' | 'outcome'>,
  memory: SiteMemory,
  { scope, urls }: NameTools,
): { alias?: NonNullable<Learnt['alias']>; memory: SiteMemory } {
  const nothing = { memory }
  if (page.outcome.kind !== 'moved') return nothing
  const from = urls.parse(page.url)
  const to = urls.parse(page.outcome.to)
  if (from === undefined || to === undefined || to.site !== wwwSibling(site)) return nothing
  const isHome = normalPath(from) === '/' && normalPath(to) === '/'
  if ((!isHome && from.path !== to.path) || !scope.judge(homeOf(to), 0).yes) return nothing
  const robots = Object.values(memory.robots)
  const sameRobots = robots.some((one) => one.from === to.site)
  // A scheme that never answers does not count where the other one has the sibling's rules.
  const isSilent = ({ state, status }: RobotsMemory) => sameRobots && state === 'unreachable' && status === 0
  if (!robots.every((one) => addsNoRules(one, to.site) || isSilent(one))) return nothing
  const before = memory.sentTo?.site === to.site ? memory.sentTo : { site: to.site, times: 0 }
  const isPermanent = page.status === 301 || page.status === 308
  const sentTo = isHome
    ? { ...before, times: isPermanent ? ENOUGH_TIMES : Math.min(ENOUGH_TIMES, before.times + 1) }
    : { ...before, deep: true as const }
  if (sentTo.times < ENOUGH_TIMES || (sentTo.deep === undefined && !sameRobots))
    return { memory: { ...memory, sentTo } }
  const { sentTo: _, ...rest } = memory
  const also = isHome ? (sameRobots ? '; its robots.txt is the same' : '; other pages too') : '; its home page too'
  const evidence = `${page.status} ${from.href} → ${to.href}${also}`
  return { alias: { to: to.site, how: 'www', https: to.scheme === 'https', evidence }, memory: rest }
}

/** Links into the site will be fetched under the sibling's robots.txt: what the site's own forbids must not be lost. */
function addsNoRules({ state, text, from }: RobotsMemory, sibling: SiteName): boolean {
  if (state === 'unreachable') return false
  return state !== 'rules' || from === sibling || !/^disallow:\s*[^\s#]/im.test(text)
}

/** The sibling of a name that does not exist, if the name was submitted or linked as a home page. */
export function siblingLink(
  site: SiteName,
  agenda: readonly AgendaItem[],
  { scope, urls }: NameTools,
): Link | undefined {
  const host = hostOfSite(site)
  const bare = host.startsWith(WWW) ? host.slice(WWW.length) : host
  const sibling = registrableDomain(bare) === bare ? wwwSibling(site) : undefined
  if (sibling === undefined || agenda.some(({ path }) => path.endsWith('N'))) return undefined
  for (const item of agenda) {
    const url = urls.parse(item.url)
    if (url === undefined || (item.path !== '' && normalPath(url) !== '/')) continue
    const home = urls.parse(`${url.scheme}://${sibling}/`)
    if (home === undefined || !scope.judge(home, 0).yes) return undefined
    return linkTo(home, 0, item.url, `${item.path}N`.slice(0, LONGEST_PATH))
  }
  return undefined
}

/** With these the whole site is given up: the other scheme of the host would not answer either. */
const HOST_FAILURES: ReadonlySet<FailureKind> = new Set(['no-such-name', 'dns', 'address-refused'])

export function isNameGuess(path: string): boolean {
  return /^N{1,4}$/.test(path)
}

/** The server may not speak https; http is still to be tried, so the site does not count as silent. */
export function isHttpsGuess({ url, path }: { url: string; path: string }): boolean {
  return isNameGuess(path) && url.startsWith('https:')
}

/** The guesses for a name, likeliest first. A name of several labels has no `www.` unless it comes with it. */
export function guessesFor(host: string): string[] {
  const bare = host.startsWith(WWW) ? host.slice(WWW.length) : undefined
  if (bare?.includes('.')) {
    return [`https://${host}/`, `http://${host}/`, `https://${bare}/`, `http://${bare}/`]
  }
  if (registrableDomain(host) !== host) return [`https://${host}/`, `http://${host}/`]
  return [`https://${host}/`, `https://www.${host}/`, `http://${host}/`, `http://www.${host}/`]
}

/** What to try when `item` is over for good; undefined when it is not a guess, when it answered, or was the last. */
export function nextGuess(item: { url: string; path: string }, why: FailureKind): Link | undefined {
  // A page that could not be read is an answer.
  if (!isNameGuess(item.path) || why === 'reading') return undefined
  const from = parseUrl(item.url)
  if (from === undefined) return undefined
  const number = item.path.length
  const guesses = guessesWith(from, number)
  if (guesses === undefined) return undefined
  const isHostOut = HOST_FAILURES.has(why)
  // The bare name fails at once: start over with all guesses for the other name.
  if (isHostOut && number === 1 && hostOf(guesses[1]) !== from.host) {
    return guessLink(guessesFor(hostOf(guesses[1]))[0], 1, from)
  }
  const next = guesses.findIndex((url, i) => i >= number && (!isHostOut || hostOf(url) !== from.host))
  return next < 0 ? undefined : guessLink(guesses[next], next + 1, from)
}

/** The guesses of which this URL has that number. */
function guessesWith(url: WebUrl, number: number): string[] | undefined {
  const other = url.host.startsWith(WWW) ? url.host.slice(WWW.length) : `www.${url.host}`
  return [url.host, other].map(guessesFor).find((guesses) => guesses[number - 1] === url.href)
}

function hostOf(url: string): string {
  return url.slice(url.indexOf('//') + 2, -1)
}

function guessLink(text: string, number: number, from: WebUrl): Link | undefined {
  const url = parseUrl(text)
  return url && linkTo(url, 0, from.href, 'N'.repeat(number))
}
