/**
 * What the dashboard's pages ask: lists, and all that is known of one site or URL. Every method is bounded in rows and time, whatever
 * the size of the collection, but for those that say that they are slow.
 */
import { type Clock, type Instant, type Millis, realClock } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { workerNames } from '../../cluster/server/worker-table.ts'
import {
  aliasesAfter,
  aliasesOf,
  countRules,
  type FindingPosition,
  findingsBefore,
} from '../../collection/browse/findings.ts'
import { pagesOfSite, type RankAsk, rankSites, sumsOf } from '../../collection/browse/sites.ts'
import { lastVisits } from '../../collection/counters/last-visits.ts'
import { linesOf, mirrorFileOf } from '../../collection/mirrors/mirror-file.ts'
import { linksOfPage, urlTexts } from '../../collection/pages/read-pages.ts'
import type { ReadLocation } from '../../collection/volumes/local-volumes.ts'
import { unpackLinks } from '../../contracts/adjacency.ts'
import type { Choice } from '../../contracts/control.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { findSites, findUrls, listedSites, queueOf, type SiteAsk, sitesAt, type UrlAsk } from '../../frontier/browse.ts'
import type { SiteView } from '../../frontier/contract.ts'
import { readAudit, readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { diffPage } from '../cli/diff-html.ts'
import { compare, comparePictures } from '../cli/diff-text.ts'
import { pauseOf } from '../composition/plan.ts'
import type { Settings } from '../config/keys.ts'
import { type BlacklistAsk, blacklistReader } from './blacklist.ts'
import { contentOf, historyOf } from './content.ts'
import { siteFacts, urlFacts, type WhyNot } from './explain.ts'
import { explainSite, explainUrl } from './explain-text.ts'
import { versionsOf } from './versions.ts'

export interface BrowseParts {
  database: Database
  disk: Disk
  volumes: ReadLocation
  folder: string
  settings: Settings
  clock?: Clock
  running(): Promise<boolean>
  whyNot(url: string): Promise<WhyNot | undefined>
}

/** The time limit of a walk: the rest of the page needs time too. */
const WALK: Millis = 350
const LAST_REQUESTS = 20
const QUEUED = 20
const ALIASES = 100
const LINKS = 200
const ENOUGH_INLINKS = 10_000
/** The length of a page for people; the rest is cut. */
const SHOWN = { bytes: 8 * 2 ** 20, ratio: 1000 }
/** Larger lists of mirrors are not read for a page. */
const MIRROR_FILE_BYTES = 4 * 2 ** 20

export function browse(parts: BrowseParts) {
  const { database, settings, clock = realClock } = parts
  const blacklists = blacklistReader(parts)
  const untilLate = () => {
    const end = clock.elapsed() + WALK
    return () => clock.elapsed() < end
  }
  return {
    findSites: (ask: SiteAsk) =>
      database.read(async (tx) => {
        const { names, next, searched } = await findSites(tx, ask, untilLate())
        const { sites } = await frontierQueries.totals(tx)
        const known = Object.values(sites).reduce((sum, count) => sum + count, 0)
        return { sites: await siteLines(tx, names), next, searched, known }
      }),
    sitesNamed: (names: readonly string[]) => database.read((tx) => siteLines(tx, names)),
    /** Slow: reads all sites. */
    rankSites: (ask: RankAsk) => database.read((tx) => rankSites(tx, ask)),
    async siteStory(text: string) {
      const isCrawled = await parts.running()
      return database.read((tx) => siteStory(tx, parts.settings, blacklists, isCrawled, text, clock.now()))
    },
    /** Without what grows with the site: an open page asks every two seconds. */
    async siteFigures(text: string) {
      const isCrawled = await parts.running()
      return database.read((tx) => siteFigures(tx, blacklists, isCrawled, text, clock.now()))
    },
    findUrls: (ask: UrlAsk) =>
      database.read(async (tx) => {
        const found = await findUrls(tx, ask, untilLate())
        // A whole URL is found at once, however many its site has.
        const exact =
          ask.prefix === '' || ask.after !== undefined ? undefined : await frontierQueries.url(tx, ask.prefix)
        const known =
          ask.site === undefined
            ? (await frontierQueries.totals(tx)).urls.known
            : ((await listedSites(tx, [ask.site]))[0]?.known ?? 0)
        return { ...found, known, exact }
      }),
    async urlStory(text: string) {
      const isCrawled = await parts.running()
      const story = await database.read((tx) => urlStory(tx, isCrawled, text, clock.now()))
      return { ...story, history: await historyOf(database, text) }
    },
    /** Slow: reads all seeds. */
    async explainUnknown(text: string): Promise<string[]> {
      const whyNot = await parts.whyNot(text)
      return database.read(async (tx) => {
        const facts = await urlFacts(tx, text, 0, ENOUGH_INLINKS)
        return explainUrl(facts, await siteFacts(tx, false, facts.site), clock.now(), whyNot)
      })
    },
    shownContent: (url: string, at: Instant | undefined) => contentOf(database, parts.volumes, url, at, SHOWN),
    /** A web page of its own; undefined: there is nothing to compare. */
    async diffOf(url: string, from: Instant | undefined, to: Instant | undefined): Promise<string | undefined> {
      const versions = await versionsOf(database, parts.volumes, url, { from, to })
      if ('missing' in versions || versions.before === undefined) return undefined
      return diffPage(versions, compare(versions.before, versions.after), await comparePictures(versions))
    },
    findings: (rule: string | undefined, before: FindingPosition | undefined, atMost: number) =>
      database.read(async (tx) => {
        const findings = await findingsBefore(tx, rule, before, atMost)
        const sites = [...new Set(findings.flatMap(({ site }) => site ?? []))]
        const choices = await Promise.all(sites.map(async (site) => [site, await readChoice(tx, site)] as const))
        return { findings, rules: await countRules(tx), choices: new Map(choices) }
      }),
    aliases: (site: string | undefined, after: string | undefined, atMost: number) =>
      database.read((tx) => (site === undefined ? aliasesAfter(tx, after, atMost) : aliasesOf(tx, site, atMost))),
    mirrorList: async () => ({
      ...mirrorFile(parts, settings),
      decided: await database.read(frontierQueries.decidedMirrors),
    }),
    blacklist: async (ask: BlacklistAsk) =>
      blacklists.search(await database.read((tx) => readChoice(tx, WHOLE_CRAWL)), ask),
    audit: (before: number | undefined, atMost: number) => database.read((tx) => readAudit(tx, before, atMost)),
  }
}

/** With what the site brought, and what the operator decided. */
async function siteLines(tx: Tx, names: readonly string[]) {
  const [sites, sums, choices] = await Promise.all([
    listedSites(tx, names),
    sumsOf(tx, names),
    Promise.all(names.map((name) => readChoice(tx, name))),
  ])
  const at = new Map(names.map((name, i) => [name, i]))
  return sites.map((site) => {
    const i = at.get(site.name)!
    return { ...site, sums: sums[i], choice: choices[i] }
  })
}

type Blacklists = Pick<ReturnType<typeof blacklistReader>, 'ofSite'>

async function siteFigures(tx: Tx, blacklists: Blacklists, isCrawled: boolean, text: string, now: Instant) {
  const facts = await siteFacts(tx, isCrawled, text)
  const { blacklist, trouble } = blacklists.ofSite(facts.crawl ?? {}, facts.site)
  const lines = explainSite(facts, now, { blacklist })
  if (trouble !== undefined) lines.push(`Whether it is on a blacklist is not known: ${trouble}.`)
  const [sums] = facts.view === undefined ? [undefined] : await sumsOf(tx, [facts.site])
  return { ...facts, lines, sums }
}

async function siteStory(
  tx: Tx,
  settings: Settings,
  blacklists: Blacklists,
  isCrawled: boolean,
  text: string,
  now: Instant,
) {
  const { sums, ...facts } = await siteFigures(tx, blacklists, isCrawled, text, now)
  const { site, view, choice } = facts
  if (view === undefined) return { ...facts, more: undefined }
  const [pages, queue, sharing, visits] = await Promise.all([
    pagesOfSite(tx, site, LAST_REQUESTS),
    queueOf(tx, site, QUEUED),
    view.address === undefined ? 0 : sitesAt(tx, view.address),
    lastVisits(tx, site),
  ])
  const names = await workerNames(tx, [...new Set(visits.flatMap(({ worker }) => worker ?? []))])
  const pauses = pausesOf(settings, view, choice, now)
  const aliases = await aliasesOf(tx, site, ALIASES)
  const named = visits.map((visit) => ({ ...visit, workerName: names.get(visit.worker ?? '') }))
  return { ...facts, more: { sums, pages, queue, visits: named, sharing, pauses, aliases } }
}

/** Everything that has to do with how long a site is left in peace, and which of it counts now. */
export function pausesOf(settings: Settings, view: SiteView, choice: Choice | undefined, now: Instant) {
  const { pause: configured, own } = pauseOf(settings, view.name, view.address)
  const crawlDelay = Math.min(view.memory.crawlDelay ?? 0, settings.maxCrawlDelay)
  const asked = choice?.pauseMs
  const name = own ? 'configured for this site (--pause-for)' : 'configured (--pause)'
  const reasons: [what: string, pauseMs: Millis][] = [
    asked === undefined ? [name, configured] : ['set by the operator', asked],
  ]
  if (crawlDelay > 0) reasons.push(['Crawl-delay of its robots.txt', crawlDelay])
  const rest = Math.max(...reasons.map(([, pauseMs]) => pauseMs))
  if (view.pause > rest)
    reasons.push([`slow answers: ${settings.pauseFactor} times as long as the last one took`, view.pause])
  const wait = view.politeAt - now
  // Longer than its pause: the server asked for it, or it follows a failure.
  if (wait > Math.max(rest, view.pause))
    reasons.push([
      view.memory.silent > 0
        ? 'it does not answer: waits longer after each try'
        : 'it asked us to wait (Retry-After), or failed as a whole',
      wait,
    ])
  // It does not apply to the operator's own servers.
  if (!own || asked !== undefined)
    reasons.push(['between any two requests to its address (--address-pause)', settings.addressPause])
  const longest = Math.max(...reasons.map(([, pauseMs]) => pauseMs))
  const listed = reasons.map(([what, pauseMs]) => ({ what, pauseMs, counts: pauseMs === longest }))
  if (asked === undefined) return listed
  return [{ what: `${name}, replaced by the operator’s`, pauseMs: configured, counts: false }, ...listed]
}

async function urlStory(tx: Tx, isCrawled: boolean, text: string, now: Instant) {
  const facts = await urlFacts(tx, text, LINKS, ENOUGH_INLINKS)
  const site = await siteFacts(tx, isCrawled, facts.site)
  const isKnown = facts.view !== undefined || facts.page !== undefined
  const packed = facts.page === undefined ? undefined : await linksOfPage(tx, facts.page.id)
  const links = packed === undefined ? [] : unpackLinks(packed)
  const own = siteKeyOf(facts.site)
  const shown = links.slice(0, LINKS)
  const texts = await urlTexts(
    tx,
    shown.map(({ siteKey, key }) => ({ site: siteKey === undefined ? own : signed64(siteKey), key: signed64(key) })),
  )
  return {
    ...facts,
    isKnown,
    /** Those of an unknown URL need all seeds: see `explainUnknown`. */
    lines: isKnown ? explainUrl(facts, site, now) : undefined,
    outLinks: {
      count: links.length,
      shown: shown.flatMap(({ url, kind }, i) => {
        const text = texts[i] ?? url
        return text === undefined ? [] : [{ url: text, kind }]
      }),
    },
    enoughInlinks: ENOUGH_INLINKS,
  }
}

/** The operator's list; `pairs` undefined: there is none, or it is too long to show. */
function mirrorFile({ disk, folder }: BrowseParts, { mirrors }: Settings) {
  const path = mirrorFileOf(mirrors, folder, disk)
  const size = path === undefined ? undefined : disk.size(path)
  if (path === undefined || size === undefined || size > MIRROR_FILE_BYTES) return { path, size, pairs: undefined }
  const lines = linesOf(disk, path)
  const pairs = lines.flatMap((line) => (line.kind === 'text' ? [] : [line]))
  return { path, size, pairs: pairs.map(({ kind, replica, original, text }) => ({ kind, replica, original, text })) }
}
