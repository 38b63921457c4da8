/** The result of one URL: its report, made once from what is known, and never changed. */
import type { Instant } from '../base/clock.ts'
import type { Exchange } from '../contracts/exchange.ts'
import { type FailureKind, type Outcome, type RefusedBy, statusOfRefusal } from '../contracts/outcome.ts'
import type { PageReport, VisitEnd } from '../contracts/report.ts'
import type { AgendaItem, KnownPage } from '../contracts/visit.ts'
import { parseMediaType } from '../web/http/headers.ts'
import { resolver } from '../web/url/web-url.ts'
import { declaredType, locationOf } from './answers.ts'
import { blankReport, decideOutcome } from './page-outcome.ts'
import type { Judgement } from './report-hazards.ts'

export interface PageResult {
  readonly kind: 'result'
  readonly page: PageReport
  readonly failure?: FailureKind
  /** It was fetched before. */
  readonly before?: KnownPage
  /** Set when the detectors have seen it; others are shown to them when they are recorded. */
  readonly judged?: Judgement
  /** With this failure the whole site fails, so the visit ends. */
  readonly visitEnd?: VisitEnd
}

export function resultOf(item: AgendaItem, page: PageReport, judged?: Judgement): PageResult {
  return { kind: 'result', page, before: item.before, judged }
}

/** A URL that was not requested. */
export function refused(item: AgendaItem, by: RefusedBy, rule: string, at: Instant, held = false): PageResult {
  const page = blankReport(item, at, decideOutcome({ kind: 'refused', by, rule, held }))
  page.status = statusOfRefusal(by, rule)
  return resultOf(item, page)
}

/** As much of a `data:` URL, say, as shows what it is. */
const LONGEST_LOCATION = 200
/** Heritrix's annotations for bodies that were cut. */
const TRUNCATED = { length: 'lenTrunc', time: 'timeTrunc', disconnect: 'connTrunc' } as const

export type Found = Partial<Omit<PageReport, 'annotations'>> & { notes?: readonly string[] }

/** The report of a request: what the answer says of itself, and what else was found out. */
export function reportOf(
  item: AgendaItem,
  exchange: Exchange,
  outcome: Outcome,
  { notes, ...found }: Found,
): PageReport {
  const { answer } = exchange
  const page = blankReport(item, exchange.sentAt, outcome)
  page.status = 'head' in answer ? answer.head.status : 0
  page.mediaType = parseMediaType(declaredType(exchange)).type
  page.bytes = 'payload' in answer ? answer.payload.length : 0
  page.tookMs = exchange.tookMs
  page.tries = item.tries + 1
  Object.assign(page, found)
  const annotations = annotationsOf(item, exchange)
  if (notes !== undefined) annotations.push(...notes)
  if (page.capture?.kind === 'revisit' && !page.ownRequest) annotations.push('dup')
  page.annotations = annotations
  return page
}

function annotationsOf(item: AgendaItem, { answer, certificate }: Exchange): string[] {
  const annotations: string[] = []
  if (item.tries > 0) annotations.push(`${item.tries + 1}t`)
  if (answer.kind === 'cut') annotations.push(TRUNCATED[answer.why])
  if (answer.kind === 'failed') annotations.push(answer.failure.detail)
  if (certificate !== undefined) annotations.push(`certificate:${certificate}`)
  const location = 'head' in answer ? locationOf(answer.head) : undefined
  // No link shows a redirect to another scheme, or to something unreadable.
  if (location !== undefined && resolver(item.url)(location).kind !== 'url')
    annotations.push(`location:${location.slice(0, LONGEST_LOCATION)}`)
  return annotations
}
