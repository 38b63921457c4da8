/**
 * What becomes of a page's links, and what the rules of URLs cost: on the pages at hand, and on forty links that give every
 * rule something to do.
 */

import { realClock } from '../../src/base/clock.ts'
import { HashSet64 } from '../../src/base/hash-set.ts'
import { runThrough } from '../../src/base/stretches.ts'
import { freshMemory } from '../../src/contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../../src/contracts/visit.ts'
import { followLinks, linkFacts, type PageLink, resolveLinks } from '../../src/crawl/follow-links.ts'
import { LocalFrontier } from '../../src/crawl/local-frontier.ts'
import { Reporter } from '../../src/crawl/reporter.ts'
import { emptyBlacklist } from '../../src/crawl/scope/blacklist.ts'
import { makeScope, type Scope } from '../../src/crawl/scope/scope.ts'
import type { VisitState } from '../../src/crawl/tools.ts'
import { VisitTimes } from '../../src/crawl/visit-times.ts'
import { type FoundLink, readPage } from '../../src/page/reading.ts'
import { parseUrl, resolver, usualUrls } from '../../src/web/url/web-url.ts'
import type { Material } from './material.ts'
import { timeEach } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

/** Forty links as a page of a shop, a forum and an Apache folder would have them together. */
export const KNOTTY = Array.from({ length: 5 }, (_, i) => [
  `http://h.test/shop/item.php?id=${i}&PHPSESSID=9682993c8daa2c5497996114facdc80${i}&cat=7`,
  `http://h.test/forum/thread.do;jsessionid=E85FAC04E331FFCA55549B10B7C7A4F${i}?t=${i}&p=2`,
  `http://h.test/news/${i}/index.html?utm_source=feed&utm_medium=rss&utm_campaign=may`,
  `http://h.test/search?q=caf%c3%a9&amp;page=${i}&amp;amp;sort=date`,
  `http://h.test/files/?C=M;O=${i % 2 === 0 ? 'A' : 'D'}`,
  `http://h.test/list?z=${i}&y=2&x=3&&w=4&a=5&`,
  `http://h.test/(S(4hqa0555fwsecu455xqckv45))/page${i}.aspx?lang=en`,
  `http://h.test/%7Euser/a%20b/${i}.html`,
]).flat()

export function urlPieces(material: Material): Piece[] {
  return [...screenPieces(material), ...rulePieces(material)]
}

interface Screened {
  item: AgendaItem
  found: readonly FoundLink[]
  resolved: PageLink[]
  screen: VisitState
}

/** In the order of the crawl, one site after the other, as pages come in; each site's visit knows its URLs after the first round. */
function screenPieces({ seeds, pages }: Material): Piece[] {
  const scope = makeScope({
    mode: 'host',
    seeds: seeds.flatMap((seed) => parseUrl(seed) ?? []),
    include: [],
    exclude: [],
    queries: true,
    mediaTypes: ['text/html', 'text/plain'],
    maxDepth: 15,
    maxUrlLength: 2000,
    blacklist: emptyBlacklist,
    links: 'combined',
    sizes: [],
  })
  const screens = new Map<string, VisitState>()
  const things = pages.flatMap(({ url, answer }): Screened[] => {
    const read = parseUrl(url)
    if (read === undefined) return []
    const screen = screens.get(read.site) ?? screenOf(read.site, scope)
    screens.set(read.site, screen)
    const { links: found } = readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: answer.payload })
    const item: AgendaItem = { url, key: read.key, depth: 1, dueAt: 0, tries: 0, path: 'L' }
    const resolved = runThrough(resolveLinks(found, usualUrls.resolver(url), screen.reporter.tally))
    return [{ item, found, resolved, screen }]
  })
  const resolve = ({ item, found, screen }: Screened) =>
    void runThrough(resolveLinks(found, usualUrls.resolver(item.url, 'utf-8'), screen.reporter.tally))
  const note = 'in a visit; all links but the first of each are known'
  return [
    { name: 'links: resolve', microseconds: timeEach(things, resolve), note: 'each told from those before it' },
    {
      name: 'links: for the detectors',
      microseconds: timeEach(things, ({ resolved, screen }) => void linkFacts(resolved, screen)),
      note,
    },
    {
      name: 'links: follow',
      microseconds: timeEach(
        things,
        ({ item, resolved, screen }) =>
          void runThrough(
            followLinks(resolved, { item, follow: 'yes', lister: { path: '/', via: undefined } }, screen),
          ),
      ),
      note,
    },
  ]
}

function screenOf(site: string, scope: Scope): VisitState {
  const limits = { pages: 1000, time: 1e9 }
  const known = new BigUint64Array(0)
  const memory = freshMemory()
  const visit: Visit = { id: '1', fence: 1, site, agenda: [], known, memory, wait: 0, pause: 0, limits, lease: 1e9 }
  return {
    site,
    scope,
    local: new LocalFrontier(visit),
    reporter: new Reporter(visit, () => ({ pause: 0, notBefore: 0 }), new VisitTimes(realClock, new Map())),
    crossSiteSeen: new HashSet64(),
    sitemaps: 'usual',
    noteHost() {},
    isPatternFull: () => false,
    isSuspect: () => false,
    plainer: () => undefined,
    cookieChecks: 0,
    now: 0,
  }
}

function rulePieces({ pages }: Material): Piece[] {
  const hrefs = pages.map(({ url, answer }) => {
    const reading = readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: answer.payload })
    const resolve = resolver(url)
    return reading.links.flatMap(({ href }) => {
      const read = resolve(href)
      return read.kind === 'url' ? [read.url.href] : []
    })
  })
  const links = hrefs.reduce((sum, page) => sum + page.length, 0) / pages.length
  const normaliseAll = (urls: readonly string[]) => {
    for (const url of urls) usualUrls.normalise(url)
  }
  return [
    {
      name: 'normalise links',
      microseconds: timeEach(hrefs, normaliseAll),
      note: `${links.toFixed(0)} a page, of this web; part of resolving them`,
    },
    {
      name: 'normalise links, knotty',
      microseconds: timeEach(Array<string[]>(200).fill(KNOTTY), normaliseAll),
      note: `${KNOTTY.length} a page; each gives a rule something to do`,
    },
  ]
}
