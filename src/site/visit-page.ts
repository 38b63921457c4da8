/**
 * The life of one page. Every branch from its answer on is here; until there is one, it is asked for like anything else
 * (`ask-for.ts`). Its tools look and answer, and decide nothing.
 */
import { packLinks } from '../visit/adjacency.ts'
import type { Outcome } from '../visit/outcome.ts'
import type { PageReport } from '../visit/report.ts'
import type { AgendaItem } from '../visit/visit.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import {
  type Answered,
  askFor,
  end,
  fail,
  keep,
  keepBesideTwin,
  type PageEnd,
  type PageTold,
  type PageTools,
  watched,
} from './ask-for.ts'
import { compareSites, contentOf, isStopped, judge, saysNothing, UNSUPPORTED_BROWSER } from './beware.ts'
import { learnFromHint } from './hints.ts'
import { isDuplicate, memoryOf, wantPage } from './page-facts.ts'
import { followLinks, linkFacts, screenRedirect, targetFacts } from './screen.ts'
import { understand } from './understand.ts'

export async function visitPage(item: AgendaItem, tools: PageTools): Promise<PageEnd> {
  const asked = await askFor(item, (status, headers) => wantPage(status, headers, tools.screen.scope), tools)
  if (asked.kind === 'here') return takePage(item, asked, tools)
  return asked.kind === 'elsewhere' ? pageMoved(item, asked, asked.target, tools) : asked
}

async function pageMoved(
  item: AgendaItem,
  { url, exchange, answer, facts }: Answered,
  target: WebUrl,
  tools: PageTools,
): Promise<PageTold> {
  const { screen } = tools
  const capture = await keep(exchange, answer, tools.site)
  screen.reporter.begin()
  const moved = end(item, exchange.sentAt, { kind: 'moved', to: target.href }, { ...facts, capture })
  const seen = { path: normalPath(url), again: moved.again, ...targetFacts(target, screen) }
  moved.judged = judge(moved.page, seen, false, screen.reporter, tools.site)
  moved.page.links = packLinks([watched(item, tools, () => screenRedirect(target, item, screen))])
  return moved
}

/** An answer that is there. */
export async function takePage(
  item: AgendaItem,
  { url, exchange, answer, facts }: Answered,
  tools: PageTools,
): Promise<PageTold> {
  const { screen } = tools
  screen.reporter.begin()
  // Read before it is kept, because only its text says whether it may be: `noindex` is not kept (C4).
  const understood = watched(item, tools, () => understand(item, answer, facts.mediaType, tools))
  const { directives, links, sniffed } = understood
  const reading = understood.reading === 'failed' ? undefined : understood.reading
  const told: Partial<PageReport> = {
    ...facts,
    title: reading?.title ?? '',
    language: reading?.language,
    sniffed,
    annotations: [...(facts.annotations ?? []), ...understood.notes],
  }
  const follow = (isHazard: boolean) =>
    watched(item, tools, () => {
      const why = directives.nofollow
        ? 'directive'
        : isHazard || isStopped(screen.reporter, tools.site)
          ? 'hazard'
          : 'yes'
      return followLinks(links, { item, follow: why }, screen)
    })
  if (directives.noindex) {
    told.links = follow(false)
    return end(item, exchange.sentAt, { kind: 'refused', by: 'directive', rule: 'noindex' }, told)
  }

  if (facts.mediaType === '' && sniffed !== undefined && !screen.scope.wantsMedia(sniffed)) {
    const rule = `media type ${sniffed}, as its bytes say`
    return end(item, exchange.sentAt, { kind: 'refused', by: 'unwanted', rule }, { ...told, mediaType: sniffed })
  }

  const { capture, twin } = await keepBesideTwin(exchange, answer, tools.site)
  if (understood.reading === 'failed') return fail(item, 'reading', exchange, { ...told, capture }, tools)
  const memory = memoryOf(capture, reading, answer.head.headers)
  const how = item.before === undefined ? 'first' : item.before.digest === capture.digest ? 'same' : 'changed'
  // The detectors see a page before its links are followed: one that gives a trap away adds nothing more to it.
  const scolds = reading !== undefined && saysNothing(item.url, reading, screen.reporter, tools.site)
  const outcome: Outcome = scolds ? { kind: 'refused', by: 'hazard', rule: UNSUPPORTED_BROWSER } : { kind: 'kept', how }
  const kept = end(item, exchange.sentAt, outcome, { ...told, capture, memory: scolds ? undefined : memory })
  const seen = {
    path: normalPath(url),
    again: kept.again,
    content: reading && contentOf(reading, capture.digest),
    ...linkFacts(links, screen),
  }
  kept.judged = judge(kept.page, seen, isDuplicate(kept.page, screen.contents), screen.reporter, tools.site)
  learnFromHint(item, kept.page, screen.reporter)
  if (!scolds && !kept.again) compareSites(kept.page, url.path === '/', twin?.url, screen.reporter, tools.site)
  kept.page.links = follow(!kept.judged.follow)
  return kept
}
