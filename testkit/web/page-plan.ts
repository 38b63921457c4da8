/**
 * What a URL of the synthetic web is: its fate, its directives, its links as targets. The renderer turns this into bytes, the
 * walker into the right answer; neither reads the other's product.
 */
import { Draws, draw, drawText, unit } from './chance.ts'
import type { FlakyKind, PlantedPage, WebPlan } from './options.ts'
import { type LinkDefinition, linksOf, type Neighbours, urlOf } from './page-links.ts'
import { kindOf, type PageKind } from './page-path.ts'
import type { Misbehaviour, ShapePage, Sort } from './shapes/shape.ts'
import type { SiteDefinition } from './site-plan.ts'

export interface Directives {
  noindex: boolean
  nofollow: boolean
}

export interface Content {
  site: SiteDefinition
  /** The page's own draw: its words, its size, its changes. */
  seed: number
  /** The URL against which its relative links were written. */
  url: string
  title: string
  links: readonly LinkDefinition[]
  /** In the document. */
  meta: Directives
  /** All links absolute, no base: the same bytes mean the same under another URL. */
  portable: boolean
  /** Planted bytes instead of generated ones. */
  planted?: Uint8Array
}

export interface PageDefinition {
  url: string
  site: SiteDefinition
  kind: PageKind | 'planted' | 'shape' | 'decoy'
  /** What it answers when all goes well. */
  status: number
  /** With parameters; '' when there is none. */
  contentType: string
  /** Redirects: where to. */
  to?: string
  /** X-Robots-Tag, as far as it concerns us. */
  header: Directives
  content?: Content
  /** How many first requests fail, and how. */
  flaky?: { kind: FlakyKind; times: number }
  misbehaves?: Misbehaviour
  /** Made up by a hazard or its honest neighbour: which, and whether anybody misses it. */
  shape?: { name: string; sort: Sort; shows?: string; actualType?: string }
  /** Not the same for everybody. */
  varies?: true
  /** Extra header lines. */
  headers: readonly (readonly [string, string])[]
}

const NO_DIRECTIVES: Directives = { noindex: false, nofollow: false }
const REDIRECTS = [301, 302, 307, 308, 303] as const
const MISSING = [404, 404, 410, 403, 401, 404] as const
const WAY = 0x0a1f

export function definePage(web: Neighbours, site: SiteDefinition, page: number): PageDefinition {
  const { plan } = web
  const kind = kindOf(plan, site, page)
  const url = urlOf(plan, site, page)
  const bits = draw(site.seed, page, WAY)
  const plain = {
    url,
    site,
    kind,
    headers: [],
    header: NO_DIRECTIVES,
    contentType: 'text/html',
    flaky: flakyOf(plan, site, page),
  }
  switch (kind) {
    case 'redirect': {
      const to = page === 0 ? urlOf(plan, site, 1) : redirectTarget(web, site, page)
      return { ...plain, status: page === 0 ? 302 : REDIRECTS[bits % REDIRECTS.length], to }
    }
    case 'loop':
      return { ...plain, status: 302, to: urlOf(plan, site, page ^ 1) }
    case 'missing':
      return { ...plain, status: MISSING[bits % MISSING.length] }
    case 'image':
      return { ...plain, status: 200, contentType: 'image/png' }
    case 'json':
      return { ...plain, status: 200, contentType: 'application/json' }
    case 'pdf':
      return { ...plain, status: 200, contentType: 'application/pdf' }
    case 'text':
      return {
        ...plain,
        status: 200,
        contentType: 'text/plain; charset=utf-8',
        header: headerDirectives(plan, site, page),
      }
    case 'duplicate': {
      const original = originalOf(web, site, page)
      const content = contentOf(web, original.site, original.page)
      return { ...plain, status: 200, contentType: htmlType(original.site), content }
    }
    default: {
      const contentType = kind === 'xhtml' ? 'application/xhtml+xml; charset=utf-8' : htmlType(site)
      const header = page === 0 ? NO_DIRECTIVES : headerDirectives(plan, site, page)
      return { ...plain, status: 200, contentType, header, content: contentOf(web, site, page) }
    }
  }
}

export function htmlType(site: SiteDefinition): string {
  return site.declared === 'header' && site.charset !== 'utf-16le' ? `text/html; charset=${site.charset}` : 'text/html'
}

function redirectTarget(web: Neighbours, site: SiteDefinition, page: number): string {
  const draws = new Draws(draw(site.seed, page, WAY, 1))
  const other = draws.yes(0.25) ? web.site(draws.below(web.count)) : site
  return urlOf(web.plan, other, draws.below(Math.max(1, other.pages)))
}

function flakyOf(plan: WebPlan, site: SiteDefinition, page: number): PageDefinition['flaky'] {
  if (page === 0 || plan.flakyKinds.length === 0 || unit(draw(site.seed, page, 0xf1a)) >= plan.flakyShare)
    return undefined
  const bits = draw(site.seed, page, 0xf1b)
  return { kind: plan.flakyKinds[bits % plan.flakyKinds.length], times: 1 + ((bits >>> 8) & 1) }
}

/** Half of the directives stand in the document, half in the head of the answer. */
function directivesOf(plan: WebPlan, site: SiteDefinition, page: number, where: 0 | 1): Directives {
  const bits = draw(site.seed, page, 0xd12)
  if ((bits & 1) !== where) return NO_DIRECTIVES
  const noindex = unit(bits) < plan.noindexShare
  const nofollow = unit(draw(site.seed, page, 0xd13)) < plan.nofollowShare
  return noindex || nofollow ? { noindex, nofollow } : NO_DIRECTIVES
}

const headerDirectives = (plan: WebPlan, site: SiteDefinition, page: number) => directivesOf(plan, site, page, 1)

/** A page whose bytes may stand under another URL too. */
function isPortable(site: SiteDefinition, page: number): boolean {
  return unit(draw(site.seed, page, 0x90a)) < 0.15
}

function originalOf(web: Neighbours, site: SiteDefinition, page: number): { site: SiteDefinition; page: number } {
  const draws = new Draws(draw(site.seed, page, 0xd0b))
  for (let attempt = 0; attempt < 16; attempt++) {
    const drawn = draws.yes(0.2) ? web.site(draws.below(web.count)) : site
    const other = drawn.name === site.name ? site : drawn
    const candidate = draws.below(Math.max(1, other.pages))
    if (other !== site && other.hostless) continue
    if (candidate > 0 && isPortable(other, candidate) && kindOf(web.plan, other, candidate) === 'page') {
      return { site: other, page: candidate }
    }
  }
  return { site, page }
}

export function contentOf(web: Neighbours, site: SiteDefinition, page: number): Content {
  const { plan } = web
  const kind = kindOf(plan, site, page)
  return {
    site: kind === 'xhtml' ? { ...site, charset: 'utf-8' } : site,
    seed: draw(site.seed, page, 0xc0, differs(site, page)),
    url: urlOf(plan, site, page),
    title: `${site.name} ${page}`,
    links: linksOf(web, site, page, kind),
    meta: page === 0 ? NO_DIRECTIVES : directivesOf(plan, site, page, 0),
    portable: kind === 'duplicate' || isPortable(site, page),
  }
}

/** What stands under the names that only decoys use: asking for it is the mistake, so it answers as if nothing were wrong. */
export function defineDecoy(site: SiteDefinition, url: string): PageDefinition | undefined {
  const path = url.slice(site.origin.length)
  if (path === '/style.css') return decoy(site, url, 'text/css')
  if (path === '/code.js') return decoy(site, url, 'text/javascript')
  if (path.startsWith('/img/') || path.startsWith('/files/')) return decoy(site, url, 'application/octet-stream')
  if (path.startsWith('/trap/')) return decoy(site, url, 'text/html')
  return undefined
}

function decoy(site: SiteDefinition, url: string, contentType: string): PageDefinition {
  return { url, site, kind: 'decoy', status: 200, contentType, header: NO_DIRECTIVES, headers: [] }
}

export function definePlanted(site: SiteDefinition, page: PlantedPage): PageDefinition {
  const planted = page.base64 === undefined ? Buffer.from(page.html ?? '', 'utf8') : Buffer.from(page.base64, 'base64')
  return {
    url: page.url,
    site,
    kind: 'planted',
    status: page.status ?? 200,
    to: page.status !== undefined && page.status >= 300 && page.status < 400 ? page.links?.[0] : undefined,
    contentType: page.contentType ?? 'text/html; charset=utf-8',
    header: NO_DIRECTIVES,
    headers: page.headers ?? [],
    content: {
      site,
      seed: drawText(site.seed, page.url),
      url: page.url,
      title: 'planted',
      links: (page.links ?? []).map((target) => ({ tag: 'a', target, nofollow: false })),
      meta: NO_DIRECTIVES,
      portable: true,
      planted: new Uint8Array(planted),
    },
  }
}

/** Of a copy that is not kept up some pages have other words; never the home page. */
function differs(site: SiteDefinition, page: number): number {
  const { stale } = site
  return stale !== undefined && page > 0 && unit(draw(stale, page, 0x57a1)) < STALE_SHARE ? stale : 0
}

const STALE_SHARE = 0.25

/** A page that a hazard makes up, or an honest site that looks like one. */
export function defineShapePage(site: SiteDefinition, url: string, page: ShapePage, name: string): PageDefinition {
  const { body, sort = 'trap', shows, actualType } = page
  const absolute = (target: string) => (target.startsWith('/') ? site.origin + target : target)
  return {
    url,
    site,
    kind: 'shape',
    misbehaves: page.misbehaves,
    shape: { name, sort, ...(shows === undefined ? {} : { shows: site.origin + shows }), actualType },
    ...(page.varies === undefined ? {} : { varies: page.varies }),
    status: page.status ?? 200,
    ...(page.to === undefined ? {} : { to: absolute(page.to) }),
    contentType: body === undefined ? htmlType(site) : (page.contentType ?? 'text/html; charset=utf-8'),
    header: NO_DIRECTIVES,
    headers: page.headers ?? [],
    content: {
      site,
      seed: drawText(site.seed, page.words),
      url,
      title: page.words,
      links: page.targets.map((target) => ({ tag: 'a', target: absolute(target), nofollow: false })),
      meta: NO_DIRECTIVES,
      portable: true,
      ...(body === undefined ? {} : { planted: typeof body === 'string' ? Buffer.from(body, 'utf8') : body }),
    },
  }
}
