/**
 * The life of one page. Every branch from its answer on is here; until there is one, it is asked for like anything else
 * (`ask-for.ts`). Its tools look and answer, and decide nothing.
 */

import type { Instant, Millis } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { inTurns } from '../base/stretches.ts'
import { packLinks } from '../contracts/adjacency.ts'
import { redirectsIn } from '../contracts/generation.ts'
import { keptAs, type Outcome } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { type Decoded, decodeContent } from '../web/http/decode.ts'
import { headerOf } from '../web/http/headers.ts'
import { parseHttpDate } from '../web/http/http-date.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import {
  type Answered,
  askFor,
  end,
  fail,
  keep,
  keepBesideCopy,
  type PageEnd,
  type PageResult,
  type PageTools,
  watched,
} from './ask-for.ts'
import { isDuplicate, memoryOf, wantPage } from './page-facts.ts'
import { readAnswer } from './read-answer.ts'
import {
  compareSites,
  contentOf,
  isStopped,
  type Judgement,
  judge,
  saysNothing,
  tellFinding,
  UNSUPPORTED_BROWSER,
} from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { followLinks, linkFacts, outLink, screenRedirect, targetFacts } from './screen.ts'

export async function visitPage(item: AgendaItem, tools: PageTools): Promise<PageEnd> {
  const asked = await askFor(item, (status, headers) => wantPage(status, headers, tools.screen.scope), tools)
  if (asked.kind === 'here') return takePage(item, asked, tools)
  return asked.kind === 'elsewhere' ? pageMoved(item, asked, asked.target, tools) : asked
}

async function pageMoved(
  item: AgendaItem,
  { url, exchange, answer, page }: Answered,
  target: WebUrl,
  tools: PageTools,
): Promise<PageResult> {
  const { screen } = tools
  const path = normalPath(url)
  page.capture = await keep(exchange, answer, tools.site)
  screen.reporter.begin()
  const moved = end(item, { kind: 'moved', to: target.href }, page)
  const seen = { path, again: moved.again, ...targetFacts(target, screen) }
  moved.judged = judge(page, seen, false, screen.reporter, tools.site)
  const isEndless = isRedirectChain(item, page, tools)
  page.links = packLinks([
    watched(item, tools, () =>
      isEndless ? outLink(target, false, screen) : screenRedirect(target, path, item, screen),
    ),
  ])
  return moved
}

const REDIRECT_CHAIN = 'redirect-chain'
/** In the place of a URL's key. */
const CHAINED = hash64(REDIRECT_CHAIN)
/** As many as browsers follow. */
const MAX_REDIRECTS = 20

/** It is the last of very many redirects in a row, each to another URL: the next one is not followed. */
function isRedirectChain(item: AgendaItem, page: PageReport, { screen, site }: PageTools): boolean {
  const { reporter } = screen
  if (redirectsIn(item.path) + 1 < MAX_REDIRECTS || site.trusts(reporter.visit.site, REDIRECT_CHAIN)) return false
  const evidence = `${MAX_REDIRECTS} redirects in a row, each to another URL`
  // Once a visit: a site may have any number of them.
  if (reporter.refuses(CHAINED))
    tellFinding({ rule: REDIRECT_CHAIN, evidence, examples: [item.url] }, page, reporter, site)
  reporter.tally.add(`stopped:${REDIRECT_CHAIN}`)
  return true
}

/** An answer that is there. */
export async function takePage(item: AgendaItem, answered: Answered, tools: PageTools): Promise<PageResult> {
  const { answer, page } = answered
  const limit = { bytes: tools.screen.scope.limitFor(page.mediaType), ratio: tools.site.decode.ratio }
  const decoded = await decodeContent(answer.payload, headerOf(answer.head.headers, 'content-encoding'), limit)
  try {
    return await takeDecoded(item, answered, decoded, tools)
  } finally {
    decoded.release?.()
  }
}

async function takeDecoded(
  item: AgendaItem,
  { url, exchange, answer, page }: Answered,
  decoded: Decoded,
  tools: PageTools,
): Promise<PageResult> {
  const { screen } = tools
  const { mediaType } = page
  // Read before it is kept, because only its text says whether it may be: `noindex` is not kept (C4).
  screen.reporter.begin()
  const rest = () => tools.site.clock.sleep(0)
  const stretch = <T>(next: () => T) => watched(item, tools, next)
  const understood = await inTurns(readAnswer(item, answer, decoded, mediaType, tools), rest, stretch)
  const { directives, links, sniffed } = understood
  const reading = understood.reading === 'failed' ? undefined : understood.reading
  page.title = reading?.title ?? ''
  page.language = reading?.language
  page.sniffed = sniffed
  if (understood.notes.length > 0) page.annotations = [...page.annotations, ...understood.notes]
  const path = normalPath(url)
  const follow = ({ follow, lister }: Judgement) => {
    const why = directives.nofollow ? 'directive' : !follow || isStopped(screen.reporter, tools.site) ? 'hazard' : 'yes'
    return inTurns(followLinks(links, { item, follow: why, lister }, screen), rest, stretch)
  }
  if (directives.noindex) {
    // Its links are followed: a trap may consist of such pages.
    const told = end(item, { kind: 'refused', by: 'directive', rule: 'noindex' }, page)
    const content = reading && contentOf(reading, '', understood.text)
    const seen = { path, again: told.again, content, ...linkFacts(links, screen) }
    told.judged = judge(page, seen, false, screen.reporter, tools.site)
    page.links = await follow(told.judged)
    return told
  }

  if (mediaType === '' && sniffed !== undefined && !screen.scope.wantsMedia(sniffed)) {
    const rule = `media type ${sniffed}, as its bytes say`
    page.mediaType = sniffed
    return end(item, { kind: 'refused', by: 'unwanted', rule }, page)
  }

  const { capture, copy } = await keepBesideCopy(exchange, answer, tools.site)
  page.capture = capture
  if (understood.reading === 'failed') return fail(item, 'reading', exchange, page, tools)
  // The detectors see a page before its links are followed: one that gives a trap away adds nothing more to it.
  const scolds = reading !== undefined && saysNothing(item.url, reading, screen.reporter, tools.site)
  const outcome: Outcome = scolds
    ? { kind: 'refused', by: 'hazard', rule: UNSUPPORTED_BROWSER }
    : keptAs(item.before, capture.digest)
  if (!scolds) page.memory = memoryOf(capture, reading, answer.head.headers)
  const kept = end(item, outcome, page)
  const seen = {
    path,
    again: kept.again,
    content: reading && contentOf(reading, capture.digest, understood.text),
    ...linkFacts(links, screen),
  }
  kept.judged = judge(page, seen, isDuplicate(page, screen.contents), screen.reporter, tools.site)
  learnFromHint(item, page, screen.reporter)
  if (!scolds && !kept.again) compareSites(page, url.path === '/', copy?.url, screen.reporter, tools.site)
  page.links = await follow(kept.judged)
  return kept
}

/**
 * What a sitemap says of a page's last change is a hint. How often it told the truth is kept by site: a planner may trust
 * it as far as it deserves (B5).
 */

const DAY: Millis = 86_400_000
/** A server that makes its pages as they are asked for says that they changed just now: that is no witness. */
const JUST_NOW: Millis = 60_000

/** Beside what the server says: they agree within a day, for most sitemaps tell no time of day. */
export function judgeHint(
  memory: SiteMemory,
  { hint, lastModified, now }: { hint: Instant; lastModified: Instant; now: Instant },
): SiteMemory {
  if (lastModified > now - JUST_NOW) return memory
  const { checked, held } = memory.hints ?? { checked: 0, held: 0 }
  const isTrue = Math.abs(hint - lastModified) <= DAY
  return { ...memory, hints: { checked: checked + 1, held: held + (isTrue ? 1 : 0) } }
}

/** Of a page that was kept. */
export function learnFromHint(item: AgendaItem, page: PageReport, reporter: Reporter): void {
  const { hint } = item
  if (hint === undefined || page.outcome.kind !== 'kept') return
  const lastModified = parseHttpDate(page.memory?.lastModified ?? '', page.at)
  if (lastModified === undefined) return
  reporter.remember(judgeHint(reporter.memory, { hint, lastModified, now: page.at }))
}
