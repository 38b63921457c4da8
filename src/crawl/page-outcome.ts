/** Decides what becomes of a URL in a visit: once, here, for pages, sitemaps and the crawler's own requests. */
import type { Instant, Millis } from '../base/clock.ts'
import { type FailureKind, keptAs, type Outcome, type RefusedBy, statusOfFailure } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import type { AgendaItem, KnownPage } from '../contracts/visit.ts'
import { failureOutcome } from './failures.ts'

/** How the turn of a URL ended. */
type TurnEnd =
  | { kind: 'refused'; by: RefusedBy; rule: string; held?: boolean }
  /** For the `tries`-th time; it waits as the table says, and at least `minWait`. */
  | { kind: 'failed'; failure: FailureKind; tries: number; at: Instant; minWait?: Millis; patience: number }
  /** Its site was given up, and the page with it. */
  | { kind: 'given-up'; failure: FailureKind }
  | { kind: 'moved'; to: string }
  /** A requested 304, or the same bytes. */
  | { kind: 'as-before'; was: KnownPage['was'] }
  | { kind: 'sitemap'; urls: number }
  /** robots.txt and the check for a missing page. */
  | { kind: 'own-request'; failure: FailureKind | undefined }
  | PageContent

/** What is known of a page whose answer has been read. */
interface PageContent {
  kind: 'page'
  noindex: boolean
  /** What its bytes are, if the server declared nothing and that type is not wanted. */
  unwantedType: string | undefined
  /** It says only that our browser is not supported (V28). */
  isComplaint: boolean
  digest: string
  before: AgendaItem['before']
}

/** The rule by which a page that says only that is refused. */
export const UNSUPPORTED_BROWSER = 'unsupported-browser'

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
    case 'as-before':
      return end.was === 'read' ? { kind: 'read', as: 'sitemap', urls: 0, same: true } : { kind: 'kept', how: 'same' }
    case 'sitemap':
      return { kind: 'read', as: 'sitemap', urls: end.urls }
    case 'own-request':
      return end.failure === undefined ? keptAs(undefined, '') : { kind: 'gone', why: end.failure }
    case 'page':
      if (end.noindex) return refusal('directive', 'noindex')
      if (end.unwantedType !== undefined) return refusal('unwanted', `media type ${end.unwantedType}, as its bytes say`)
      if (end.isComplaint) return refusal('hazard', UNSUPPORTED_BROWSER)
      // A URL that was a redirect or a sitemap has changed, whatever its bytes.
      return keptAs(end.before && { digest: end.before.was === 'kept' ? end.before.digest : '' }, end.digest)
  }
}

function refusal(by: RefusedBy, rule: string, held = false): Outcome {
  return held ? { kind: 'refused', by, rule, held } : { kind: 'refused', by, rule }
}

/** A URL without an answer. `tries`: requests for it so far. */
export function unansweredReport(
  item: Omit<AgendaItem, 'dueAt'>,
  at: Instant,
  failure: FailureKind,
  outcome: Outcome,
  tries: number,
  annotations: readonly string[] = [],
): PageReport {
  return { ...blankReport(item, at, outcome), tries, status: statusOfFailure(failure), annotations }
}

export function blankReport(item: Omit<AgendaItem, 'dueAt'>, at: Instant, outcome: Outcome): Draft {
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
    change: undefined,
    annotations: [],
    ownRequest: false,
  }
}

/** A report that is being made. */
export type Draft = { -readonly [Field in keyof PageReport]: PageReport[Field] }

const NO_LINKS = new Uint8Array(0)
