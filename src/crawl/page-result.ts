/**
 * What becomes of a URL in a visit. `decideOutcome` alone decides it, for pages, sitemaps and the crawler's own requests;
 * the rest of this file writes the decision into a report.
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { Exchange } from '../contracts/exchange.ts'
import { type FailureKind, keptAs, type Outcome, type RefusedBy, statusOfRefusal } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { parseMediaType } from '../web/http/headers.ts'
import { resolver } from '../web/url/web-url.ts'
import { declaredType, locationOf } from './answers.ts'
import { failureOutcome } from './failures.ts'
import { type Judgement, UNSUPPORTED_BROWSER } from './report-hazards.ts'

/** How the turn of a URL ended. */
export type TurnEnd =
  | { kind: 'refused'; by: RefusedBy; rule: string; held?: boolean }
  /** For the `tries`-th time; it waits as the table says, and at least `minWait`. */
  | { kind: 'failed'; failure: FailureKind; tries: number; at: Instant; minWait?: Millis; patience: number }
  /** Its site was given up, and the page with it. */
  | { kind: 'given-up'; failure: FailureKind }
  | { kind: 'moved'; to: string }
  | { kind: 'sitemap'; urls: number }
  /** robots.txt and the check for a missing page. */
  | { kind: 'own-request'; failure: FailureKind | undefined }
  | PageContent

/** What is known of a page whose answer has been read. */
export interface PageContent {
  kind: 'page'
  noindex: boolean
  /** What its bytes are, if the server declared nothing and that type is not wanted. */
  unwantedType: string | undefined
  /** It says only that our browser is not supported (V28). */
  isComplaint: boolean
  digest: string
  before: AgendaItem['before']
}

export function decideOutcome(end: TurnEnd): Outcome {
  switch (end.kind) {
    case 'refused':
      return refusal(end.by, end.rule, end.held)
    case 'failed':
      return failureOutcome(end.failure, end.tries, end.at, end.minWait ?? 0, end.patience)
    case 'given-up':
      return { kind: 'gone', why: end.failure }
    case 'moved':
      return { kind: 'moved', to: end.to }
    case 'sitemap':
      return { kind: 'read', as: 'sitemap', urls: end.urls }
    case 'own-request':
      return end.failure === undefined ? keptAs(undefined, '') : { kind: 'gone', why: end.failure }
    case 'page':
      if (end.noindex) return refusal('directive', 'noindex')
      if (end.unwantedType !== undefined) return refusal('unwanted', `media type ${end.unwantedType}, as its bytes say`)
      if (end.isComplaint) return refusal('hazard', UNSUPPORTED_BROWSER)
      return keptAs(end.before, end.digest)
  }
}

function refusal(by: RefusedBy, rule: string, held = false): Outcome {
  return held ? { kind: 'refused', by, rule, held } : { kind: 'refused', by, rule }
}

export interface PageResult {
  kind: 'result'
  page: PageReport
  failure?: FailureKind
  /** It was visited before. */
  again?: boolean
  /** Set when the detectors have seen it; others are shown to them when they are recorded. */
  judged?: Judgement
}

export function resultOf(item: AgendaItem, page: PageReport, failure?: FailureKind, judged?: Judgement): PageResult {
  return { kind: 'result', page, failure, again: item.before !== undefined, judged }
}

/** A URL that was not requested. */
export function refused(item: AgendaItem, by: RefusedBy, rule: string, at: Instant, held = false): PageResult {
  const page = blankReport(item, at, decideOutcome({ kind: 'refused', by, rule, held }))
  page.status = statusOfRefusal(by, rule)
  return { kind: 'result', page }
}

export function blankReport(item: AgendaItem, at: Instant, outcome: Outcome): PageReport {
  return {
    url: item.url,
    key: item.key,
    depth: item.depth,
    via: item.via,
    path: item.path,
    at,
    status: 0,
    mediaType: '',
    // Fields that most pages have are named here, so that all reports have one shape: that halves the cost of filling one in.
    sniffed: undefined,
    language: undefined,
    bytes: 0,
    tookMs: 0,
    tries: item.tries,
    outcome,
    title: '',
    links: NO_LINKS,
    capture: undefined,
    memory: undefined,
    annotations: [],
    ownRequest: false,
  }
}

const NO_LINKS = new Uint8Array(0)
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
