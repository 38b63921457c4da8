/** A page that was answered: read, decided, kept, judged, and its links followed. */
import type { Instant, Millis } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { inTurns } from '../base/stretches.ts'
import { packLinks } from '../contracts/adjacency.ts'
import { redirectsIn } from '../contracts/generation.ts'
import type { PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { BOMB_RATIO, type Decoded, withDecoded } from '../web/http/decode.ts'
import { listedIn, mediaTypeOf } from '../web/http/headers.ts'
import { parseHttpDate } from '../web/http/http-date.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import { type Answered, keep, memoryOf, type ReadAnswer, readAnswer, wantPage, watched } from './answers.ts'
import { compareLook } from './compare-look.ts'
import { followLinks, followRedirect, linkFacts, outLink, targetFacts } from './follow-links.ts'
import { judgeValidators } from './look-again.ts'
import { decideOutcome } from './page-outcome.ts'
import { type PageResult, reportOf, resultOf } from './page-result.ts'
import {
  compareSites,
  contentOf,
  isBrowserComplaint,
  isStopped,
  judge,
  reportComplaint,
  reportFinding,
} from './report-hazards.ts'
import type { Reporter } from './reporter.ts'
import { type ContentKind, failed, type PageTools } from './visit-url.ts'

export const PAGE: ContentKind = {
  wants: (_, status, headers, { state }) => wantPage(status, headers, state.scope),
  moved: pageMoved,
  read: readPage,
}

async function pageMoved(
  item: AgendaItem,
  { url, exchange, answer }: Answered,
  target: WebUrl,
  tools: PageTools,
): Promise<PageResult> {
  const { site, state } = tools
  const path = normalPath(url)
  const { capture } = await keep(exchange, answer, state.reporter, site)
  state.reporter.beginPage()
  const page = reportOf(item, exchange, decideOutcome({ kind: 'moved', to: target.href }), { capture })
  const seen = { path, again: item.before !== undefined, ...targetFacts(target, state) }
  const judged = judge(page, seen, false, state.reporter, site)
  const isEndless = isRedirectChain(item, page, tools)
  const follow = () => (isEndless ? outLink(target, false, state) : followRedirect(target, path, item, state))
  const links = packLinks([watched(item, tools, follow)])
  return resultOf(item, { ...page, links }, judged)
}

const REDIRECT_CHAIN = 'redirect-chain'
/** Instead of a URL's key. */
const CHAIN_KEY = hash64(REDIRECT_CHAIN)
/** As many as browsers follow. */
const MAX_REDIRECTS = 20

/** The last of very many redirects in a row, each to another URL: the next one is not followed. */
function isRedirectChain(item: AgendaItem, page: PageReport, { state, site }: PageTools): boolean {
  const { reporter } = state
  if (redirectsIn(item.path) + 1 < MAX_REDIRECTS || site.trusts(reporter.visit.site, REDIRECT_CHAIN)) return false
  const evidence = `${MAX_REDIRECTS} redirects in a row, each to another URL`
  // Reported once per visit: a site may have any number of them.
  if (item.before === undefined && reporter.isFirstRefusal(CHAIN_KEY))
    reportFinding({ rule: REDIRECT_CHAIN, evidence, examples: [item.url] }, page, reporter, site)
  reporter.tally.add(`stopped:${REDIRECT_CHAIN}`)
  return true
}

export async function readPage(item: AgendaItem, answered: ReadAnswer, tools: PageTools): Promise<PageResult> {
  const { head, payload } = answered.answer
  const { type } = mediaTypeOf(head.headers)
  const limit = { bytes: tools.state.scope.limitFor(type), ratio: BOMB_RATIO }
  const coding = listedIn(head.headers, 'content-encoding')
  return withDecoded(payload, coding, limit, (decoded) => takePage(item, answered, type, decoded, tools))
}

async function takePage(
  item: AgendaItem,
  { url, exchange, answer, isAsked, digest }: ReadAnswer,
  declared: string,
  decoded: Decoded,
  tools: PageTools,
): Promise<PageResult> {
  const { site, state } = tools
  const { reporter, scope } = state
  // Read before it is kept, because only its text says whether it may be: `noindex` is not kept (C4).
  reporter.beginPage()
  const rest = () => site.clock.sleep(0)
  const stretch = <T>(next: () => T) => watched(item, tools, next)
  const content = await inTurns(readAnswer(item, answer, decoded, tools), rest, stretch)
  const { directives, sniffed, notes } = content
  const reading = content.reading === 'failed' ? undefined : content.reading
  const isUnwanted = declared === '' && sniffed !== undefined && !scope.wantsMedia(sniffed)
  const outcome = decideOutcome({
    kind: 'page',
    noindex: directives.noindex,
    unwantedType: isUnwanted ? sniffed : undefined,
    isComplaint: isBrowserComplaint(reading, reporter, site),
    digest,
    before: item.before,
  })
  const found = { title: reading?.title ?? '', language: reading?.language, sniffed, notes }
  if (outcome.kind === 'refused' && outcome.by === 'unwanted')
    return resultOf(item, reportOf(item, exchange, outcome, { ...found, mediaType: sniffed }))
  const stored = directives.noindex ? undefined : await keep(exchange, answer, reporter, site, digest)
  const capture = stored?.capture
  if (capture !== undefined && content.reading === 'failed')
    return failed(item, 'reading', exchange, tools, { ...found, capture })

  const isKept = outcome.kind === 'kept'
  if (outcome.kind === 'refused' && outcome.by === 'hazard') reportComplaint(item.url, reporter, site)
  const known =
    isKept && capture !== undefined ? memoryOf(digest, reading, answer.head.headers, exchange.sentAt) : undefined
  const { memory, change } = known
    ? await inTurns(
        compareLook(item, known, content, exchange.sentAt, reporter, site.regionRules(state.site)),
        rest,
        stretch,
      )
    : {}
  const page = reportOf(item, exchange, outcome, { ...found, capture, memory, change })
  const path = normalPath(url)
  const again = item.before !== undefined
  // The detectors see a page before its links are followed: one that gives a trap away adds nothing more to it. The links
  // of a `noindex` page are followed too: a trap may consist of such pages.
  const facts = reading && contentOf(reading, capture?.digest ?? '', content.text)
  const seen = { path, again, content: facts, ...linkFacts(content.links, state) }
  const judged = judge(page, seen, capture?.kind === 'revisit', reporter, site)
  learnFromHint(item, page, reporter)
  if (item.before !== undefined && memory !== undefined)
    reporter.remember(judgeValidators(reporter.memory, item.before, memory, isAsked))
  if (isKept && !again) compareSites(page, url.path === '/', stored?.copy?.url, reporter, site)
  const isHazard = !judged.follow || isStopped(reporter, site)
  const follow = directives.nofollow ? 'directive' : isHazard ? 'hazard' : 'yes'
  const followed = followLinks(content.links, { item, follow, lister: judged.lister }, state)
  const links = await inTurns(followed, rest, stretch)
  return resultOf(item, { ...page, links }, judged)
}

const DAY: Millis = 86_400_000
/** A server that makes its pages on demand says that they changed just now: that proves nothing. */
const JUST_NOW: Millis = 60_000

/**
 * How often a sitemap's `lastmod` agreed with the server, per site: a planner may trust it as far as it deserves (B5). They
 * agree within a day, for most sitemaps give no time of day.
 */
export function judgeHint(
  memory: SiteMemory,
  { hint, lastModified, now }: { hint: Instant; lastModified: Instant; now: Instant },
): SiteMemory {
  if (lastModified > now - JUST_NOW) return memory
  const { checked, held } = memory.hints ?? { checked: 0, held: 0 }
  const isTrue = Math.abs(hint - lastModified) <= DAY
  return { ...memory, hints: { checked: checked + 1, held: held + (isTrue ? 1 : 0) } }
}

function learnFromHint({ hint }: AgendaItem, page: PageReport, reporter: Reporter): void {
  if (hint === undefined || page.outcome.kind !== 'kept') return
  const lastModified = parseHttpDate(page.memory?.lastModified ?? '', page.at)
  if (lastModified === undefined) return
  reporter.remember(judgeHint(reporter.memory, { hint, lastModified, now: page.at }))
}
