/** When the site fails and not a page: the visit ends, the whole site waits, and in the end it is given up. */
import type { FailureKind } from '../contracts/outcome.ts'
import type { VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { FAILURES, isSilence, SILENT_PAGES, waitAfter } from './failures.ts'
import { decideOutcome, unansweredReport } from './page-outcome.ts'
import type { Reporter } from './reporter.ts'
import { isHttpsGuess, siblingLink } from './site-names.ts'
import type { PolicyTools, RequestTools } from './tools.ts'

export interface FailingSite {
  reporter: Reporter
  courtesy: SiteCourtesy
  tools: RequestTools & PolicyTools
}

/** The site could not be reached at all; `item` is the first URL of the visit. */
export function siteFails(failure: FailureKind, item: AgendaItem, site: FailingSite): VisitEnd {
  const { memory } = site.reporter
  const rests = (memory.rests ?? 0) + 1
  site.reporter.remember({ ...memory, silent: memory.silent + 1, rests })
  return wholeSiteWaits(failure, rests, item, site)
}

/** The site, or its robots.txt, was out of reach for the `tries`-th time: nothing is fetched for now. */
export function wholeSiteWaits(failure: FailureKind, tries: number, item: AgendaItem, site: FailingSite): VisitEnd {
  const { reporter, courtesy, tools } = site
  const at = tools.clock.now()
  reporter.tally.add(`failure:${failure}`)
  const outcome = decideOutcome({ kind: 'failed', failure, tries, at, patience: tools.patience })
  const annotations = failure === 'no-such-name' ? trySibling(reporter, tools) : []
  reporter.addPage(unansweredReport(item, at, failure, outcome, item.tries, annotations))
  if (outcome.kind !== 'later') return 'given-up'
  courtesy.holdFor(outcome.notBefore - at)
  return 'silent'
}

/** Enters the sibling of a name that does not exist, and notes it for the page's record. */
function trySibling(reporter: Reporter, tools: PolicyTools): string[] {
  const { site, agenda } = reporter.visit
  const link = siblingLink(site, agenda, { scope: tools.scope(), urls: tools.urls })
  if (link === undefined) return []
  reporter.addCrossSite(link)
  return [`sibling:${link.site}`]
}

/** Only one of the site's schemes fails: this page waits for it, or is gone with it. */
export function schemeFails({ tries = 1, at }: RobotsMemory, item: AgendaItem, { reporter, tools }: FailingSite): void {
  const failure = 'robots-unreachable'
  const outcome = decideOutcome({ kind: 'failed', failure, tries, at, patience: tools.patience })
  if (outcome.kind === 'gone') reporter.tally.add(`failure:${failure}`)
  reporter.addPage(unansweredReport(item, tools.clock.now(), failure, outcome, item.tries))
}

/** Whether a page that failed after `bytes` bytes means that its site fails, and ends the visit. */
export function endAfter(
  failure: FailureKind,
  item: AgendaItem,
  bytes: number,
  { reporter, courtesy, tools }: FailingSite,
): VisitEnd | undefined {
  const { whole } = FAILURES[failure]
  // A truncated body still brought something: the site is slow or faulty, but not silent.
  if (!whole && (!isSilence(failure) || bytes > 0)) return undefined
  if (whole && isHttpsGuess(item)) return undefined
  const silent = reporter.memory.silent + 1
  reporter.remember({ ...reporter.memory, silent })
  if (!whole && silent % SILENT_PAGES !== 0) return undefined
  // Count how often the site rested, not how many pages met silence: a server that restarts resets some connections and
  // refuses the next, and that is one rest. A run of pages without any answer counts as a failure to connect.
  const rests = (reporter.memory.rests ?? 0) + 1
  reporter.remember({ ...reporter.memory, rests })
  const wait = waitAfter(whole ? failure : 'connect-timeout', rests, tools.patience)
  if (wait === undefined) return 'given-up'
  courtesy.holdFor(wait)
  return 'silent'
}
