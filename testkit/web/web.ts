/**
 * The synthetic web: (seed, URL, time) → answer. A function, not a folder of fixtures: nothing is stored, any URL may be
 * asked at any time in any order, and the same question has the same answer in every process.
 */
import type { Instant } from '../../src/base/clock.ts'
import type { FailureKind } from '../../src/contracts/outcome.ts'
import { answerFile, answerPage, answerRobots } from './answer.ts'
import { bodyCache } from './body-cache.ts'
import { draw, unit } from './chance.ts'
import { changesBetween, type Version, versionAt } from './change.ts'
import { planHosts } from './hosts.ts'
import type { Mirror } from './mirror-plan.ts'
import { DEFAULT_PLAN, type WebOptions, type WebPlan } from './options.ts'
import { type Neighbours, urlOf } from './page-links.ts'
import { kindOf, pageOfPath } from './page-path.ts'
import {
  type Content,
  defineDecoy,
  definePage,
  definePlanted,
  defineShapePage,
  type PageDefinition,
} from './page-plan.ts'
import { SHAPES } from './shapes/all.ts'
import type { Visitor } from './shapes/shape.ts'
import type { SiteDefinition } from './site-plan.ts'
import { filesOf, hiddenPage, hiddenPath, type Listed, type SitemapFile, sitemapFile } from './sitemap-plan.ts'
import { splitUrl } from './spelling.ts'
import { isGone } from './wildcards.ts'
import { headerOf, type WebAnswer, type WebRequest } from './wire.ts'

export interface TestWeb {
  readonly plan: WebPlan
  /** Numbered sites; planted ones come after them. */
  readonly siteCount: number
  readonly hazardSites: readonly string[]
  readonly failingSites: readonly string[]
  site(index: number): SiteDefinition
  /** All sites but those that wildcards make up: the planted ones too, and copies. */
  allSites(): SiteDefinition[]
  siteOf(url: string): SiteDefinition | undefined
  /** By name of host, without port: what a resolver is asked, at that time. */
  siteOfHost(host: string, at?: Instant): SiteDefinition | undefined
  urlOf(site: number, page: number): string
  /** What stands under a URL (of any spelling); undefined: 404. robots.txt and sitemaps are no pages. */
  define(url: string, visitor?: Visitor): PageDefinition | undefined
  /** The shape of the trap that the URL lies in; undefined: in none. */
  trapOf(url: string): string | undefined
  /** What the URL has to show that is real: itself, or the URL that stands for all names of it. */
  realOf(url: string): string | undefined
  /** Declared and true media type, where they differ. */
  wrongTypeOf(url: string): { declared: string; actual: string } | undefined
  /** Which hosts are copies of which, and which only look so. */
  mirrors(): readonly Mirror[]
  /** The files of a site's sitemap, and what they list. */
  sitemapOf(site: SiteDefinition): { files: string[]; listed: string[] }
  /** Undefined: the request gets through to the server. */
  unreachable(url: string): FailureKind | undefined
  answer(request: WebRequest): WebAnswer
  /** Home pages of the numbered sites: the usual seeds. */
  homes(): string[]
  /** Home pages of good sites under wildcards; of copies and what looks like copies. */
  wildcardHomes(): string[]
  mirrorHomes(): string[]
  /** Domains under which every name resolves, and where any such name stands. */
  wildcardDomains(): { domain: string; anywhere: SiteDefinition }[]
  /** One number for all sites at an address. */
  addressGroupOf(site: SiteDefinition): number
  versionOf(content: Content, at: Instant): Version
  /** When the page changed in (from, to]. */
  changesOf(url: string, from: Instant, to: Instant): Instant[]
  /** Expected changes a day. */
  rateOf(content: Content): number
}

const NOBODY: Visitor = {}
const INDEX_FILE = 'index.html'

/** `keepBytes`: bodies made are kept, up to so many bytes; for servers, which are asked for the same page again and again. */
export function makeWeb(options: WebOptions, keepBytes = 0): TestWeb {
  const bodies = bodyCache(keepBytes)
  const plan: WebPlan = { ...DEFAULT_PLAN, ...options }
  const bound = plan.hazardBound === 0 ? Number.POSITIVE_INFINITY : plan.hazardBound
  const hosts = planHosts(plan)
  const { site, numbered } = hosts

  const define = pageFinder(plan, hosts, bound)
  const rateOf = (content: Content) => {
    if (content.planted !== undefined) return 0
    const { changesPerDay: most, leastChangesPerDay: least } = plan
    const share = unit(draw(content.seed, 0x1a3b))
    return least > 0 ? least * (most / least) ** share : most * (0.01 + 0.99 * share)
  }
  const versionOf = (content: Content, at: Instant) => versionAt(content.seed, rateOf(content), plan.epoch, at)
  const siteOf = (url: string) => hosts.of(splitUrl(url).host, false)?.site
  const { listedBy, sitemapAt } = sitemapsOf(plan, define, versionOf)

  return {
    plan,
    siteCount: plan.sites,
    hazardSites: numbered()
      .filter((one) => one.hazard !== undefined)
      .map((one) => one.host),
    failingSites: numbered()
      .filter((one) => one.failing !== undefined)
      .map((one) => one.host),
    site,
    allSites: () => [...numbered(), ...hosts.others()],
    siteOf,
    siteOfHost(host, at = plan.epoch) {
      const found = hosts.of(host, true)?.site
      return found === undefined || isGone(found, at) ? undefined : found
    },
    urlOf: (index, page) => urlOf(plan, site(index), page),
    define,
    trapOf(url) {
      const { host, path } = splitUrl(url)
      const of = hosts.of(host, false)?.site
      const endless = of?.sitemap?.kind === 'endless' && /^\/sitemap_index\d+\.xml$/.test(path)
      if (endless && sitemapAt(of, path, plan.epoch) !== undefined) return 'endless-sitemap'
      const shape = define(url)?.shape
      return shape?.sort === 'trap' ? shape.name : undefined
    },
    realOf(url) {
      const page = define(url)
      if (page === undefined) return undefined
      if (page.shape === undefined) return indexless(page, plan)
      return page.shape.sort === 'real' ? page.url : page.shape.shows
    },
    wrongTypeOf(url) {
      const page = define(url)
      const actual = page?.shape?.actualType
      const declared = page?.contentType.split(';', 1)[0] ?? ''
      return actual === undefined || actual === declared ? undefined : { declared, actual }
    },
    mirrors: hosts.mirrors,
    sitemapOf: (of) => ({
      files: of.sitemap === undefined ? [] : filesOf(of.sitemap.kind).map((file) => of.origin + file),
      listed: listedBy(of),
    }),
    unreachable: (url) => unreachable(siteOf(url), url),
    answer(request) {
      const owner = siteOf(request.url)
      if (owner === undefined) return { kind: 'reset', latencyMs: 0 }
      if (owner.failing === 'silent') return { kind: 'silent' }
      if (owner.failing === 'reset') return { kind: 'reset', latencyMs: owner.latencyMs }
      if (owner.failing === 'garbage') return { kind: 'garbage', latencyMs: owner.latencyMs, bytes: GARBAGE }
      const { path } = splitUrl(request.url)
      if (path === '/robots.txt' || path === owner.robots.movedTo) return answerRobots(owner, path, request)
      const file = sitemapAt(owner, path, request.at)
      if (file !== undefined) return answerFile(owner, file, request)
      const visitor = { cookie: headerOf(request.headers, 'cookie'), at: request.at }
      return answerPage({ plan, versionOf, bodies }, owner, define(request.url, visitor), request)
    },
    homes: () => numbered().map((one) => one.origin + '/'),
    wildcardHomes: hosts.wildcardHomes,
    mirrorHomes: hosts.mirrorHomes,
    wildcardDomains: hosts.wildcardDomains,
    addressGroupOf: (of) => of.addressGroup,
    versionOf,
    changesOf(url, from, to) {
      const content = define(url)?.content
      return content === undefined ? [] : changesBetween(content.seed, rateOf(content), plan.epoch, from, to)
    },
    rateOf,
  }
}

type FindPage = TestWeb['define']

/** What stands under a URL: a planted page, a redirect, a page of a shape, or an ordinary one. */
function pageFinder(plan: WebPlan, hosts: ReturnType<typeof planHosts>, bound: number): FindPage {
  const neighbours: Neighbours = {
    plan,
    site: hosts.site,
    count: plan.sites,
    twin: hosts.twin,
    extraHomeLinks(of) {
      const shape = of.hazard ?? of.lookalike
      const entries = shape === undefined ? [] : SHAPES[shape].entries(of.seed, plan.domain)
      const own = entries.map((to) => (to.startsWith('/') ? of.origin + to : to))
      return [...own, ...hosts.wildcardEntries(of), ...hosts.plantedFromHome(of)]
    },
  }
  const define: FindPage = (url, visitor = NOBODY) => {
    const { scheme, host, path } = splitUrl(url)
    const found = hosts.of(host, false)
    if (found === undefined) return undefined
    const owner = found.site
    const spelled = `${scheme}://${owner.host}${path}`
    const planted = hosts.plantedPage(spelled)
    if (planted !== undefined) return definePlanted(owner, planted)
    if (scheme !== owner.scheme) return scheme === 'http' ? movedTo(owner.origin, owner, spelled, path) : undefined
    if (found.movesTo !== undefined) return movedTo(found.movesTo.origin, owner, spelled, path)
    if (found.page !== undefined) {
      const made = found.page(path, bound)
      return made === undefined ? undefined : defineShapePage(owner, spelled, made, found.trap ?? 'look-alike')
    }
    return defineOwn(owner, spelled, path, visitor)
  }
  const defineOwn = (
    owner: SiteDefinition,
    spelled: string,
    path: string,
    visitor: Visitor,
  ): PageDefinition | undefined => {
    const name = owner.hazard ?? owner.lookalike
    const shape = name === undefined ? undefined : SHAPES[name]
    const indexed = owner.indexFiles && path.endsWith(`/${INDEX_FILE}`)
    const page = pageOfPath(plan, owner, indexed ? path.slice(0, -INDEX_FILE.length) : path)
    if (page !== undefined && !(shape?.swallowsMissing && kindOf(plan, owner, page) === 'missing')) {
      const defined = definePage(neighbours, owner, page)
      return indexed ? { ...defined, url: spelled } : defined
    }
    const decoy = plan.decoys || path.startsWith('/trap/') ? defineDecoy(owner, spelled) : undefined
    if (decoy !== undefined) return decoy
    const hidden = owner.sitemap === undefined ? undefined : hiddenPage(path, owner.seed, owner.sitemap)
    if (hidden !== undefined) return defineShapePage(owner, spelled, hidden, 'sitemap')
    const made = shape?.page(path, bound, owner.seed, visitor)
    return made === undefined || name === undefined ? undefined : defineShapePage(owner, spelled, made, name)
  }
  return define
}

/** The files of sitemaps, made when they are asked for. */
function sitemapsOf(plan: WebPlan, define: FindPage, versionOf: TestWeb['versionOf']) {
  const listedBy = (of: SiteDefinition): string[] => {
    if (of.sitemap === undefined) return []
    const pages = Array.from({ length: of.pages }, (_, page) => page).filter(
      (page) => kindOf(plan, of, page) === 'page',
    )
    const hidden = Array.from({ length: of.sitemap.hidden }, (_, number) => of.origin + hiddenPath(of.seed, number))
    return [...pages.map((page) => urlOf(plan, of, page)), ...hidden]
  }
  const sitemapAt = (of: SiteDefinition, path: string, at: Instant): SitemapFile | undefined => {
    const { sitemap } = of
    // Only names like these; the list is not made for every page that is asked for.
    if (sitemap === undefined || !/^\/(sitemap|feed)/.test(path)) return undefined
    const listed = listedBy(of).map((url): Listed => {
      const content = sitemap.lastmod === 'true' ? define(url)?.content : undefined
      const since = content === undefined ? undefined : versionOf(content, at).since
      return { url, lastmod: { true: since, now: at, frozen: plan.epoch - 1e11, none: undefined }[sitemap.lastmod] }
    })
    return sitemapFile(path, sitemap, of.origin, listed)
  }

  return { listedBy, sitemapAt }
}

const GARBAGE = new Uint8Array(Buffer.from('SSH-2.0-OpenSSH_9.2 this is not the server you look for\r\n'))

/** The one name of a page that has two because of its directory's index file. */
function indexless({ url, site }: PageDefinition, plan: WebPlan): string {
  if (!site.indexFiles || !url.endsWith(`/${INDEX_FILE}`)) return url
  const short = url.slice(0, -INDEX_FILE.length)
  return pageOfPath(plan, site, short.slice(site.origin.length)) === undefined ? url : short
}

/** A site that moved as a whole: to https, or to its other name. */
function movedTo(origin: string, site: SiteDefinition, url: string, path: string): PageDefinition {
  const header = { noindex: false, nofollow: false }
  return {
    url,
    site,
    kind: 'redirect',
    status: 301,
    to: origin + path,
    contentType: 'text/html',
    header,
    headers: [],
  }
}

function unreachable(site: SiteDefinition | undefined, url: string): FailureKind | undefined {
  if (site === undefined || site.failing === 'no-such-name') return 'no-such-name'
  if (site.failing === 'dns') return 'dns'
  if (site.failing === 'refused') return 'connect'
  if (site.failing === 'connect-timeout') return 'connect-timeout'
  if (url.startsWith('https:') && site.scheme === 'http') return 'tls'
  return undefined
}
