/**
 * What is known of a URL or a site, and why a URL is not wanted: for `explain`. A refused link leaves no row behind, but the rules of
 * the crawl can be asked again, in the order in which a visit asks them.
 */
import type { Instant } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { capturesOf, hasPage, type StoredCapture } from '../../collection/captures/read-captures.ts'
import { documentsOf } from '../../collection/counters/counters.ts'
import { type Inlinks, whoLinksHere } from '../../collection/links/read-inlinks.ts'
import {
  failedLooksOf,
  findingsOf,
  linksOfPage,
  pageOf,
  type StoredFailedLook,
  type StoredFinding,
  type StoredPage,
} from '../../collection/pages/read-pages.ts'
import { type LinkKind, type OutLink, unpackLinks } from '../../contracts/adjacency.ts'
import { type Choice, EVERY_RULE } from '../../contracts/control.ts'
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { UrlKey } from '../../contracts/visit.ts'
import { formRefusal, uselessForm } from '../../crawl/form-actions.ts'
import { admitUrl } from '../../crawl/hazards/detect.ts'
import { openTraps } from '../../crawl/hazards/open-traps.ts'
import { decide } from '../../crawl/robots.ts'
import { type Blacklist, withLines } from '../../crawl/scope/blacklist.ts'
import { readBlacklists } from '../../crawl/scope/blacklist-files.ts'
import type { Tx } from '../../database/database.ts'
import type { SiteView, UrlView } from '../../frontier/contract.ts'
import { readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { RobotsAnswer } from '../../web/robots/robots.ts'
import { normalPath, parseUrl, siteKey, type WebUrl } from '../../web/url/web-url.ts'
import { blacklistPaths, hazardLimits, parseUrls, scopeFor } from '../composition/plan.ts'
import { trustOf } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'
import type { ScopeSeeds } from '../seeds/stored-seeds.ts'

export interface UrlFacts {
  url: string
  site: string
  view: UrlView | undefined
  page: StoredPage | undefined
  captures: number
  /** When the last capture that has the page was made. */
  lastGoodAt?: Instant
  /** The last look at a page that was there before, if it did not bring it. */
  failedLook?: StoredFailedLook
  /** By the robots.txt of its site and scheme; undefined when that has no rules, or was never requested. */
  robots?: RobotsAnswer
  inlinks: Inlinks
}

export interface SiteFacts {
  site: string
  view: SiteView | undefined
  documents: number
  findings: StoredFinding[]
  /** What operators decided about it, and about the whole crawl. */
  choice?: Choice
  crawl?: Choice
}

/** `enough`: pages that link to it are not counted further. */
export async function urlFacts(
  tx: Tx,
  text: string,
  referrers: number,
  enough = Number.POSITIVE_INFINITY,
): Promise<UrlFacts> {
  const url = (await frontierQueries.reader(tx)).parse(text)
  if (url === undefined) {
    const inlinks = { count: 0, from: [], behind: 0 }
    return { url: text, site: '', view: undefined, page: undefined, captures: 0, inlinks }
  }
  const { site } = url
  const view = await frontierQueries.url(tx, text)
  const key = view?.key ?? url.key
  const page = await pageOf(tx, site, key)
  const asked = page?.url ?? view?.url ?? url.href
  const captures = await capturesOf(tx, site, key)
  const lastGoodAt = captures.findLast(hasPage)?.at
  const failedLook = page && lastFailed(page, captures.at(-1), (await failedLooksOf(tx, site, key)).at(-1))
  return {
    url: asked,
    site,
    robots: await robotsFor(tx, asked),
    view,
    page,
    captures: captures.length,
    ...(lastGoodAt !== undefined && { lastGoodAt }),
    ...(failedLook && { failedLook }),
    inlinks: await whoLinksHere(tx, site, key, referrers, enough),
  }
}

/** A temporary failure does not show in the row of a kept page. */
function lastFailed(
  { at, hasContent, outcome }: StoredPage,
  capture: StoredCapture | undefined,
  look: StoredFailedLook | undefined,
): StoredFailedLook | undefined {
  if (look !== undefined && look.at >= Math.max(at, capture?.at ?? 0)) return look
  if (capture === undefined || hasPage(capture) || capture.at <= at || hasContent === 0 || outcome !== 'kept')
    return undefined
  return { at: capture.at, status: capture.status, outcome: 'later', why: null, detail: null }
}

async function robotsFor(tx: Tx, text: string): Promise<RobotsAnswer | undefined> {
  const url = parseUrl(text)
  const memory = url && (await frontierQueries.site(tx, url.site))?.memory.robots[url.scheme]
  if (url === undefined || memory === undefined) return undefined
  return memory.state === 'rules' || memory.state === 'unreachable' ? decide(memory, url.path) : undefined
}

export async function siteFacts(tx: Tx, running: boolean, text: string): Promise<SiteFacts> {
  // `:80`, capitals and names in other scripts are spellings of the same site.
  const site = parseUrl(`http://${text}/`)?.site ?? text
  const view = await frontierQueries.site(tx, site)
  // Without a crawl, a lease was left by a crash.
  if (view !== undefined && !running && (view.state === 'leased' || view.state === 'returning')) view.state = 'waiting'
  const choice = await readChoice(tx, site)
  const crawl = await readChoice(tx, WHOLE_CRAWL)
  return { site, view, documents: await documentsOf(tx, site), findings: await findingsOf(tx, site), choice, crawl }
}

export interface WhyNot {
  by: 'scope' | 'unwanted' | 'links' | 'hazard' | 'embedded' | 'form' | 'nofollow'
  rule: string
  evidence?: string
}

/** Pages whose depth is looked up. */
const MAX_REFERRERS = 100

/** `whyNot` with the collection's seeds, the site's memory, and the pages that link to the URL. */
export async function whyNotIn(
  tx: Tx,
  disk: Disk,
  text: string,
  settings: Settings,
  around: ScopeSeeds,
): Promise<WhyNot | undefined> {
  const reader = await frontierQueries.reader(tx)
  const url = reader.parse(text)
  if (url === undefined) return { by: 'scope', rule: 'it is not a URL that can be asked for' }
  const { from: referrers } = await whoLinksHere(tx, url.site, url.key, MAX_REFERRERS)
  const from = referrers.map((one) => reader.parse(one))
  let depth = Number.POSITIVE_INFINITY
  let passedOver = from.length > 0
  const kinds = new Set<LinkKind>()
  for (const page of from) {
    const known = page && (await pageOf(tx, page.site, (await frontierQueries.url(tx, page.href))?.key ?? page.key))
    if (page === undefined || known === undefined) continue
    depth = Math.min(depth, known.depth + 1)
    const at = await linkIn(tx, known.id, page.site === url.site ? undefined : siteKey(url.site), url.key)
    // Only a link that was not wanted carries its text: it is stored nowhere else.
    passedOver &&= at?.url !== undefined
    if (at?.kind !== undefined) kinds.add(at.kind)
  }
  return whyNot({
    url,
    depth: Number.isFinite(depth) ? depth : 1,
    passedOver,
    kind: (['link', 'form', 'embed'] as const).find((kind) => kinds.has(kind)),
    linkedAtHome: from.some((page) => page?.site === url.site),
    settings,
    seeds: parseUrls(reader, around.seeds),
    alternates: parseUrls(reader, around.alternates),
    blacklist: blacklistNow(settings, disk, await readChoice(tx, WHOLE_CRAWL)),
    memory: (await frontierQueries.site(tx, url.site))?.memory,
    trusted: (await readChoice(tx, url.site)).trust,
  })
}

/** Of the files, and of operators. */
function blacklistNow(settings: Settings, disk: Disk, { blacklist = [] }: Choice): Blacklist {
  const files = readBlacklists(blacklistPaths(settings), disk)
  return withLines(
    () => files,
    () => blacklist,
  )()
}

/** A page lists a URL once, however often it links to it. */
async function linkIn(tx: Tx, page: number, site: bigint | undefined, key: UrlKey): Promise<OutLink | undefined> {
  const links = unpackLinks((await linksOfPage(tx, page)) ?? new Uint8Array(0))
  return links.find((link) => link.key === key && link.siteKey === site)
}

export interface WhyNotAsk {
  url: WebUrl
  /** Of the page that links to it, plus one. */
  depth: number
  /** A page of its own site links to it. */
  linkedAtHome: boolean
  /** Pages link to it, and none of them had it queued. */
  passedOver: boolean
  /** How pages refer to it; of several ways, the nearest to a link. Undefined: none does. */
  kind: LinkKind | undefined
  settings: Settings
  seeds: readonly WebUrl[]
  /** Other URLs at which names to try may turn out to live. */
  alternates?: readonly WebUrl[]
  blacklist: Blacklist
  /** What visits know of its site; undefined when there was none. */
  memory: SiteMemory | undefined
  /** Hazard rules that operators overruled at its site. */
  trusted?: readonly string[] | undefined
}

/** Undefined: no rule is against it. */
export function whyNot(ask: WhyNotAsk): WhyNot | undefined {
  const { url, depth, settings, memory } = ask
  const scope = scopeFor(settings, ask.seeds, () => ask.blacklist, ask.alternates)()
  const kind = scope.unwantedKind(url)
  if (kind !== undefined)
    return { by: 'unwanted', rule: `its extension shows the type ${kind}, which --media-types does not name` }
  const judged = scope.judge(url, depth)
  if (!judged.yes) return { by: 'scope', rule: judged.rule }
  const hazard = memory === undefined ? undefined : hazardOf(ask, memory)
  if (hazard !== undefined) return hazard
  if (ask.kind === 'embed')
    return {
      by: 'embedded',
      rule: 'pages only show it as a part of themselves (a style, a script, a picture), and such parts are not collected',
    }
  const { admit } = scope.crossSite(url)
  if (!ask.linkedAtHome && !admit.some(({ key }) => key === url.key)) {
    return { by: 'links', rule: `--links ${settings.links}: links from other sites enter at the home page` }
  }
  return ask.passedOver ? whyPassedOver(ask) : undefined
}

function hazardOf({ url, depth, settings, trusted = [] }: WhyNotAsk, memory: SiteMemory): WhyNot | undefined {
  const trusts = trustOf(settings.trust)
  const isTrusted = (rule: string) => trusts(url.site, rule) || trusted.includes(rule) || trusted.includes(EVERY_RULE)
  const options = { ...hazardLimits(settings), trusted: isTrusted }
  // It was not queued, so no sitemap lists it.
  const refused = admitUrl(memory, openTraps(memory.traps), { path: normalPath(url), depth, generation: 1 }, options)
  if (refused === undefined) return undefined
  const suspect = memory.traps?.suspects.find(({ pattern }) => pattern === refused.pattern)
  const where = refused.pattern === '' ? '' : ` in ${refused.pattern}`
  return { by: 'hazard', rule: refused.rule + where, evidence: suspect?.evidence }
}

function whyPassedOver({ url, kind, memory }: WhyNotAsk): WhyNot {
  const isTrapped =
    memory !== undefined &&
    (memory.stopped !== undefined || memory.traps?.suspects?.some(({ stopped }) => stopped) === true)
  const trap = isTrapped ? ', or a trap was found there' : ''
  const vain = kind === 'form' && memory !== undefined ? uselessForm(url, memory) : undefined
  if (vain !== undefined) return { by: 'form', rule: formRefusal(vain) }
  return { by: 'nofollow', rule: `the links to it, or the pages they are on, say nofollow${trap}` }
}
