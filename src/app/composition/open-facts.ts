/** What is known of a URL and of a site, from frontier and catalogue: for `explain`. */
import { capturesOf } from '../../collection/captures/read-captures.ts'
import { type Inlinks, whoLinksHere } from '../../collection/links/who-links-here.ts'
import { pageOf, type StoredPage, type StoredVerdict, verdictsOf } from '../../collection/pages/read-pages.ts'
import { decide, type RobotsDecision } from '../../crawl/robots.ts'
import type { Tx } from '../../database/database.ts'
import type { Looks, SiteLook, UrlLook } from '../../frontier/looks.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { documentsOf } from './open-queries.ts'

export interface UrlFacts {
  url: string
  site: string
  look: UrlLook | undefined
  page: StoredPage | undefined
  captures: number
  /** By the robots.txt that its site has for its scheme; undefined when that has no rules, or was never asked for. */
  robots?: RobotsDecision
  inlinks: Inlinks
}

export interface SiteFacts {
  site: string
  look: SiteLook | undefined
  documents: number
  verdicts: StoredVerdict[]
}

export async function urlFacts(tx: Tx, looks: Looks, text: string, referrers: number): Promise<UrlFacts> {
  const url = (await looks.reader(tx)).parse(text)
  if (url === undefined) {
    const inlinks = { count: 0, from: [], behind: 0 }
    return { url: text, site: '', look: undefined, page: undefined, captures: 0, inlinks }
  }
  const { site } = url
  const look = await looks.url(tx, text)
  const key = look?.key ?? url.key
  const page = await pageOf(tx, site, key)
  const asked = page?.url ?? look?.url ?? url.href
  return {
    url: asked,
    site,
    robots: await robotsFor(tx, looks, asked),
    look,
    page,
    captures: (await capturesOf(tx, site, key)).length,
    inlinks: await whoLinksHere(tx, site, key, referrers),
  }
}

async function robotsFor(tx: Tx, looks: Looks, text: string): Promise<RobotsDecision | undefined> {
  const url = parseUrl(text)
  const memory = url && (await looks.site(tx, url.site))?.memory.robots[url.scheme]
  if (url === undefined || memory === undefined) return undefined
  return memory.state === 'rules' || memory.state === 'unreachable' ? decide(memory, url.path) : undefined
}

export async function siteFacts(tx: Tx, looks: Looks, running: boolean, text: string): Promise<SiteFacts> {
  // `:80`, capitals and names in other scripts are spellings of the same site.
  const site = parseUrl(`http://${text}/`)?.site ?? text
  const look = await looks.site(tx, site)
  // A lease without a crawl is one that a crash left: nobody is there.
  if (look !== undefined && !running && (look.state === 'leased' || look.state === 'returning')) look.state = 'waiting'
  return { site, look, documents: await documentsOf(tx, site), verdicts: await verdictsOf(tx, site) }
}
