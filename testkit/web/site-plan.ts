/** One site: everything about it that is not a page. All drawn from (seed, index). */
import type { Instant, Millis } from '../../src/base/clock.ts'
import { draw, drawText, unit } from './chance.ts'
import type { Charset } from './charset.ts'
import type { Language } from './language.ts'
import { CHARSETS } from './language.ts'
import type { FailingKind, WebPlan } from './options.ts'
import { defineRobots, type RobotsDefinition } from './robots-plan.ts'
import type { LookalikeName, TrapShapeName } from './shapes/all.ts'
import type { ShapePage } from './shapes/shape.ts'
import { defineSitemap, type SitemapDefinition, withSitemaps } from './sitemap-plan.ts'

export type Coding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd'
export type Framing = 'length' | 'chunked' | 'close'

/** A numbered site, a planted one, a copy of another, or one that a wildcard makes up. */
export interface Host {
  site: SiteDefinition
  /** All its pages move readers there. */
  movesTo?: SiteDefinition
  /** It has no numbered pages, but these. */
  page?(path: string, bound: number): ShapePage | undefined
  /** What those belong to, when nobody misses them. */
  trap?: string
}

export interface SiteDefinition {
  index: number
  /** `s12.web.test`, or with its port where that is not 80 or 443: the site's name in every record. */
  host: string
  /** What the site's own links and redirects use. */
  scheme: 'http' | 'https'
  /** `http://s12.web.test`. */
  origin: string
  /** The registrable domain: last two labels of the host. */
  domain: string
  /** The draw from which its pages' draws start. */
  seed: number
  pages: number
  language: Language
  charset: Charset
  declared: 'header' | 'meta' | 'nowhere'
  coding: Coding
  framing: Framing
  keepAlive: boolean
  cookies: boolean
  /** ETag, Last-Modified and 304. */
  conditional: boolean
  latencyMs: Millis
  robots: RobotsDefinition
  movedHome: boolean
  failing?: FailingKind
  hazard?: TrapShapeName
  /** Honest pages that look like a hazard's. */
  lookalike?: LookalikeName
  /** The host that its pages speak of, and the origin: for a copy those of the original. */
  name: string
  nominal: string
  /** Its links to itself name no host, so that they stay in a copy. */
  hostless?: true
  /** A copy that is not kept up: from where its differences are drawn. */
  stale?: number
  /** The name resolves until then. */
  goneAt?: Instant
  indexFiles: boolean
  sitemap?: SitemapDefinition
  /** Sites with the same number stand at one address. */
  addressGroup: number
}

/** Numbers of shared addresses begin here, beyond those of single sites. */
const SHARED = 1_000_000

/** Compressing costs more than rendering (160 µs against 80): enough of each kind, not as many as on the real web. */
const CODINGS: readonly Coding[] = [
  'identity',
  'gzip',
  'identity',
  'br',
  'identity',
  'identity',
  'gzip',
  'identity',
  'zstd',
  'identity',
  'deflate',
  'identity',
]
const FRAMINGS: readonly Framing[] = ['length', 'chunked', 'length', 'chunked', 'length', 'close']

/** Of ten sites seven are `sN.web.test`; three make a family under one registrable domain; some have a port of their own. */
export function hostOf(plan: WebPlan, index: number): string {
  const { domain } = plan
  switch (index % 10) {
    case 7:
      return `www.f${Math.floor(index / 10)}.${domain}`
    case 8:
      return `blog.f${Math.floor(index / 10)}.${domain}`
    case 9:
      return `f${Math.floor(index / 10)}.${domain}`
    case 5:
      return index % 40 === 25 ? `s${index}.web.${domain}:8080` : `s${index}.web.${domain}`
    default:
      return `s${index}.web.${domain}`
  }
}

/** The inverse of `hostOf`; undefined for a host that the web does not have. */
export function indexOfHost(plan: WebPlan, host: string): number | undefined {
  const match = /^(?:s(\d{1,9})\.web|(www\.|blog\.|)f(\d{1,9}))\.[^.]+$/.exec(host)
  if (match === null) return undefined
  const index = match[1] !== undefined ? Number(match[1]) : Number(match[3]) * 10 + FAMILY[match[2]]
  return index < plan.sites && hostOf(plan, index).split(':', 1)[0] === host ? index : undefined
}

const FAMILY: Record<string, number> = { 'www.': 7, 'blog.': 8, '': 9 }

export function defineSite(plan: WebPlan, index: number, pages: number): SiteDefinition {
  const seed = draw(plan.seed, index, 0x517e)
  const yes = (share: number, what: number) => unit(draw(seed, what)) < share
  const pick = <T>(list: readonly T[], what: number): T => list[draw(seed, what) % list.length]
  const turn = (index + draw(plan.seed, 1)) % plan.robots.length
  const host = hostOf(plan, index)
  const failing = inTurn(plan.failingKinds, plan.failingShare, index, 1)
  const shape = failing === undefined ? inTurn(plan.hazardShapes, plan.hazardShare, index, 2) : undefined
  const lookalike =
    failing === undefined && shape === undefined
      ? inTurn(plan.lookalikeShapes, plan.lookalikeShare, index, 3)
      : undefined
  const hazard = shape !== undefined || lookalike !== undefined
  const language = pick(plan.languages, 1)
  const scheme = yes(plan.secureShare, 9) && !host.includes(':') ? 'https' : 'http'
  const origin = `${scheme}://${host}`
  const sitemap = failing === undefined && !hazard ? inTurn(plan.sitemapKinds, plan.sitemapShare, index, 0) : undefined
  const robots = defineRobots(
    // A hazard behind robots.txt would catch nobody.
    shape === 'soft-404' ? 'html' : hazard || index === 0 ? 'missing' : plan.robots[turn],
    plan.crawlDelaySeconds,
  )
  const site: SiteDefinition = {
    index,
    host,
    name: host,
    scheme,
    origin,
    nominal: origin,
    domain: host.split(':', 1)[0].split('.').slice(-2).join('.'),
    seed,
    pages,
    language,
    charset: plan.charsets ? pick(CHARSETS[language], 2) : 'utf-8',
    declared: plan.charsets ? pick(['header', 'meta', 'header', 'meta', 'nowhere'] as const, 3) : 'header',
    coding: plan.codings ? pick(CODINGS, 4) : 'identity',
    // Nobody could tell a cut body that ends with its connection from a whole one.
    framing: !plan.framings
      ? 'length'
      : failing === 'cut'
        ? pick(['length', 'chunked'] as const, 5)
        : pick(FRAMINGS, 5),
    keepAlive: !plan.framings || yes(0.85, 6),
    cookies: yes(0.15, 7),
    conditional: yes(0.6, 8),
    latencyMs: plan.latencyMs * (0.3 + 2 * unit(draw(seed, 10)) ** 3),
    robots,
    movedHome: !hazard && failing === undefined && pages > 3 && yes(plan.movedHomeShare, 13),
    failing,
    hazard: shape,
    lookalike,
    indexFiles: yes(plan.indexFileShare, 14),
    // A site that refuses connections must not take its neighbours with it.
    addressGroup: failing === undefined ? addressGroup(plan, index) : index,
  }
  if (sitemap === undefined) return site
  return {
    ...site,
    sitemap: defineSitemap(sitemap, seed, plan.hiddenPages),
    robots: withSitemaps(robots, origin, sitemap),
  }
}

/**
 * Every so many sites have the next of a list, so that all kinds occur however few sites there are. From an offset of 1 on
 * site 0 never has one: every web has something to crawl.
 */
function inTurn<T>(list: readonly T[], share: number, index: number, offset: number): T | undefined {
  if (share <= 0 || list.length === 0) return undefined
  const every = Math.max(offset + 1, Math.round(1 / share))
  return index % every === offset ? list[Math.floor(index / every) % list.length] : undefined
}

/** A site that exists only because a test planted pages there. */
export function definePlantedSite(plan: WebPlan, index: number, origin: string): SiteDefinition {
  const { host, protocol } = new URL(origin)
  const bare = {
    ...plan,
    hazardShare: 0,
    failingShare: 0,
    lookalikeShare: 0,
    sitemapShare: 0,
    indexFileShare: 0,
    movedHomeShare: 0,
    charsets: false,
    codings: false,
    framings: false,
  }
  return {
    ...defineSite(bare, index, 0),
    host,
    name: host,
    nominal: origin,
    scheme: protocol === 'https:' ? 'https' : 'http',
    origin,
    domain: host.split(':', 1)[0].split('.').slice(-2).join('.'),
    seed: drawText(plan.seed, host),
    robots: defineRobots('missing', 0),
    addressGroup: index,
  }
}

function addressGroup(plan: WebPlan, index: number): number {
  const group = Math.floor(index / plan.sitesPerAddress)
  return unit(draw(plan.seed, group, 0xadd2)) < plan.sharedAddressShare ? SHARED + group : index
}

/** Pages of each site: Zipf by index, at least one each; or the same for all. */
export function siteSizes(plan: WebPlan): Uint32Array {
  const sizes = new Uint32Array(plan.sites)
  if (plan.pages === 0) return sizes.fill(plan.pagesPerSite)
  let sum = 0
  for (let i = 0; i < plan.sites; i++) sum += (i + 1) ** -plan.theta
  for (let i = 0; i < plan.sites; i++) sizes[i] = Math.max(1, Math.round((plan.pages * (i + 1) ** -plan.theta) / sum))
  return sizes
}
