/**
 * The life of one sitemap or feed: asked for like a page, by the same rules of courtesy, robots.txt and failure; archived;
 * read for the URLs it lists, and no document. What says it is a sitemap and is a web page is visited as one.
 */
import { inTurns } from '../base/stretches.ts'
import { packLinks } from '../contracts/adjacency.ts'
import type { Body, Want } from '../contracts/exchange.ts'
import type { LeftOut } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { isReadable } from '../page/reading.ts'
import { decodeContent } from '../web/http/decode.ts'
import { headerOf, parseMediaType } from '../web/http/headers.ts'
import { type ListedUrl, type Sitemap, sitemapInStretches } from '../web/sitemap/sitemap.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import {
  type Answered,
  askFor,
  end,
  fail,
  keep,
  type PageEnd,
  type PageResult,
  type PageTools,
  refuseUnwanted,
  watched,
} from './ask-for.ts'
import { directivesOf, memoryOf, wantPage } from './page-facts.ts'
import { offerListed, outLink } from './screen.ts'
import { bytesLeft, MAX_URLS, namedBy, noteBytes, noteLeft, offerMoved, offerNested, sitemapsOf } from './sitemaps.ts'
import { takePage } from './visit-page.ts'

/** On the wire, and without compression: less than the protocol's 50 MB, for a thread may read hundreds at once. 50,000 URLs take 5 to 12 MB. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_DECODED = MAX_BYTES
const ERROR_BYTES = 16 * 1024
/** URLs that are screened before the thread's other visits have a turn. */
const URLS_A_TURN = 2000

export async function visitSitemap(item: AgendaItem, tools: PageTools): Promise<PageEnd> {
  const asked = await askFor(item, (status) => wantSitemap(item, status, tools), tools)
  if (asked.kind === 'here') return takeSitemap(item, asked, tools)
  return asked.kind === 'elsewhere' ? sitemapMoved(item, asked, asked.target, tools) : asked
}

async function sitemapMoved(
  item: AgendaItem,
  { exchange, answer, page }: Answered,
  target: WebUrl,
  tools: PageTools,
): Promise<PageResult> {
  const { screen } = tools
  page.capture = await keep(exchange, answer, tools.site)
  screen.reporter.begin()
  const taken = watched(item, tools, () => offerMoved(target, item, screen))
  page.links = packLinks([outLink(target, taken, screen)])
  return end(item, { kind: 'moved', to: target.href }, page)
}

async function takeSitemap(item: AgendaItem, answered: Answered, tools: PageTools): Promise<PageResult> {
  const { exchange, answer, page } = answered
  const { sitemap, notes, bytes } = await read(item, answer, tools)
  // Looked at again, it brings nothing that was not counted.
  if (item.before === undefined) noteBytes(bytes, tools.screen.reporter)
  if (sitemap?.kind === 'unknown') {
    const asPage = { ...item, path: `${item.path.slice(0, -1)}L`, depth: item.depth + 1 }
    if (isWantedPage(asPage, answered, tools)) {
      page.path = asPage.path
      page.depth = asPage.depth
      return takePage(asPage, answered, tools)
    }
    return end(item, { kind: 'refused', by: 'unwanted', rule: 'no sitemap' }, page)
  }
  const directives = directivesOf(answer.head.headers, undefined, tools.site.token)
  // Most that say `noindex` are sitemaps of honest sites, which do not want them in search results: not kept, but read.
  page.capture = directives.noindex ? undefined : await keep(exchange, answer, tools.site)
  if (sitemap === undefined) return fail(item, 'reading', exchange, page, tools)
  tools.screen.reporter.begin()
  const left = new Map<LeftOut, number>()
  const urls = directives.nofollow ? 0 : await takeListed(item, sitemap, left, tools)
  for (const [why, count] of left) noteLeft(why, count, tools.screen.reporter)
  page.annotations = [...notesOf(page.annotations, sitemap, notes), ...[...left].map(([why, n]) => `${why}:${n}`)]
  if (page.capture !== undefined) page.memory = memoryOf(page.capture, undefined, answer.head.headers)
  return end(item, { kind: 'read', as: 'sitemap', urls }, page)
}

/** Its answer is there already: it is not asked for a second time. */
function isWantedPage(item: AgendaItem, { url, answer, page }: Answered, tools: PageTools): boolean {
  const { status, headers } = answer.head
  if (!isReadable(page.mediaType) || !wantPage(status, headers, tools.screen.scope).download) return false
  return refuseUnwanted(item, url, tools) === undefined
}

/** Whatever its media type says: they are served as all kinds of things. */
function wantSitemap(item: AgendaItem, status: number, tools: PageTools): Want {
  const isWhole = status >= 200 && status < 300 && status !== 206
  return { download: true, limitBytes: isWhole ? Math.min(MAX_BYTES, budgetOf(item, tools)) : ERROR_BYTES }
}

/** A later look takes nothing of what the site's sitemaps may bring together. */
function budgetOf({ before }: AgendaItem, { screen }: PageTools): number {
  return before === undefined ? bytesLeft(screen.reporter.memory) : MAX_DECODED
}

/** Undefined when reading it threw: a bug of ours that costs this one only (V6). */
async function read(item: AgendaItem, { head, payload }: Body, tools: PageTools): Promise<Read> {
  const { site } = tools
  const limit = { bytes: Math.min(MAX_DECODED, budgetOf(item, tools)), ratio: site.decode.ratio }
  const outer = await decodeContent(payload, headerOf(head.headers, 'content-encoding'), limit)
  // `sitemap.xml.gz` comes with no coding, with one, or with both: the bytes say what they are.
  const isGzip = outer.bytes[0] === 0x1f && outer.bytes[1] === 0x8b
  const { bytes, cut, trouble } = isGzip ? await decodeContent(outer.bytes, 'gzip', limit) : outer
  const notes = [outer.trouble, isGzip ? trouble : undefined].flatMap((word) => (word ? [`coding:${word}`] : []))
  if (cut || outer.cut) notes.push('decodedTrunc')
  const used = Math.max(payload.length, outer.bytes.length, bytes.length)
  const { charset } = parseMediaType(headerOf(head.headers, 'content-type'))
  const rest = () => site.clock.sleep(0)
  try {
    const reading = sitemapInStretches(bytes, charset)
    const sitemap = await inTurns(reading, rest, (next) => watched(item, tools, next))
    return { sitemap, notes, bytes: used }
  } catch (error) {
    site.journal.tell({ kind: 'trouble', what: `reading ${item.url}: ${String(error).slice(0, 200)}` })
    return { sitemap: undefined, notes, bytes: used }
  }
}

interface Read {
  sitemap: Sitemap | undefined
  notes: string[]
  /** On the wire or unpacked, whichever is more. */
  bytes: number
}

/** How many of its URLs are wanted. Tens of thousands: now and then the thread's other visits have a turn. */
async function takeListed(
  item: AgendaItem,
  { urls, sitemaps }: Sitemap,
  left: Map<LeftOut, number>,
  tools: PageTools,
): Promise<number> {
  const { screen, site } = tools
  const resolve = site.urls.resolver(item.url)
  for (let from = 0; from < sitemaps.length; from += URLS_A_TURN) {
    if (from > 0) await site.clock.sleep(0)
    watched(item, tools, () => {
      for (const loc of sitemaps.slice(from, from + URLS_A_TURN)) {
        const resolved = resolve(loc)
        const why = resolved.kind === 'url' ? offerNested(resolved.url, item, screen) : undefined
        if (why !== undefined) left.set(why, (left.get(why) ?? 0) + 1)
      }
    })
  }
  let taken = 0
  for (let from = 0; from < urls.length; from += URLS_A_TURN) {
    if (from > 0) await site.clock.sleep(0)
    taken += watched(item, tools, () => takeSome(item, urls.slice(from, from + URLS_A_TURN), left, tools))
  }
  return taken
}

/** Of this site, or of the one whose robots.txt named the sitemap. */
function takeSome(
  item: AgendaItem,
  urls: readonly ListedUrl[],
  leftOut: Map<LeftOut, number>,
  tools: PageTools,
): number {
  const { screen, site } = tools
  const { reporter } = screen
  const resolve = site.urls.resolver(item.url)
  const owner = namedBy(item)
  const ownersSite = owner === undefined ? undefined : site.urls.parse(owner)?.site
  const known = sitemapsOf(reporter.memory)
  let left = MAX_URLS - known.urls
  let taken = 0
  for (const { loc, lastmod } of urls) {
    const resolved = resolve(loc)
    if (resolved.kind !== 'url') {
      if (resolved.kind === 'malformed') reporter.tally.add('malformed')
      continue
    }
    const { url } = resolved
    const isForeign = url.site !== screen.site && url.site !== ownersSite
    if (left <= 0 || isForeign) {
      const why = isForeign ? 'foreign' : 'most-urls'
      leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
      reporter.tally.add('refused:scope')
      continue
    }
    const isNew = url.site === screen.site && !screen.local.knows(url.key)
    if (!offerListed(url, item, lastmod, screen)) continue
    taken++
    if (isNew) left--
  }
  const { memory } = reporter
  reporter.remember({ ...memory, sitemaps: { ...sitemapsOf(memory), urls: MAX_URLS - left } })
  return taken
}

/** For crawl.log and explain, few and short. */
function notesOf(before: readonly string[], { kind, troubles }: Sitemap, more: readonly string[]): string[] {
  const notes = [...before, ...more, kind]
  return troubles.length === 0 ? notes : [...notes, ...troubles.map((trouble) => trouble.replaceAll(',', ''))]
}
