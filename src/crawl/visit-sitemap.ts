/**
 * A sitemap or feed that was answered: archived and read for its URLs, not a document. A web page in its place is
 * visited as one.
 */
import { inTurns } from '../base/stretches.ts'
import { packLinks } from '../contracts/adjacency.ts'
import type { Body } from '../contracts/exchange.ts'
import type { LeftOut } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { isReadable } from '../page/reading.ts'
import { BOMB_RATIO, decodeContent } from '../web/http/decode.ts'
import { mediaTypeOf } from '../web/http/headers.ts'
import { type ListedUrl, type Sitemap, sitemapInStretches } from '../web/sitemap/sitemap.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import {
  type Answered,
  decoded,
  directivesOf,
  keep,
  memoryOf,
  type ReadAnswer,
  unlessBroken,
  wantBody,
  wantPage,
  watched,
} from './answers.ts'
import { offerListed, outLink } from './follow-links.ts'
import { decideOutcome } from './page-outcome.ts'
import { type PageResult, reportOf, resultOf } from './page-result.ts'
import {
  bytesLeft,
  MAX_URLS,
  namedBy,
  note,
  noteLeft,
  noteRead,
  offerMoved,
  offerNested,
  sitemapsOf,
} from './sitemaps.ts'
import { readPage } from './visit-page.ts'
import { type ContentKind, failed, type PageTools, refuseUnwanted } from './visit-url.ts'

/** Decoded or not. Less than the protocol's 50 MB, for a thread may read hundreds; 50,000 URLs take 5 to 12 MB. */
const MAX_BYTES = 16 * 1024 * 1024
/** URLs that are taken before the thread's other visits have a turn. */
const URLS_PER_TURN = 2000

/** Whatever its media type says: sitemaps are served as all kinds of things. */
export const SITEMAP: ContentKind = {
  wants: (item, status, _, tools) => wantBody(status, budgetOf(item, tools)),
  moved: sitemapMoved,
  read: readSitemap,
}

/** A repeated visit costs the site's budget nothing. */
function budgetOf({ before }: AgendaItem, { state }: PageTools): number {
  return before === undefined ? Math.min(MAX_BYTES, bytesLeft(state.reporter.memory)) : MAX_BYTES
}

async function sitemapMoved(
  item: AgendaItem,
  { exchange, answer }: Answered,
  target: WebUrl,
  tools: PageTools,
): Promise<PageResult> {
  const { state } = tools
  const { capture } = await keep(exchange, answer, state.reporter, tools.site)
  state.reporter.beginPage()
  const taken = watched(item, tools, () => offerMoved(target, item, state))
  const links = packLinks([outLink(target, taken, state)])
  const outcome = decideOutcome({ kind: 'moved', to: target.href })
  return resultOf(item, reportOf(item, exchange, outcome, { capture, links }))
}

async function readSitemap(item: AgendaItem, answered: ReadAnswer, tools: PageTools): Promise<PageResult> {
  const { exchange, answer, digest } = answered
  const { reporter } = tools.state
  const { sitemap, notes, bytes } = await parse(item, answer, tools)
  // A repeated visit brings nothing that was not counted.
  if (item.before === undefined) noteRead(bytes, reporter)
  if (sitemap?.kind === 'unknown') {
    const asPage = { ...item, path: `${item.path.slice(0, -1)}L`, depth: item.depth + 1 }
    if (isWantedPage(asPage, answered, tools)) return readPage(asPage, answered, tools)
    const outcome = decideOutcome({ kind: 'refused', by: 'unwanted', rule: 'no sitemap' })
    return resultOf(item, reportOf(item, exchange, outcome, {}))
  }
  const { headers } = answer.head
  const directives = directivesOf(headers, undefined, tools.site.token)
  // Most sitemaps that say `noindex` belong to honest sites that keep them out of search results: not kept, but read.
  const capture = directives.noindex ? undefined : (await keep(exchange, answer, reporter, tools.site, digest)).capture
  if (sitemap === undefined) return failed(item, 'reading', exchange, tools, { capture })
  reporter.beginPage()
  const left = new Map<LeftOut, number>()
  const urls = directives.nofollow ? 0 : await takeListed(item, sitemap, left, tools)
  for (const [why, count] of left) noteLeft(why, count, reporter)
  // For crawl.log and explain, few and short.
  const troubles = sitemap.troubles.map((trouble) => trouble.replaceAll(',', ''))
  const allNotes = [...notes, sitemap.kind, ...troubles, ...[...left].map(([why, count]) => `${why}:${count}`)]
  const memory = memoryOf(digest, undefined, headers, exchange.sentAt)
  const outcome = decideOutcome({ kind: 'sitemap', urls })
  return resultOf(item, reportOf(item, exchange, outcome, { capture, memory, notes: allNotes }))
}

/** Its answer is there already, so it is not requested again. */
function isWantedPage(item: AgendaItem, { url, answer }: Answered, tools: PageTools): boolean {
  const { status, headers } = answer.head
  if (!isReadable(mediaTypeOf(headers).type)) return false
  return wantPage(status, headers, tools.state.scope).download && refuseUnwanted(item, url, tools) === undefined
}

/** `sitemap` is undefined when reading it threw. */
async function parse(item: AgendaItem, answer: Body, tools: PageTools): Promise<Parsed> {
  const { site } = tools
  const max = budgetOf(item, tools)
  const outer = await decoded(answer, max)
  // `sitemap.xml.gz` comes with no coding, with one, or with both: the bytes say what they are.
  const isGzip = outer.bytes[0] === 0x1f && outer.bytes[1] === 0x8b
  const { bytes, cut, trouble } = isGzip
    ? await decodeContent(outer.bytes, 'gzip', { bytes: max, ratio: BOMB_RATIO })
    : outer
  const notes = [outer.trouble, isGzip ? trouble : undefined].flatMap((word) => (word ? [`coding:${word}`] : []))
  if (cut || outer.cut) notes.push('decodedTrunc')
  const used = Math.max(answer.payload.length, outer.bytes.length, bytes.length)
  const reading = sitemapInStretches(bytes, mediaTypeOf(answer.head.headers).charset)
  const rest = () => site.clock.sleep(0)
  const read = () => inTurns(reading, rest, (next) => watched(item, tools, next))
  return { sitemap: await unlessBroken(`reading ${item.url}`, site, read), notes, bytes: used }
}

interface Parsed {
  sitemap: Sitemap | undefined
  notes: string[]
  /** On the wire or unpacked, whichever is more. */
  bytes: number
}

/** Returns how many of its URLs are wanted. There may be tens of thousands, so other visits get a turn now and then. */
async function takeListed(
  item: AgendaItem,
  { urls, sitemaps }: Sitemap,
  left: Map<LeftOut, number>,
  tools: PageTools,
): Promise<number> {
  const { state, site } = tools
  const inTurn = async <T>(listed: readonly T[], take: (some: readonly T[]) => void) => {
    for (let from = 0; from < listed.length; from += URLS_PER_TURN) {
      if (from > 0) await site.clock.sleep(0)
      watched(item, tools, () => take(listed.slice(from, from + URLS_PER_TURN)))
    }
  }
  const resolve = site.urls.resolver(item.url)
  await inTurn(sitemaps, (some) => {
    for (const loc of some) {
      const resolved = resolve(loc)
      const why = resolved.kind === 'url' ? offerNested(resolved.url, item, state) : undefined
      if (why !== undefined) left.set(why, (left.get(why) ?? 0) + 1)
    }
  })
  let taken = 0
  await inTurn(urls, (some) => {
    taken += takeSome(item, some, left, tools)
  })
  // A later look cannot count what is new, but the site has at least as many URLs as this sitemap lists: the list may
  // have grown beyond the limit.
  const isAgain = item.before !== undefined && namedBy(item) === undefined
  if (isAgain && taken > sitemapsOf(state.reporter.memory).urls) note({ urls: taken }, state.reporter)
  return taken
}

/** Takes URLs of this site, or of the one whose robots.txt named the sitemap. */
function takeSome(
  item: AgendaItem,
  urls: readonly ListedUrl[],
  leftOut: Map<LeftOut, number>,
  tools: PageTools,
): number {
  const { state, site } = tools
  const { reporter } = state
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
    const isForeign = url.site !== state.site && url.site !== ownersSite
    if (left <= 0 || isForeign) {
      const why = isForeign ? 'foreign' : 'most-urls'
      leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
      reporter.tally.add('refused:scope')
      continue
    }
    // A later look can't tell: the pages that the site has are not in its visit. Counted, they would use up the site's budget.
    const isNew = item.before === undefined && url.site === state.site && !state.local.knows(url.key)
    if (!offerListed(url, item, lastmod, state)) continue
    taken++
    if (isNew) left--
  }
  note({ urls: MAX_URLS - left }, reporter)
  return taken
}
