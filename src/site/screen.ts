/**
 * What becomes of each link on a page: queued here, told to the frontier for another site, recorded only, or not even that.
 * Every reference is counted by what was decided and why (C3, C10, V29).
 */
import type { Instant } from '../base/clock.ts'
import { HashSet64 } from '../base/hash-set.ts'
import type { LinkFacts } from '../hazards/page-facts.ts'
import type { FoundLink } from '../page/reading.ts'
import type { Scope } from '../scope/scope.ts'
import type { OutLink } from '../visit/adjacency.ts'
import { countLabel, type Tally } from '../visit/counts.ts'
import type { Link } from '../visit/report.ts'
import type { AgendaItem } from '../visit/visit.ts'
import { normalPath, type Resolved, siteKey, type WebUrl } from '../web/url/web-url.ts'
import { isListed } from './beware.ts'
import { LONGEST_PATH, linkTo } from './link-to.ts'
import type { LocalFrontier } from './local-frontier.ts'
import type { Reporter } from './reporter.ts'
import { isFeed, offerFeed, type SitemapPolicy } from './sitemaps.ts'

/** Links to other sites that one visit tells of; the frontier would know most of the others already. */
const MOST_ABROAD = 100_000

export interface ScreenTools {
  site: string
  scope: Scope
  local: LocalFrontier
  reporter: Reporter
  abroadSeen: HashSet64
  /** Digests of the documents of this visit so far. */
  contents: Set<string>
  sitemaps: SitemapPolicy
  /** Told of hosts of other sites that are wanted. */
  meets(host: string): void
  /** The URL's pattern is followed no more; counted where it is. */
  stops(url: WebUrl, depth: number): boolean
  now: number
}

export interface LinkSource {
  item: AgendaItem
  /** The page says that its links are not to be followed, or a hazard does. */
  follow: 'yes' | 'directive' | 'hazard'
}

/** A reference that leads to a URL. */
export interface PageLink {
  found: FoundLink
  url: WebUrl
}

/** What a page's references lead to. The page is judged by it before any of them is followed. */
export function resolveLinks(
  links: readonly FoundLink[],
  resolve: (href: string) => Resolved,
  tally: Tally,
): PageLink[] {
  const out: PageLink[] = []
  for (const found of links) {
    const resolved = resolve(found.href)
    if (resolved.kind === 'empty') continue
    tally.add('links')
    if (resolved.kind === 'malformed') {
      tally.add('malformed')
      continue
    }
    if (resolved.kind === 'unwanted') {
      tally.add(`unwanted:${countLabel(resolved.scheme)}`)
      continue
    }
    out.push({ found, url: resolved.url })
  }
  return out
}

/** What detectors may know of the links: those into the site, each once, and how many lead elsewhere. */
export function linkFacts(links: readonly WebUrl[], tools: ScreenTools): { links: LinkFacts[]; abroad: number } {
  const onPage = new HashSet64()
  const facts: LinkFacts[] = []
  let abroad = 0
  for (const url of links) {
    if (url.site !== tools.site) abroad++
    else if (onPage.add(url.key)) facts.push({ path: normalPath(url), fresh: !tools.local.knows(url.key) })
  }
  return { links: facts, abroad }
}

export function followLinks(links: readonly PageLink[], from: LinkSource, tools: ScreenTools): OutLink[] {
  const { tally } = tools.reporter
  const out: OutLink[] = []
  const onPage = new HashSet64()
  const followed = new HashSet64()
  for (const { found, url } of links) {
    const first = onPage.add(url.key)
    const feed = isFeed(found, url, tools)
    const kind = found.kind === 'embed' ? 'embed' : undefined
    const unwanted = feed ? undefined : (tools.scope.unwantedKind(url) ?? kind)
    if (unwanted !== undefined) tally.add(`unwanted:${countLabel(unwanted)}`)
    const follow = unwanted !== undefined ? 'unwanted' : found.nofollow ? 'directive' : from.follow
    // Named twice, once with nofollow and once without: the one without counts.
    const isNews = follow === 'yes' ? followed.add(url.key) : first
    if (!isNews) {
      // Named twice in two spellings: the second is tried if the first is not found.
      if (follow === 'yes' && tools.local.isSpelling({ key: url.key, url: url.href }, url.lossy))
        offer(url, 'L', from.item, tools)
      continue
    }
    const take = () => (feed ? offerFeed(url, from.item, tools) : offer(url, 'L', from.item, tools))
    const admitted = follow === 'yes' ? take() : refuse(follow, tally)
    if (first) out.push(outLink(url, admitted, tools))
  }
  return out
}

/** A page that a sitemap lists, of this site or of the one whose robots.txt named the sitemap; wanted, as `offer` says. */
export function offerListed(url: WebUrl, from: AgendaItem, lastmod: Instant | undefined, tools: ScreenTools): boolean {
  const unwanted = tools.scope.unwantedKind(url)
  if (unwanted !== undefined) {
    tools.reporter.tally.add(`unwanted:${countLabel(unwanted)}`)
    return false
  }
  const depth = from.depth + 1
  const link = linkTo(url, depth, from.url, `${from.path}L`)
  if (lastmod !== undefined) link.lastmod = lastmod
  if (url.site === tools.site) return offerHere(link, url, tools)
  if (!wanted(url, depth, tools)) return false
  if (tools.abroadSeen.size < MOST_ABROAD && tools.abroadSeen.add(url.key)) tools.reporter.abroad(link)
  return true
}

/** A redirect's target is a link, whatever the page would have said (V11): recorded, never followed blindly. */
export function screenRedirect(target: WebUrl, from: AgendaItem, tools: ScreenTools): OutLink {
  tools.reporter.tally.add('links')
  const unwanted = tools.scope.unwantedKind(target)
  if (unwanted !== undefined) tools.reporter.tally.add(`unwanted:${countLabel(unwanted)}`)
  const admitted = unwanted === undefined && offer(target, 'R', from, tools)
  return outLink(target, admitted, tools)
}

function refuse(why: 'unwanted' | 'directive' | 'hazard', tally: Tally): boolean {
  if (why !== 'unwanted') tally.add(`refused:${why}`)
  return false
}

/** True when the URL is wanted: queued, told of, or known already. */
function offer(url: WebUrl, how: 'L' | 'R', from: AgendaItem, tools: ScreenTools): boolean {
  const path = from.path.length < LONGEST_PATH ? from.path + how : from.path
  const depth = from.depth + 1
  if (url.site === tools.site) return offerHere(linkTo(url, depth, from.url, path), url, tools)
  const { admit, dropped } = tools.scope.abroad(url)
  if (dropped) tools.reporter.tally.add('seedLinksDropped')
  let any = dropped
  for (const target of admit) {
    // A home page that was not linked itself is the beginning of a site: its depth counts from there.
    const targetDepth = target.key === url.key ? depth : 0
    if (!wanted(target, targetDepth, tools)) continue
    any = true
    if (tools.abroadSeen.size >= MOST_ABROAD || !tools.abroadSeen.add(target.key)) continue
    tools.meets(target.host)
    tools.reporter.abroad(linkTo(target, targetDepth, from.url, path))
  }
  return any
}

/** Of this site. What is known is told once more when a sitemap says something of it. */
function offerHere(link: Link, url: WebUrl, tools: ScreenTools): boolean {
  const { key, depth, via, path, lastmod } = link
  const listed = isListed(path, tools.reporter.memory)
  if (!wanted(url, depth, tools) || (!listed && tools.stops(url, depth))) return false
  const item: AgendaItem = { url: link.url, key, depth, dueAt: tools.now, via, tries: 0, path }
  if (lastmod !== undefined) item.hint = lastmod
  const news = tools.local.offer(item, url.lossy)
  if (news === 'spelling') link.spelling = true
  if (news !== 'known' || lastmod !== undefined) tools.reporter.found(link)
  return true
}

function wanted(url: WebUrl, depth: number, tools: ScreenTools): boolean {
  const verdict = tools.scope.judge(url, depth)
  if (verdict.yes) return true
  tools.reporter.tally.add('refused:scope')
  // Depth and length are limits, too (V12): the table of what each stopped has them.
  const [limit] = verdict.rule.split('>', 1)
  if (limit === 'depth' || limit === 'url-length') tools.reporter.tally.add(`stopped:${limit}`)
  return false
}

export function outLink(url: WebUrl, admitted: boolean, tools: ScreenTools): OutLink {
  return {
    key: url.key,
    siteKey: url.site === tools.site ? undefined : siteKey(url.site),
    url: admitted ? undefined : url.href,
  }
}
