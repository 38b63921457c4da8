/** The numbered pages of a site: what kind each is, what it is called, and back from its name to its number. */
import { draw, unit } from './chance.ts'
import { ODD_NAME } from './language.ts'
import type { WebPlan } from './options.ts'
import type { SiteDefinition } from './site-plan.ts'

export type PageKind =
  | 'page'
  | 'frameset'
  | 'duplicate'
  | 'redirect'
  | 'loop'
  | 'missing'
  | 'text'
  | 'pdf'
  | 'xhtml'
  | 'image'
  | 'json'

/** Pages in a directory; the first is its index. */
const DIRECTORY = 20

const KIND = 0x6b1d
const LEAF = 0x1eaf
const NAME = 0xd12e

const isIndex = (page: number) => page % DIRECTORY === 1
/** Home and index pages are always in order, so that most of a site can be reached. */
const isFirm = (page: number) => page < 2 || isIndex(page)

export function kindOf(plan: WebPlan, site: SiteDefinition, page: number): PageKind {
  if (page === 0) return site.movedHome ? 'redirect' : 'page'
  if (isFirm(page)) return 'page'
  if (isLoop(plan, site, page)) return 'loop'
  let left = unit(draw(site.seed, page, KIND))
  if ((left -= plan.redirectShare) < 0) return 'redirect'
  if ((left -= plan.missingShare) < 0) return 'missing'
  if ((left -= plan.duplicateShare) < 0) return 'duplicate'
  if ((left -= plan.otherTypesShare / 2) < 0) return 'text'
  if ((left -= plan.otherTypesShare / 4) < 0) return 'pdf'
  if ((left -= plan.otherTypesShare / 4) < 0) return 'xhtml'
  if ((left -= plan.unwantedShare / 2) < 0) return 'image'
  if ((left -= plan.unwantedShare / 2) < 0) return 'json'
  if ((left -= plan.oddHtmlShare / 30) < 0) return 'frameset'
  return 'page'
}

/** Two neighbours that redirect to each other. */
function isLoop(plan: WebPlan, site: SiteDefinition, page: number): boolean {
  if (unit(draw(site.seed, page >> 1, 0x100b)) >= plan.redirectShare / 20) return false
  const other = page ^ 1
  return !isFirm(other) && other < site.pages
}

/** Path and query, in the spelling that the WHATWG's parser leaves as it is. */
export function pathOf(plan: WebPlan, site: SiteDefinition, page: number): string {
  if (page === 0) return '/'
  const directory = directoryOf(plan, site, Math.floor((page - 1) / DIRECTORY))
  return isIndex(page) ? directory : directory + leafOf(plan, site, page)
}

function directoryOf(plan: WebPlan, site: SiteDefinition, number: number): string {
  const bits = draw(site.seed, number, NAME)
  const kind = unit(bits)
  if (kind < 0.1) return `/private${number}/`
  if (kind < 0.15) return `/tmp${number}/`
  if (kind < 0.15 + plan.oddNameShare) return `/${encodeURI(ODD_NAME[site.language])}-${number}/`
  if (kind < 0.15 + plan.oddNameShare * 1.5) return `/my%20docs${number}/`
  return `/d${number}/`
}

function leafOf(plan: WebPlan, site: SiteDefinition, page: number): string {
  switch (kindOf(plan, site, page)) {
    case 'text':
      return `n${page}.txt`
    case 'pdf':
      return `doc-${page}.pdf`
    case 'xhtml':
      return `p${page}.xhtml`
    case 'image':
      return `photo-${page}`
    case 'json':
      return `data/${page}`
    default: {
      const bits = draw(site.seed, page, LEAF)
      let left = unit(bits)
      if ((left -= plan.queryShare) < 0)
        return bits & 1 ? `p.php?id=${page}` : `show.php?id=${page}&lang=${site.language}`
      if ((left -= plan.oddNameShare) < 0) {
        return bits & 1 ? `${encodeURI(ODD_NAME[site.language])}-${page}.html` : `a%20page-${page}.html`
      }
      if ((left -= 0.1) < 0) return `p${page}`
      if ((left -= 0.05) < 0) return `p${page}/`
      if ((left -= 0.04) < 0) return `Page-${page}.HTM`
      return `p${page}.html`
    }
  }
}

/** The number of the page of that name; undefined when the site has none. */
export function pageOfPath(plan: WebPlan, site: SiteDefinition, path: string): number | undefined {
  if (path === '/') return site.pages > 0 ? 0 : undefined
  const match = /(\d{1,9})\D{0,30}$/.exec(path)
  if (match === null) return undefined
  const number = Number(match[1])
  for (const page of [number, number * DIRECTORY + 1]) {
    if (page > 0 && page < site.pages && pathOf(plan, site, page) === path) return page
  }
  return undefined
}
