/** What is known of a URL and of a site, from frontier and catalogue: for `explain`. */
import { capturesOf } from '../../collection/captures/read-captures.ts'
import { type Inlinks, whoLinksHere } from '../../collection/links/who-links-here.ts'
import { findingsOf, pageOf, type StoredFinding, type StoredPage } from '../../collection/pages/read-pages.ts'
import { decide, type RobotsDecision } from '../../crawl/robots.ts'
import type { Tx } from '../../database/database.ts'
import type { FrontierViews, SiteView, UrlView } from '../../frontier/views.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { documentsOf } from './open-queries.ts'

export interface UrlFacts {
  url: string
  site: string
  view: UrlView | undefined
  page: StoredPage | undefined
  captures: number
  /** By the robots.txt that its site has for its scheme; undefined when that has no rules, or was never asked for. */
  robots?: RobotsDecision
  inlinks: Inlinks
}

export interface SiteFacts {
  site: string
  view: SiteView | undefined
  documents: number
  findings: StoredFinding[]
}

export async function urlFacts(tx: Tx, looks: FrontierViews, text: string, referrers: number): Promise<UrlFacts> {
  const url = (await looks.reader(tx)).parse(text)
  if (url === undefined) {
    const inlinks = { count: 0, from: [], behind: 0 }
    return { url: text, site: '', view: undefined, page: undefined, captures: 0, inlinks }
  }
  const { site } = url
  const view = await looks.url(tx, text)
  const key = view?.key ?? url.key
  const page = await pageOf(tx, site, key)
  const asked = page?.url ?? view?.url ?? url.href
  return {
    url: asked,
    site,
    robots: await robotsFor(tx, looks, asked),
    view,
    page,
    captures: (await capturesOf(tx, site, key)).length,
    inlinks: await whoLinksHere(tx, site, key, referrers),
  }
}

async function robotsFor(tx: Tx, looks: FrontierViews, text: string): Promise<RobotsDecision | undefined> {
  const url = parseUrl(text)
  const memory = url && (await looks.site(tx, url.site))?.memory.robots[url.scheme]
  if (url === undefined || memory === undefined) return undefined
  return memory.state === 'rules' || memory.state === 'unreachable' ? decide(memory, url.path) : undefined
}

export async function siteFacts(tx: Tx, looks: FrontierViews, running: boolean, text: string): Promise<SiteFacts> {
  // `:80`, capitals and names in other scripts are spellings of the same site.
  const site = parseUrl(`http://${text}/`)?.site ?? text
  const view = await looks.site(tx, site)
  // A lease without a crawl is one that a crash left: nobody is there.
  if (view !== undefined && !running && (view.state === 'leased' || view.state === 'returning')) view.state = 'waiting'
  return { site, view, documents: await documentsOf(tx, site), findings: await findingsOf(tx, site) }
}
