/**
 * What becomes of each link on a page: queued here, reported to the frontier for another site, recorded only, or
 * dropped. Every reference is counted by what was decided and why (C3, C10, V29).
 */
import type { Instant } from '../base/clock.ts'
import { HashSet64 } from '../base/hash-set.ts'
import type { Stretches } from '../base/stretches.ts'
import { type LinkKind, LinkPacker, type OutLink } from '../contracts/adjacency.ts'
import type { CountName, Tally } from '../contracts/counts.ts'
import { generationOf, isByForm, pathAfter } from '../contracts/generation.ts'
import type { Link } from '../contracts/report.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { FoundLink } from '../page/reading.ts'
import { normalPath, type Resolved, siteKey, type WebUrl } from '../web/url/web-url.ts'
import { rememberForm, uselessForm } from './form-actions.ts'
import { familiesBeside } from './hazards/detect.ts'
import type { LinkFacts } from './hazards/page-facts.ts'
import type { LocalFrontier } from './local-frontier.ts'
import { linkTo } from './local-frontier.ts'
import { isListed } from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { isFeed, offerFeed } from './sitemaps.ts'
import type { VisitState } from './tools.ts'

/** Links to other sites that one visit reports; the frontier knows most of the others already. */
const MAX_CROSS_SITE = 100_000

export interface LinkSource {
  item: AgendaItem
  /** Whether its links may be followed; if not, whether the page or a hazard forbids it. */
  follow: 'yes' | 'directive' | 'hazard'
  /** The page lists what it names in other families: path and query of it, and of the page of this site that named it. */
  lister: { path: string; via: string | undefined } | undefined
}

/** A reference that leads to a URL. */
export interface PageLink {
  found: FoundLink
  url: WebUrl
  /** No earlier reference on the page leads there. */
  first: boolean
  /** No earlier reference leads there, embeds not counted. */
  firstLink: boolean
}

/** Links resolved or followed in one stretch: 5 to 10 ms. Most pages have fewer. */
export const LINKS_PER_STRETCH = 2000

/** Shared by all pages read in one stretch: own sets would cost more than the work. A page that yields needs them. */
const shared = [new HashSet64(), new HashSet64()] as const

function twoSets(links: number): readonly [HashSet64, HashSet64] {
  if (links > LINKS_PER_STRETCH) return [new HashSet64(), new HashSet64()]
  for (const set of shared) set.clear()
  return shared
}

/** What a page's references lead to. The detectors judge the page by it before any of them is followed. */
export function* resolveLinks(
  links: readonly FoundLink[],
  resolve: (href: string) => Resolved,
  tally: Tally,
): Stretches<PageLink[]> {
  const out: PageLink[] = []
  let count = 0
  let malformed = 0
  const [linked, embedded] = twoSets(links.length)
  const rests = links.length > LINKS_PER_STRETCH
  let at = 0
  for (const found of links) {
    if (rests && at++ % LINKS_PER_STRETCH === 0) yield
    const resolved = resolve(found.href)
    if (resolved.kind === 'empty') continue
    count++
    if (resolved.kind === 'malformed') {
      malformed++
      continue
    }
    if (resolved.kind === 'unwanted') {
      tally.add(unwantedName(resolved.scheme))
      continue
    }
    const { url } = resolved
    if (found.kind === 'embed') {
      const first = embedded.add(url.key) && !linked.has(url.key)
      out.push({ found, url, first, firstLink: false })
    } else {
      const firstLink = linked.add(url.key)
      out.push({ found, url, first: firstLink && !embedded.has(url.key), firstLink })
    }
  }
  tally.add('links', count)
  tally.add('malformed', malformed)
  return out
}

/** Detectors look at a sample of a page's links anyway, so beyond this number only some are prepared for them. */
const MAX_FACTS = 2_000

/** The links into the site, each once, and how many lead elsewhere. */
export function linkFacts(links: readonly PageLink[], tools: VisitState): { links: LinkFacts[]; crossSite: number } {
  const facts: LinkFacts[] = []
  let crossSite = 0
  let own = 0
  const step = Math.ceil(links.length / MAX_FACTS)
  for (const { found, url, firstLink } of links) {
    if (found.kind === 'embed') continue
    if (url.site !== tools.site) crossSite++
    else if (firstLink && own++ % step === 0)
      facts.push({ key: url.key, path: normalPath(url), fresh: tools.local.isFresh(url.key) })
  }
  return { links: facts, crossSite }
}

/** The same for a page that only redirects. */
export function targetFacts(target: WebUrl, tools: VisitState): { links: LinkFacts[]; crossSite: number } {
  if (target.site !== tools.site) return { links: [], crossSite: 1 }
  return {
    links: [{ key: target.key, path: normalPath(target), fresh: tools.local.isFresh(target.key) }],
    crossSite: 0,
  }
}

/** Returns the URLs that the page names, packed. */
export function* followLinks(links: readonly PageLink[], from: LinkSource, tools: VisitState): Stretches<Uint8Array> {
  const { tally } = tools.reporter
  const ways = waysFrom(from.item)
  const lists = from.lister === undefined ? undefined : familiesBeside(from.lister.path, from.lister.via)
  const isDoubtful = lists !== undefined && mayBeInDoubt(tools)
  let granted = 0
  let named = 0
  for (const link of links) if (link.first) named++
  const rests = links.length > LINKS_PER_STRETCH
  const out = new LinkPacker(named, rests)
  const [passedOver, takenUp] = twoSets(links.length)
  let at = 0
  for (const { found, url, first } of links) {
    if (rests && at++ % LINKS_PER_STRETCH === 0) yield
    const feed = isFeed(found, url, tools)
    const kind = found.kind === 'embed' ? 'embed' : found.kind === 'form' ? 'form' : 'link'
    const unwanted = feed ? undefined : (tools.scope.unwantedKind(url) ?? (kind === 'embed' ? kind : undefined))
    if (unwanted !== undefined) tally.add(unwantedName(unwanted))
    const isOwnForm = kind === 'form' && url.site === tools.site
    if (isOwnForm) rememberForm(url, tools.reporter)
    const isVain = isOwnForm && uselessForm(url, tools.reporter.memory) !== undefined
    if (isVain) tally.add('stopped:form-action')
    const follow = unwanted !== undefined || isVain ? 'unwanted' : found.nofollow ? 'directive' : from.follow
    if (follow !== 'yes') {
      if (!first) continue
      passedOver.add(url.key)
      if (follow !== 'unwanted') tally.add(`refused:${follow}`)
      pack(url, false, out, tools, kind)
      continue
    }
    // If a page names a URL with and without nofollow, the link without it counts.
    if (!first && !(passedOver.has(url.key) && takenUp.add(url.key))) {
      // Named in two spellings: the second is tried if the first is not found.
      if (tools.local.isSpelling(url.key, url.href, url.lossy)) offer(url, ways.offspring, tools)
      continue
    }
    const isCrossSite = url.site !== tools.site
    const known = !isCrossSite && tools.local.holds(url)
    // Nothing is recorded of what is already known.
    const isNews = lists !== undefined && (!known || (isDoubtful && isInDoubt(url, tools)))
    const listed = isCrossSite || (isNews && granted < MAX_LISTED && lists(normalPath(url)))
    if (listed && !isCrossSite) granted++
    // An ordinary link to it counts too.
    if (isOwnForm) passedOver.add(url.key)
    const way = isOwnForm ? (listed ? ways.listedForm : ways.form) : listed ? ways.listed : ways.offspring
    const admitted = feed ? offerFeed(url, from.item, tools) : offer(url, way, tools, known)
    if (first) pack(url, admitted, out, tools, kind)
  }
  return out.bytes()
}

/** Offers a page that a sitemap lists: of this site, or of the one whose robots.txt named the sitemap. */
export function offerListed(url: WebUrl, from: AgendaItem, lastmod: Instant | undefined, tools: VisitState): boolean {
  const unwanted = tools.scope.unwantedKind(url)
  if (unwanted !== undefined) {
    tools.reporter.tally.add(unwantedName(unwanted))
    return false
  }
  const way: Way = { depth: from.depth + 1, via: from.url, path: `${from.path}L`, lastmod }
  if (url.site === tools.site) return offerHere(url, way, tools)
  if (!wanted(url, way.depth, tools)) return false
  if (tools.crossSiteSeen.size >= MAX_CROSS_SITE || !tools.crossSiteSeen.add(url.key)) return true
  const link = linkTo(url, way.depth, way.via, way.path)
  if (lastmod !== undefined) link.lastmod = lastmod
  tools.reporter.addCrossSite(link)
  return true
}

/** A redirect's target is recorded as a link and never followed blindly (V11). */
export function followRedirect(target: WebUrl, page: string, from: AgendaItem, tools: VisitState): OutLink {
  tools.reporter.tally.add('links')
  const unwanted = tools.scope.unwantedKind(target)
  if (unwanted !== undefined) tools.reporter.tally.add(unwantedName(unwanted))
  // The target of a listed URL counts as listed too, unless it is of the same family.
  const listed = generationOf(from.path) === 0 && isMeantBy(page, target, tools)
  const way: Way = { depth: from.depth + 1, via: from.url, path: pathAfter(from.path, 'R', listed) }
  const admitted = unwanted === undefined && offer(target, way, tools)
  return outLink(target, admitted, tools)
}

/** URLs that one page may list. */
const MAX_LISTED = 1_000

/** The page itself under another scheme, in other letter case, or with a slash; or a page of another family. */
function isMeantBy(page: string, target: WebUrl, tools: VisitState): boolean {
  if (target.site !== tools.site) return true
  const plain = (path: string) => path.toLowerCase().replace(/\/$/, '')
  const path = normalPath(target)
  return plain(page) === plain(path) || familiesBeside(page, undefined)(path)
}

/** A known URL for which being listed makes a difference: it waits here as offspring, or its pattern is suspect. */
function isInDoubt(url: WebUrl, tools: VisitState): boolean {
  return tools.local.isOffspring(url.key) || tools.isSuspect(url)
}

/** Checked once per page: on most pages no link is in doubt. */
function mayBeInDoubt({ local, reporter }: VisitState): boolean {
  return local.hasOffspring || reporter.suspects.length > 0
}

/** How a link was found: all links of a page share four of these. */
type Way = Pick<Link, 'depth' | 'via' | 'path' | 'lastmod'>

function waysFrom({ depth, url, path }: AgendaItem): { listed: Way; offspring: Way; listedForm: Way; form: Way } {
  const way = (step: 'L' | 'S', listed: boolean): Way => ({
    depth: depth + 1,
    via: url,
    path: pathAfter(path, step, listed),
  })
  return { listed: way('L', true), offspring: way('L', false), listedForm: way('S', true), form: way('S', false) }
}

/** True when the URL itself is wanted: queued, reported, or known already. */
function offer(url: WebUrl, way: Way, tools: VisitState, known?: boolean): boolean {
  if (url.site === tools.site) return offerHere(url, way, tools, known)
  const { admit, dropped } = tools.scope.crossSite(url)
  if (dropped) tools.reporter.tally.add('seedLinksDropped')
  let entered = false
  for (const target of admit) {
    // A home page that was not linked itself starts a site: its depth counts from there.
    const depth = target.key === url.key ? way.depth : 0
    if (!wanted(target, depth, tools)) continue
    const isFull = tools.crossSiteSeen.size >= MAX_CROSS_SITE && !tools.crossSiteSeen.has(target.key)
    if (target.key === url.key && !isFull) entered = true
    if (isFull || !tools.crossSiteSeen.add(target.key)) continue
    tools.noteHost(target.host)
    tools.reporter.addCrossSite(linkTo(target, depth, way.via, way.path))
  }
  return entered
}

/** A known URL is reported again when a sitemap adds a date, or a link leads where only a form did. */
function offerHere(
  url: WebUrl,
  { depth, via, path, lastmod }: Way,
  tools: VisitState,
  known = tools.local.holds(url),
  isPlainer = false,
): boolean {
  const listed = isListed(path, tools.reporter.memory)
  if (!wanted(url, depth, tools)) return false
  if (!listed && tools.isPatternFull(url, { depth, path, via })) {
    if (!isPlainer) offerPlainer(url, { depth, via, path }, tools)
    return false
  }
  const isLinked = !isByForm(path) && tools.local.isLinked(url.key)
  const relisted = known && generationOf(path) === 0 && isInDoubt(url, tools)
  const isNews = isLinked || relisted || lastmod !== undefined
  if (!isNews && known) return true
  if (relisted) tools.local.list(url.key, { depth, via, path })
  const item: AgendaItem = { url: url.href, key: url.key, depth, dueAt: tools.now, via, tries: 0, path }
  if (lastmod !== undefined) item.hint = lastmod
  const news = tools.local.offer(item, url.lossy)
  rememberIndexNames(tools.local, tools.reporter)
  if (news === 'known' && !isNews) return true
  const link = linkTo(url, depth, via, path)
  if (lastmod !== undefined) link.lastmod = lastmod
  if (news === 'spelling') link.spelling = true
  tools.reporter.addLink(link)
  return true
}

/**
 * A URL that is held back for a parameter that makes no difference is requested without it, or with its usual value,
 * unless that URL is known: its page may have no other name.
 */
export function offerPlainer(url: WebUrl, from: Pick<AgendaItem, 'depth' | 'via' | 'path'>, tools: VisitState): void {
  const plain = tools.plainer(url)
  if (plain === undefined || tools.local.knows(plain.key) || tools.scope.unwantedKind(plain) !== undefined) return
  const path = pathAfter(from.path, 'I', generationOf(from.path) === 0)
  offerHere(plain, { depth: from.depth, via: from.via ?? url.href, path }, tools, tools.local.holds(plain), true)
}

/** For later visits, which know only the keys of earlier URLs. */
export function rememberIndexNames(local: LocalFrontier, reporter: Reporter): void {
  if (local.hasIndexNames && reporter.memory.indexNames === undefined)
    reporter.remember({ ...reporter.memory, indexNames: true })
}

function wanted(url: WebUrl, depth: number, tools: VisitState): boolean {
  const finding = tools.scope.judge(url, depth)
  if (finding.yes) return true
  tools.reporter.tally.add('refused:scope')
  // Depth and length count as limits in the table of what each limit stopped (V12).
  const [limit] = finding.rule.split('>', 1)
  if (limit === 'depth' || limit === 'url-length') tools.reporter.tally.add(`stopped:${limit}`)
  return false
}

export function outLink(url: WebUrl, admitted: boolean, tools: VisitState): OutLink {
  return { key: url.key, siteKey: otherSite(url, tools), url: admitted ? undefined : url.href, kind: 'link' }
}

/** The key of its site, if that is another. */
function otherSite({ site }: WebUrl, tools: VisitState): bigint | undefined {
  return site === tools.site ? undefined : siteKey(site)
}

function pack(url: WebUrl, admitted: boolean, out: LinkPacker, tools: VisitState, kind: LinkKind): void {
  out.add(url.key, otherSite(url, tools), admitted ? undefined : url.href, kind)
}

/** By scheme and by kind, of short lists of ours: making the text for each link takes 80 ns. */
const unwantedNames = new Map<string, CountName>()

function unwantedName(kind: string): CountName {
  const name = unwantedNames.get(kind) ?? `unwanted:${kind}`
  unwantedNames.set(kind, name)
  return name
}
