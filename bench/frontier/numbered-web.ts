/** Sites and pages that are numbers: their names, keys and links are made when they are needed, so that ten million cost no memory. */
import { seededRandom } from '../../src/base/random.ts'
import type { Outcome } from '../../src/contracts/outcome.ts'
import type { Link, PageReport, VisitReport } from '../../src/contracts/report.ts'
import type { Visit } from '../../src/contracts/visit.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'

export interface Size {
  urls: number
  sites: number
}

/** As the pages of the synthetic web: 40 links, 80 % internal. Of them this many are new to the frontier. */
export const LINKS_A_PAGE = 40
export const CROSS_SITE_PER_PAGE = 8
const NEW_INTERNAL = 0.03
const NEW_CROSS_SITE = 0.04
const NEW_SITES = 0.01
/** A site that was visited waits before it is free again; where there are few, there is nothing to do meanwhile. */
const REST_MS = 2000
const MANY_SITES = 10_000
const KEPT: Outcome = { kind: 'kept', how: 'first' }

export class NumberedWeb {
  readonly size: Size
  readonly pagesEach: number
  readonly #random
  readonly #restMs: number
  #made: number

  /** `round`: what one finds new is not what another did. */
  constructor(size: Size, round: number) {
    this.size = size
    this.#random = seededRandom(round)
    this.#made = round * 1e9
    this.#restMs = size.sites >= MANY_SITES ? REST_MS : 0
    this.pagesEach = Math.max(1, Math.floor(size.urls / size.sites))
  }

  text(site: number, page: number): string {
    return `https://www.site-${site}.example/${page === 0 ? '' : `section-${page % 40}/article-${page}.html`}`
  }

  link(site: number, page: number, via: string, depth = 1): Link {
    const url = usualUrls.parse(this.text(site, page))!
    return { url: url.href, key: url.key, site: url.site, depth, via, path: 'L' }
  }

  /** What a page of that site names on other sites. Uniformly drawn, where the real web has favourites: the worst for caches. */
  crossSite(via: string): Link[] {
    return Array.from({ length: CROSS_SITE_PER_PAGE }, () => {
      const chance = this.#random.next()
      if (chance < NEW_SITES) return this.link(this.size.sites + ++this.#made, 0, via, 0)
      const site = this.#random.integer(this.size.sites)
      if (chance < NEW_SITES + NEW_CROSS_SITE) return this.link(site, this.pagesEach + ++this.#made, via)
      return this.link(site, this.#random.integer(this.pagesEach), via)
    })
  }

  /** What a page names on its own site: the visit's known set answers for each. */
  internal(site: number, via: string): Link[] {
    return Array.from({ length: LINKS_A_PAGE - CROSS_SITE_PER_PAGE }, () =>
      this.#random.next() < NEW_INTERNAL
        ? this.link(site, this.pagesEach + ++this.#made, via, 2)
        : this.link(site, this.#random.integer(this.pagesEach), via, 2),
    )
  }

  /** The visit asked for its whole agenda and ends. `found`: of the internal links, those that it did not know. */
  part(visit: Visit, found: Link[], now: number): VisitReport {
    const pages = visit.agenda.map(({ url, key, depth, path, via }): PageReport => {
      const how = via === undefined ? {} : { via }
      return {
        url,
        key,
        depth,
        path,
        ...how,
        at: now,
        status: 200,
        mediaType: 'text/html',
        bytes: 15_000,
        tookMs: 20,
        tries: 1,
        outcome: KEPT,
        title: 'An article',
        links: new Uint8Array(0),
        annotations: [],
        ownRequest: false,
      }
    })
    return {
      visit: visit.id,
      fence: visit.fence,
      site: visit.site,
      part: 1,
      pages,
      found,
      crossSite: pages.flatMap(({ url }) => this.crossSite(url)),
      findings: [],
      counts: new Map(),
      memory: visit.memory,
      courtesy: { pause: visit.pause, notBefore: now + this.#restMs },
      ended: 'slice',
    }
  }

  numberOf(site: string): number {
    return Number(/^www\.site-(\d+)\./.exec(site)?.[1])
  }
}
