/** When it is the site that fails and not a page: the visit ends, the whole site waits, and in the end it is given up. */
import type { FailureKind } from '../contracts/outcome.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory, SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { PageResult } from './ask-for.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { FAILURES, failureOutcome, isSilence, SILENT_PAGES, waitAfter } from './failures.ts'
import { isSchemeProbe } from './name-probes.ts'
import { trySibling } from './names.ts'
import { blankPage } from './page-facts.ts'
import type { Reporter } from './reporter.ts'
import type { SiteTools } from './tools.ts'

/** The site could not be reached at all; `item` is the URL that was to be asked for first. */
export function siteFails(
  kind: FailureKind,
  item: AgendaItem,
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd {
  const { silent } = reporter.memory
  const rests = restsOf(reporter.memory) + 1
  reporter.remember({ ...reporter.memory, silent: silent + 1, rests })
  return wholeSiteWaits(kind, rests, item, reporter, courtesy, tools)
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
  const outcome = failureOutcome(kind, memory.tries ?? 1, memory.at, 0, tools.patience)
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
  const annotations = trySibling(kind, reporter, tools)
  reporter.page({ ...blankPage(item, now, outcome), status: statusOfFailure(kind), annotations })
  if (wait === undefined) return 'given-up'
  courtesy.holdFor(wait)
  return 'silent'
}

/** The site has answered, whatever it said: it is not silent. */
export function answered(memory: SiteMemory): SiteMemory {
  if (memory.silent === 0 && memory.rests === undefined) return memory
  const { rests: _, ...rest } = memory
  return { ...rest, silent: 0 }
}

/** After a page that failed: does the visit end with it? */
export function siteSuffers(
  end: PageResult,
  reporter: Reporter,
  courtesy: SiteCourtesy,
  tools: SiteTools,
): VisitEnd | undefined {
  const kind = end.failure
  if (kind === undefined) return undefined
  const { whole } = FAILURES[kind]
  // Of a body that broke off something came: slow or clumsy, but not silent.
  if (!whole && (!isSilence(kind) || end.page.bytes > 0)) return undefined
  if (whole && isSchemeProbe(end.page)) return undefined
  const silent = reporter.memory.silent + 1
  reporter.remember({ ...reporter.memory, silent })
  if (!whole && silent % SILENT_PAGES !== 0) return undefined
  // What counts is how often the site rested, not how many pages met silence: a server that is started anew resets some
  // connections and refuses the next, and that is one rest. Pages in a row without any answer: as if it could not be
  // connected to.
  const rests = restsOf(reporter.memory) + 1
  reporter.remember({ ...reporter.memory, rests })
  const wait = waitAfter(whole ? kind : 'connect-timeout', rests, tools.patience)
  if (wait === undefined) return 'given-up'
  courtesy.holdFor(wait)
  return 'silent'
}

const restsOf = ({ rests = 0 }: SiteMemory): number => rests
