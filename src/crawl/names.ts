/**
 * With `www.` or without: learnt, never assumed (V13: adding `www.` to every name loses 4 % of the sites). A site whose home
 * page and something else send everybody to the same place at its sibling is another name of that one; where a name does not
 * exist at all, its sibling is tried. Nothing is taken for granted about any other pair of names.
 */

import { LONGEST_PATH } from '../contracts/generation.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { Learnt, Link, PageReport } from '../contracts/report.ts'
import type { RobotsMemory, SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, SiteName } from '../contracts/visit.ts'
import { registrableDomain } from '../web/url/domain.ts'
import { homeOf, hostOfSite, normalPath, type UrlReader } from '../web/url/web-url.ts'
import { linkTo } from './link-to.ts'
import type { Reporter } from './reporter.ts'
import type { Scope } from './scope/scope.ts'
import type { SiteTools } from './tools.ts'

const WWW = 'www.'
/** Who is sent away for now may be welcome tomorrow; twice is a habit. */
const ENOUGH_TIMES = 2

/** `www.example.org` of `example.org` and the reverse, with its port; undefined where the two would not be one owner's. */
export function siblingOf(site: SiteName): SiteName | undefined {
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
 * What a page of the site says about its name, and what to remember of it until enough has been said. The home page alone
 * proves little: many a site sends only that one away and serves its old pages where they were. So something else must be
 * sent to the same place at the sibling too: robots.txt, or another page.
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
  if (from === undefined || to === undefined || to.site !== siblingOf(site)) return nothing
  const isHome = normalPath(from) === '/' && normalPath(to) === '/'
  if ((!isHome && from.path !== to.path) || !scope.judge(homeOf(to), 0).yes) return nothing
  const robots = Object.values(memory.robots)
  const sameRobots = robots.some((one) => one.from === to.site)
  // A scheme without a door has nothing to say where the other one has the sibling's rules.
  const isDoorless = ({ state, status }: RobotsMemory) => sameRobots && state === 'unreachable' && status === 0
  if (!robots.every((one) => saysNothingElse(one, to.site) || isDoorless(one))) return nothing
  const before = memory.sentTo?.site === to.site ? memory.sentTo : { site: to.site, times: 0 }
  const sentTo = isHome
    ? { ...before, times: isForGood(page.status) ? ENOUGH_TIMES : Math.min(ENOUGH_TIMES, before.times + 1) }
    : { ...before, deep: true as const }
  if (sentTo.times < ENOUGH_TIMES || (sentTo.deep === undefined && !sameRobots))
    return { memory: { ...memory, sentTo } }
  const { sentTo: _, ...rest } = memory
  const also = isHome ? (sameRobots ? '; its robots.txt is the same' : '; other pages too') : '; its home page too'
  const evidence = `${page.status} ${from.href} → ${to.href}${also}`
  return { alias: { to: to.site, how: 'www', https: to.scheme === 'https', evidence }, memory: rest }
}

/** True when the site turned out to be another name: what is left of the visit is asked for at the original. */
export function learnName(page: PageReport, reporter: Reporter, tools: NameTools): boolean {
  if (page.outcome.kind !== 'moved') return false
  const { alias, memory } = aliasFrom(reporter.visit.site, page, reporter.memory, tools)
  if (memory !== reporter.memory) reporter.remember(memory)
  if (alias !== undefined) reporter.learn({ alias })
  return alias !== undefined
}

/** The sibling of a name that does not exist, when it was somebody's word and not a link to some page of it. */
export function siblingToTry(
  site: SiteName,
  agenda: readonly AgendaItem[],
  { scope, urls }: NameTools,
): Link | undefined {
  const host = hostOfSite(site)
  const bare = host.startsWith(WWW) ? host.slice(WWW.length) : host
  const sibling = registrableDomain(bare) === bare ? siblingOf(site) : undefined
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

/** Enters the sibling of a name that does not exist, and says so for the page's record. */
export function trySibling(kind: FailureKind, reporter: Reporter, tools: SiteTools): string[] {
  if (kind !== 'no-such-name') return []
  const { site, agenda } = reporter.visit
  const link = siblingToTry(site, agenda, { scope: tools.scope(), urls: tools.urls })
  if (link === undefined) return []
  reporter.crossSite(link)
  return [`sibling:${link.site}`]
}

/** Of a robots.txt that a redirect found elsewhere, whose it is; whatever else a redirect led to is nobody's. */
export function withOwner(memory: RobotsMemory, from: string, site: SiteName, urls: UrlReader): RobotsMemory {
  const found = urls.parse(from)
  return found === undefined || found.site === site || found.path !== '/robots.txt'
    ? memory
    : { ...memory, from: found.site }
}

/** Links into the site would be asked for under the sibling's robots.txt: what its own forbids must not be lost by that. */
function saysNothingElse({ state, text, from }: RobotsMemory, sibling: SiteName): boolean {
  if (state === 'unreachable') return false
  return state !== 'rules' || from === sibling || !/^disallow:\s*[^\s#]/im.test(text)
}

function isForGood(status: number): boolean {
  return status === 301 || status === 308
}
