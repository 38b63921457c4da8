/** When it is the site that fails and not a page: the visit ends, the whole site waits, and in the end it is given up. */
import type { FailureKind } from '../visit/outcome.ts'
import type { VisitEnd } from '../visit/report.ts'
import type { RobotsMemory } from '../visit/site-memory.ts'
import { statusOfFailure } from '../visit/status-codes.ts'
import type { AgendaItem } from '../visit/visit.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { FAILURES, isSilence, SILENT_PAGES, settle, waitAfter } from './failures.ts'
import { blankPage } from './page-facts.ts'
import type { Reporter } from './reporter.ts'
import type { SiteTools } from './tools.ts'
import type { PageEnd } from './visit-page.ts'

/** The site could not be reached at all; `item` is the URL that was to be asked for first. */
export function siteFails(
  kind: FailureKind,
  item: AgendaItem,
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd {
  const silent = reporter.memory.silent + 1
  reporter.remember({ ...reporter.memory, silent })
  return wholeSiteWaits(kind, silent, item, reporter, courtesy, tools)
}

/** robots.txt could not be had: nothing is fetched for now. */
export function robotsFail(
  tries: number,
  item: AgendaItem,
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd {
  return wholeSiteWaits('robots-unreachable', tries, item, reporter, courtesy, tools)
}

/** Only one of the site's schemes fails: the page waits for it, or is gone with it, and nothing else does. */
export function schemeFails(memory: RobotsMemory, item: AgendaItem, reporter: Reporter, tools: SiteTools): void {
  const kind = 'robots-unreachable'
  const outcome = settle(kind, memory.tries ?? 1, memory.at, 0, tools.patience)
  if (outcome.kind === 'gone') reporter.tally.add(`failure:${kind}`)
  reporter.page({ ...blankPage(item, tools.clock.now(), outcome), status: statusOfFailure(kind) })
}

function wholeSiteWaits(
  kind: FailureKind,
  tries: number,
  item: AgendaItem,
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd {
  const now = tools.clock.now()
  const wait = waitAfter(kind, tries, tools.patience)
  reporter.tally.add(`failure:${kind}`)
  const outcome =
    wait === undefined
      ? ({ kind: 'gone', why: kind } as const)
      : ({ kind: 'later', why: kind, notBefore: now + wait } as const)
  reporter.page({ ...blankPage(item, now, outcome), status: statusOfFailure(kind) })
  if (wait === undefined) return 'given-up'
  courtesy.holdFor(wait)
  return 'silent'
}

/** After a page that failed: does the visit end with it? The page itself has been told of already. */
export function siteSuffers(
  end: PageEnd & { kind: 'told' },
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd | undefined {
  const kind = end.failure
  if (kind === undefined) return undefined
  const rule = FAILURES[kind]
  if (!rule.whole && !isSilence(kind)) return undefined
  const silent = reporter.memory.silent + 1
  reporter.remember({ ...reporter.memory, silent })
  if (rule.whole) {
    const wait = waitAfter(kind, silent, tools.patience)
    if (wait === undefined) return 'given-up'
    courtesy.holdFor(wait)
    return 'silent'
  }
  if (silent % SILENT_PAGES !== 0) return undefined
  // Pages in a row without any answer: the site rests as if it could not be connected to, and is given up like that.
  const wait = waitAfter('connect-timeout', silent / SILENT_PAGES, tools.patience)
  if (wait === undefined) return 'given-up'
  courtesy.holdFor(wait)
  return 'silent'
}
