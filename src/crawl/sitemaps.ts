/**
 * Which sitemaps and feeds become items of a visit (B5): those that robots.txt names, the one at the usual location,
 * those of an index, the feeds that pages point to. All are limited per site. The path of such an item ends in `M`;
 * `visit-sitemap.ts` reads it.
 */

import { LONGEST_PATH } from '../contracts/generation.ts'
import type { LeftOut, SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { FoundLink } from '../page/reading.ts'
import type { Robots } from '../web/robots/robots.ts'
import { registrableDomain } from '../web/url/domain.ts'
import { hostOfSite, parseUrl, type WebUrl } from '../web/url/web-url.ts'
import type { PageNews } from './hazards/judge-traps.ts'
import { linkTo } from './local-frontier.ts'
import type { Reporter } from './reporter.ts'
import type { PolicyTools, VisitState } from './tools.ts'

/** Per site, over all its visits. What robots.txt itself names is limited there (100) and always fetched. */
export const MAX_SITEMAPS = 500
export const MAX_URLS = 1_000_000
export const MAX_FEEDS = 20
/** Bytes of all sitemaps of a site, on the wire or unpacked, whichever is more. A million URLs take 100 to 250 MB. */
export const MAX_SITEMAP_BYTES = 256 * 2 ** 20
/** The rule in crawl.log and explain. */
export const TOO_MANY_BYTES = 'sitemap-bytes>256MiB'
/** An index may name indexes: the maximum levels, and the maximum redirects on the way. */
const DEEPEST = 3
const MAX_MOVES = 5
/** One letter less than a discovery path may have, so that the paths of listed pages don't end in `M`. */
const LONGEST_OF_A_SITEMAP = LONGEST_PATH - 1

export function isSitemap({ path }: Pick<AgendaItem, 'path'>): boolean {
  return path.endsWith('M')
}

/** The referrer of a file that robots.txt names is `from`, a page of the site: the frontier has no robots.txt. */
export function offerSitemaps(
  robots: Robots,
  origin: string,
  from: AgendaItem,
  tools: { site: PolicyTools; state: VisitState },
): void {
  const { site, state } = tools
  if (site.sitemaps === 'no' || isOnlyHost(origin, tools)) return
  noteLeft('most-sitemap-lines', robots.sitemapsLeft, state.reporter)
  const isSilent = robots.sitemaps.length === 0
  const named = isSilent && site.sitemaps === 'usual' ? [`${origin}/sitemap.xml`] : robots.sitemaps
  for (const href of named) {
    const url = site.urls.parse(href)
    if (url === undefined) continue
    if (url.site === state.site) take(url, 'PM', 0, `${origin}/robots.txt`, state)
    else takeCrossSite(url, 'PM', from.url, state)
  }
}

/** The only wanted files of this site are sitemaps of others: its own sitemaps are not wanted. */
function isOnlyHost(origin: string, { site, state }: { site: PolicyTools; state: VisitState }): boolean {
  if (state.reporter.visit.agenda.some((item) => !isSitemap(item) || namedBy(item) === undefined)) return false
  const home = site.urls.parse(`${origin}/`)
  return home === undefined || !state.scope.judge(home, 0).yes
}

/** Sitemaps of an index count on its own site only, as the protocol says. Returns why one was left out. */
export function offerNested(url: WebUrl, index: AgendaItem, tools: VisitState): LeftOut | undefined {
  const path = `${index.path}M`
  const why = whyLeft(url, path, tools)
  if (why === undefined) take(url, path, index.depth, namedBy(index) ?? index.url, tools)
  else tools.reporter.tally.add('refused:scope')
  return why
}

function whyLeft(url: WebUrl, path: string, { site, local, reporter }: VisitState): LeftOut | undefined {
  if (url.site !== site) return 'foreign-sitemaps'
  if (local.knows(url.key)) return undefined
  if (levelsOf(path) > DEEPEST || path.length > LONGEST_OF_A_SITEMAP) return 'nested-too-deep'
  return sitemapsOf(reporter.memory).asked >= MAX_SITEMAPS ? 'most-sitemaps' : undefined
}

/** For `explain`; the sitemap's line in crawl.log has it too. */
export function noteLeft(why: LeftOut, count: number, reporter: Reporter): void {
  if (count === 0) return
  const { left } = sitemapsOf(reporter.memory)
  note({ left: { ...left, [why]: (left?.[why] ?? 0) + count } }, reporter)
}

/** Bytes that the site's sitemaps may still bring. */
export function bytesLeft(memory: SiteMemory): number {
  return Math.max(0, MAX_SITEMAP_BYTES - (sitemapsOf(memory).bytes ?? 0))
}

type Noted = NonNullable<SiteMemory['sitemaps']>

export function note(news: Partial<Noted>, reporter: Reporter): void {
  const { memory } = reporter
  reporter.remember({ ...memory, sitemaps: { ...sitemapsOf(memory), ...news } })
}

/** The target of a moved sitemap is a sitemap too, here or at another site of ours. */
export function offerMoved(url: WebUrl, from: AgendaItem, tools: VisitState): boolean {
  const path = `${from.path.slice(0, -1)}RM`
  const moves = /[MR]+$/.exec(path)?.[0].replaceAll('M', '').length ?? 0
  if (moves > MAX_MOVES || path.length > LONGEST_OF_A_SITEMAP) return false
  const via = namedBy(from) ?? from.url
  return url.site === tools.site ? take(url, path, from.depth, via, tools) : takeCrossSite(url, path, via, tools)
}

/** A feed of the site that is not itself a wanted document. */
export function isFeed({ kind, media }: FoundLink, url: WebUrl, tools: VisitState): boolean {
  if (kind !== 'alternate' || tools.sitemaps === 'no' || url.site !== tools.site) return false
  return (media === 'application/rss+xml' || media === 'application/atom+xml') && !tools.scope.wantsMedia(media)
}

export function offerFeed(url: WebUrl, from: AgendaItem, tools: VisitState): boolean {
  if (tools.local.knows(url.key)) return true
  const { feeds = 0 } = sitemapsOf(tools.reporter.memory)
  if (feeds >= MAX_FEEDS) return false
  // Its pages are as deep as those that the page links to.
  if (!take(url, `${from.path.slice(0, LONGEST_OF_A_SITEMAP - 1)}M`, from.depth, from.url, tools)) return false
  note({ feeds: feeds + 1 }, tools.reporter)
  return true
}

/**
 * A page of the site whose robots.txt named a sitemap of this one: the sitemap may list that site's URLs too. Undefined
 * if this site's own robots.txt or index named it.
 */
export function namedBy({ url, via, path }: AgendaItem): string | undefined {
  if (via === undefined || !path.startsWith('P')) return undefined
  return parseUrl(via)?.site === parseUrl(url)?.site ? undefined : via
}

/** The rule in crawl.log, explain and `--trust`. */
export const IN_VAIN = 'sitemap-news'
/** Listed pages that are fetched before the lists are judged. */
const TESTED = 40
const MIN_NEWS = 0.1
/** Until then, this many may wait: a machine lists more than can ever be read, and other pages wait behind them. */
const MAX_UNTESTED = 500

/** The same for pages that are no copies but differ only in numbers: measurements, or pages that a machine makes. */
const TESTED_ALIKE = 200

/** One list may be of pages behind a login, so this many in a row must say nothing new. */
const MAX_VAIN = 3

/** Nearly all pages in the last sitemaps of the site say nothing new. What they have listed is still read. */
export function isInVain({ sitemaps }: Pick<SiteMemory, 'sitemaps'>): boolean {
  return (sitemaps?.vain ?? 0) >= MAX_VAIN && saysNothingNew(sitemaps)
}

function saysNothingNew({ tested = 0, news = 0, copies = 0 }: Partial<Noted> = {}): boolean {
  const least = tested * MIN_NEWS
  return (tested >= TESTED && tested - copies < least) || (tested >= TESTED_ALIKE && news < least)
}

/** A sitemap was read. After a worthless one, the next is judged by what it lists itself. */
export function noteRead(more: number, reporter: Reporter): void {
  const { bytes = 0, vain = 0, ...known } = sitemapsOf(reporter.memory)
  note({ bytes: bytes + more }, reporter)
  if (saysNothingNew(known)) note({ tested: 0, news: 0, copies: 0, vain: vain + 1 }, reporter)
  else if (vain > 0 && (known.news ?? 0) > 0) note({ vain: 0 }, reporter)
}

/**
 * The next sitemap comes after what pages link to: enough listed pages wait whose worth is unknown, or nearly all
 * that were read say nothing new but for numbers.
 */
export function mustWait({ before }: AgendaItem, { sitemaps }: SiteMemory): boolean {
  const { urls = 0, tested = 0, news = 0 } = sitemaps ?? {}
  if (before !== undefined) return false
  return tested < TESTED ? urls - tested >= MAX_UNTESTED : news < tested * MIN_NEWS
}

/** A listed page was judged. */
export function noteTested(what: PageNews, reporter: Reporter): void {
  const { tested = 0, news = 0, copies = 0 } = sitemapsOf(reporter.memory)
  const [isNew, isCopy] = [what === 'new' ? 1 : 0, what === 'copy' ? 1 : 0]
  note({ tested: tested + 1, news: news + isNew, copies: copies + isCopy }, reporter)
}

export function sitemapsOf({ sitemaps }: SiteMemory): Noted {
  return sitemaps ?? { asked: 0, urls: 0 }
}

function take(url: WebUrl, path: string, depth: number, via: string, tools: VisitState): boolean {
  if (!isWanted(url, tools)) return false
  // Another spelling of a known one is not reported, so it must not count.
  if (tools.local.knows(url.key)) return true
  const item: AgendaItem = { url: url.href, key: url.key, depth, dueAt: tools.now, via, tries: 0, path }
  tools.local.offer(item, false)
  note({ asked: sitemapsOf(tools.reporter.memory).asked + 1 }, tools.reporter)
  tools.reporter.addLink(linkTo(url, depth, via, path))
  return true
}

/** At another site only if that one is collected too, or has the same owner. */
function takeCrossSite(url: WebUrl, path: string, via: string, tools: VisitState): boolean {
  const owner = registrableDomain(hostOfSite(tools.site))
  const isOurs = tools.scope.judge(url, 0).yes || (owner !== undefined && registrableDomain(url.host) === owner)
  if (!isOurs || !isWanted(url, tools)) return false
  if (tools.crossSiteSeen.add(url.key)) tools.reporter.addCrossSite(linkTo(url, 0, via, path))
  return true
}

function isWanted(url: WebUrl, tools: VisitState): boolean {
  const finding = tools.scope.judgeSitemap(url)
  if (!finding.yes) tools.reporter.tally.add('refused:scope')
  return finding.yes
}

/** Indexes above it, and itself. */
function levelsOf(path: string): number {
  return /[MR]+$/.exec(path)?.[0].replaceAll('R', '').length ?? 0
}
