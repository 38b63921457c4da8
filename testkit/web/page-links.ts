/** The links of a page, as targets: a tree that holds the site together, neighbours, the site at large, other sites, decoys. */
import { Draws, draw } from './chance.ts'
import type { WebPlan } from './options.ts'
import { type PageKind, pathOf } from './page-path.ts'
import type { SiteDefinition } from './site-plan.ts'

/** Where a link stands. Those of the first row are links; the others name things that are not to be followed. */
export type LinkTag =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'form'
  | 'canonical'
  | 'alternate'
  | 'next'
  | 'prev'
  | 'refresh'
  | 'image'
  | 'style'
  | 'script'
  | 'script-text'
  | 'comment'
  | 'textarea'
  | 'post'
  | 'second-href'
  | 'scheme'
  | 'archive'

export interface LinkDefinition {
  tag: LinkTag
  /** Absolute, in final spelling, without fragment. For `scheme` whatever it is: `mailto:…`. */
  target: string
  /** rel=nofollow. */
  nofollow: boolean
}

/** What the definition of a page needs to know of the rest of the web. */
export interface Neighbours {
  plan: WebPlan
  site(index: number): SiteDefinition
  count: number
  /** The other host that has a copy of the site, if there is one. */
  twin(site: SiteDefinition): SiteDefinition | undefined
  /** Absolute URLs that the site's home page names besides its own: planted pages, entries of hazards. */
  extraHomeLinks(site: SiteDefinition): readonly string[]
}

const LINKS = 0x11c5

/** Of a site; a page names twenty of them, and most are named by several pages. */
const MOST_KEPT = 1000
const kept = new WeakMap<SiteDefinition, string[]>()

export function urlOf(plan: WebPlan, site: SiteDefinition, page: number): string {
  if (page >= MOST_KEPT) return site.origin + pathOf(plan, site, page)
  let urls = kept.get(site)
  if (urls === undefined) kept.set(site, (urls = []))
  return (urls[page] ??= site.origin + pathOf(plan, site, page))
}

const link = (tag: LinkTag, target: string, nofollow = false): LinkDefinition => ({ tag, target, nofollow })

export function linksOf(web: Neighbours, site: SiteDefinition, page: number, kind: PageKind): LinkDefinition[] {
  const { plan } = web
  const draws = new Draws(draw(site.seed, page, LINKS))
  if (kind === 'frameset') {
    return Array.from({ length: 3 }, () => link('frame', urlOf(plan, site, nearby(site, page, draws))))
  }
  const links = page === 0 ? web.extraHomeLinks(site).map((url) => link('a', url)) : []
  headLinks(web, site, page, draws, links)
  // The branches of a tree over the page numbers: whatever else is drawn, most of the site can be reached from its home page.
  for (let child = page * 8 + 1; child <= page * 8 + 8 && child < site.pages; child++) {
    links.push(link('a', urlOf(plan, site, child)))
  }
  const count = Math.round(plan.linksPerPage * (0.5 + draws.unit()))
  while (links.length < count) links.push(bodyLink(web, site, page, draws))
  if (plan.decoys) addDecoys(web, site, page, draws, links)
  return links
}

function headLinks(web: Neighbours, site: SiteDefinition, page: number, draws: Draws, links: LinkDefinition[]): void {
  const { plan } = web
  const add = (tag: LinkTag, to: number) => links.push(link(tag, urlOf(plan, site, to)))
  if (draws.yes(0.2)) add('canonical', page)
  if (draws.yes(0.1) && page + 1 < site.pages) add('next', page + 1)
  if (draws.yes(0.1) && page > 0) add('prev', page - 1)
  if (draws.yes(0.05)) add('alternate', nearby(site, page, draws))
  if (page > 0 && draws.yes(plan.redirectShare / 4)) add('refresh', nearby(site, page, draws))
}

function bodyLink(web: Neighbours, site: SiteDefinition, page: number, draws: Draws): LinkDefinition {
  const { plan } = web
  if (!draws.yes(plan.internalShare)) return link('a', crossSite(web, site, draws))
  const own = urlOf(plan, site, draws.yes(0.7) ? nearby(site, page, draws) : draws.below(site.pages))
  const target = site.indexFiles && own.endsWith('/') && draws.yes(0.5) ? `${own}index.html` : own
  const way = draws.unit()
  if (way >= 0.08 || plan.oddHtmlShare === 0) return link('a', target)
  if (way < 0.02) return link('area', target)
  if (way < 0.04) return link('iframe', target)
  if (way < 0.05 && !target.includes('?')) return link('form', target)
  if (way < 0.06 && plan.nofollowShare > 0) return link('a', `${site.origin}/trap/nofollow-${page}.html`, true)
  return link('a', target, plan.nofollowShare > 0)
}

/** Locality: most links go to pages with numbers close by. */
function nearby(site: SiteDefinition, page: number, draws: Draws): number {
  return (page + draws.below(31) - 15 + site.pages * 16) % site.pages
}

/** Half of the links to other sites go to few of them, half of all to the home page. */
function crossSite(web: Neighbours, site: SiteDefinition, draws: Draws): string {
  if (draws.yes(web.plan.deadLinkShare)) return `http://nowhere${draws.below(100)}.${web.plan.domain}/`
  const reach = draws.yes(0.5) ? web.count : Math.ceil(web.count / 10)
  const chosen = web.site(draws.below(reach))
  const twin = web.twin(chosen)
  const drawn = twin !== undefined && draws.yes(0.4) ? twin : chosen
  // A copy means itself where the original did.
  const other = drawn.name === site.name ? site : drawn
  return urlOf(web.plan, other, draws.yes(0.5) || other.pages === 0 ? 0 : draws.below(other.pages))
}

const ARCHIVES = ['zip', 'exe', 'mp4', 'jpg', 'png']
const SCHEMES = ['mailto:someone@example.test', 'javascript:void(0)', 'tel:+4930123', 'ftp://files.test/x']

function addDecoys(web: Neighbours, site: SiteDefinition, page: number, draws: Draws, links: LinkDefinition[]): void {
  const add = (tag: LinkTag, path: string) => links.push(link(tag, site.origin + path))
  add('style', '/style.css')
  add('script', '/code.js')
  add('image', `/img/${draws.below(50)}.${draws.yes(0.5) ? 'jpg' : 'png'}`)
  if (draws.yes(0.3)) add('archive', `/files/${page}.${ARCHIVES[draws.below(ARCHIVES.length)]}`)
  if (draws.yes(0.3)) links.push(link('scheme', SCHEMES[draws.below(SCHEMES.length)]))
  if (draws.yes(0.2)) add('comment', `/trap/comment-${page}.html`)
  // No decoy: markup that a script writes is a link, found by pattern (V14).
  if (draws.yes(0.1)) links.push(link('script-text', urlOf(web.plan, site, (page + 7) % site.pages)))
  if (draws.yes(0.05)) add('textarea', `/trap/textarea-${page}.html`)
  if (draws.yes(0.05)) add('post', `/trap/post-${page}`)
  if (draws.yes(0.05)) {
    // Of two href attributes the first counts: the renderer writes the home page there, so the home page is a link too.
    add('a', '/')
    add('second-href', `/trap/second-${page}.html`)
  }
}
