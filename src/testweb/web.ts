/**
 * The synthetic web: (seed, URL, time) → answer. A function, not a folder of fixtures: nothing is stored, any URL may be
 * asked at any time in any order, and the same question has the same answer in every process.
 */
import type { Instant } from '../base/clock.ts'
import type { FailureKind } from '../visit/outcome.ts'
import { answerPage, answerRobots } from './answer.ts'
import { bodyCache } from './body-cache.ts'
import { draw, unit } from './chance.ts'
import { changesBetween, type Version, versionAt } from './change.ts'
import { DEFAULT_PLAN, type PlantedPage, type WebOptions, type WebPlan } from './options.ts'
import { type Neighbours, urlOf } from './page-links.ts'
import { pageOfPath } from './page-path.ts'
import {
  type Content,
  defineDecoy,
  definePage,
  definePlanted,
  defineShapePage,
  type PageDefinition,
} from './page-plan.ts'
import { SHAPES } from './shapes/all.ts'
import { definePlantedSite, defineSite, indexOfHost, type SiteDefinition, siteSizes } from './site-plan.ts'
import { splitUrl } from './spelling.ts'
import type { WebAnswer, WebRequest } from './wire.ts'

export interface TestWeb {
  readonly plan: WebPlan
  /** Numbered sites; planted ones come after them. */
  readonly siteCount: number
  readonly hazardSites: readonly string[]
  readonly failingSites: readonly string[]
  site(index: number): SiteDefinition
  /** All sites, the planted ones too. */
  allSites(): SiteDefinition[]
  siteOf(url: string): SiteDefinition | undefined
  /** By name of host, without port: what a resolver is asked. */
  siteOfHost(host: string): SiteDefinition | undefined
  urlOf(site: number, page: number): string
  /** What stands under a URL (of any spelling); undefined: 404. robots.txt is not a page. */
  define(url: string): PageDefinition | undefined
  /** Undefined: the request gets through to the server. */
  unreachable(url: string): FailureKind | undefined
  answer(request: WebRequest): WebAnswer
  /** Home pages of the numbered sites: the usual seeds. */
  homes(): string[]
  /** One number for all sites at an address. */
  addressGroupOf(site: SiteDefinition): number
  versionOf(content: Content, at: Instant): Version
  changesOf(url: string, from: Instant, to: Instant): number
  /** Expected changes a day. */
  rateOf(content: Content): number
}

/** `keepBytes`: bodies made are kept, up to so many bytes; for servers, which are asked for the same page again and again. */
export function makeWeb(options: WebOptions, keepBytes = 0): TestWeb {
  const bodies = bodyCache(keepBytes)
  const plan: WebPlan = { ...DEFAULT_PLAN, ...options }
  const bound = plan.hazardBound === 0 ? Number.POSITIVE_INFINITY : plan.hazardBound
  const sizes = siteSizes(plan)
  const sites: SiteDefinition[] = new Array(plan.sites)
  const site = (index: number) => (sites[index] ??= defineSite(plan, index, sizes[index]))
  const { plantedSites, plantedPages, fromHome } = plant(plan)

  const siteOf = (url: string): SiteDefinition | undefined => {
    const { host } = splitUrl(url)
    return byHost(host, false)
  }
  const byHost = (host: string, anyPort: boolean): SiteDefinition | undefined => {
    const index = indexOfHost(plan, host.split(':', 1)[0])
    if (index !== undefined && (anyPort || site(index).host === host)) return site(index)
    if (!anyPort) return plantedSites.get(host)
    for (const planted of plantedSites.values()) if (planted.host.split(':', 1)[0] === host) return planted
    return undefined
  }
  const neighbours: Neighbours = {
    plan,
    site,
    count: plan.sites,
    extraHomeLinks(of) {
      const entries = of.hazard === undefined ? [] : SHAPES[of.hazard].entries.map((path) => of.origin + path)
      return [...entries, ...(fromHome.get(of.host) ?? [])]
    },
  }
  const define = (url: string): PageDefinition | undefined => {
    const { scheme, host, path } = splitUrl(url)
    const owner = byHost(host, false)
    if (owner === undefined) return undefined
    const spelled = `${scheme}://${owner.host}${path}`
    const planted = plantedPages.get(spelled)
    if (planted !== undefined) return definePlanted(owner, planted)
    if (scheme !== owner.scheme) return scheme === 'http' ? toSecure(owner, spelled, path) : undefined
    const page = pageOfPath(plan, owner, path)
    if (page !== undefined) return definePage(neighbours, owner, page)
    const decoy = plan.decoys || path.startsWith('/trap/') ? defineDecoy(owner, spelled) : undefined
    if (decoy !== undefined || owner.hazard === undefined) return decoy
    const shape = SHAPES[owner.hazard].page(path, bound, owner.seed)
    return shape === undefined ? undefined : defineShapePage(owner, spelled, shape)
  }
  const rateOf = (content: Content) =>
    content.planted !== undefined ? 0 : plan.changesPerDay * (0.01 + 0.99 * unit(draw(content.seed, 0x1a3b)))
  const versionOf = (content: Content, at: Instant) => versionAt(content.seed, rateOf(content), plan.epoch, at)
  const numbered = () => Array.from({ length: plan.sites }, (_, index) => site(index))

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
    allSites: () => [...numbered(), ...plantedSites.values()],
    siteOf,
    siteOfHost: (host) => byHost(host, true),
    urlOf: (index, page) => urlOf(plan, site(index), page),
    define,
    unreachable: (url) => unreachable(siteOf(url), url),
    answer(request) {
      const owner = siteOf(request.url)
      if (owner === undefined) return { kind: 'reset', latencyMs: 0 }
      if (owner.failing === 'silent') return { kind: 'silent' }
      if (owner.failing === 'reset') return { kind: 'reset', latencyMs: owner.latencyMs }
      if (owner.failing === 'garbage') return { kind: 'garbage', latencyMs: owner.latencyMs, bytes: GARBAGE }
      const { path } = splitUrl(request.url)
      if (path === '/robots.txt' || path === owner.robots.movedTo) return answerRobots(owner, path, request)
      return answerPage({ plan, versionOf, bodies }, owner, define(request.url), request)
    },
    homes: () => numbered().map((one) => one.origin + '/'),
    addressGroupOf: (of) => of.addressGroup,
    versionOf,
    changesOf(url, from, to) {
      const content = define(url)?.content
      return content === undefined ? 0 : changesBetween(content.seed, rateOf(content), plan.epoch, from, to)
    },
    rateOf,
  }
}

const GARBAGE = new Uint8Array(Buffer.from('SSH-2.0-OpenSSH_9.2 this is not the server you look for\r\n'))

/** A site that moved to https as a whole. */
function toSecure(site: SiteDefinition, url: string, path: string): PageDefinition {
  const header = { noindex: false, nofollow: false }
  return {
    url,
    site,
    kind: 'redirect',
    status: 301,
    to: site.origin + path,
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

function plant(plan: WebPlan) {
  const plantedSites = new Map<string, SiteDefinition>()
  const plantedPages = new Map<string, PlantedPage>()
  const fromHome = new Map<string, string[]>()
  for (const page of plan.planted) {
    const { scheme, host, path } = splitUrl(page.url)
    plantedPages.set(`${scheme}://${host}${path}`, page)
    const numbered = indexOfHost(plan, host.split(':', 1)[0]) !== undefined
    if (!numbered && !plantedSites.has(host)) {
      plantedSites.set(host, definePlantedSite(plan, plan.sites + plantedSites.size, `${scheme}://${host}`))
    }
    if (page.fromHome) fromHome.set(host, [...(fromHome.get(host) ?? []), page.url])
  }
  return { plantedSites, plantedPages, fromHome }
}
