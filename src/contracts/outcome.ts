/** The outcome of one URL. Each has exactly one consequence; the web's failures are values, never exceptions. */
import type { Instant } from '../base/clock.ts'

export type FailureKind =
  | 'dns' // the resolver gave no answer
  | 'no-such-name' // the name does not exist
  | 'address-refused' // its name is reserved for private use, or it resolves only to addresses that we do not connect to
  | 'connect' // refused, unreachable
  | 'connect-timeout'
  | 'tls'
  | 'first-byte-timeout'
  | 'idle-timeout'
  | 'exchange-timeout'
  | 'too-slow' // below the minimum rate
  | 'reset' // closed or reset before the answer was whole and of use
  | 'protocol' // not HTTP, or HTTP whose end can only be guessed
  | 'head-too-large'
  | 'status-401'
  | 'status-403'
  | 'status-404'
  | 'status-410'
  | 'status-4xx'
  | 'status-408'
  | 'status-429'
  | 'status-503'
  | 'status-5xx'
  | 'status-other' // 1xx as an end, 206 and 304 unasked, 3xx without a target, 6xx …
  | 'robots-unreachable' // robots.txt answered 5xx, 429 or nothing: nothing is fetched for now
  | 'reading' // the page's bytes are kept, but reading them failed or never ended

export interface Failure {
  kind: FailureKind
  /** For people: what the system said. At most 200 characters, no control characters. */
  detail: string
}

export type RefusedBy = 'robots' | 'scope' | 'hazard' | 'directive' | 'classifier' | 'unwanted'

export type Outcome =
  /** `first`: never seen before; `changed`, `same`: compared with the look before. */
  | { kind: 'kept'; how: 'first' | 'changed' | 'same' }
  | { kind: 'moved'; to: string }
  /** A sitemap or feed: read for the URLs it lists, and no document. `same`: as it was before, so not read again. */
  | { kind: 'read'; as: 'sitemap'; urls: number; same?: true }
  /** `held`: not requested unless the finding that refused it is withdrawn. */
  | { kind: 'refused'; by: RefusedBy; rule: string; held?: true }
  /** Over for good: an HTTP status, or the failure that used up its tries. */
  | { kind: 'gone'; why: FailureKind }
  /** Goes back to the queue with a penalty. */
  | { kind: 'later'; why: FailureKind; notBefore: Instant }

/** Compares a kept page with the look before it, if there was one. `digest`: of its payload. */
export function keptAs(before: { digest: string } | undefined, digest: string): Outcome {
  return { kind: 'kept', how: before === undefined ? 'first' : before.digest === digest ? 'same' : 'changed' }
}

/** Heritrix's status codes for URLs without an HTTP status, so that tools for its crawl.log read ours. */
const OF_FAILURE: Readonly<Record<FailureKind, number>> = {
  dns: -1,
  'no-such-name': -1,
  connect: -2,
  'connect-timeout': -2,
  tls: -2,
  reset: -3,
  protocol: -3,
  'head-too-large': -3,
  'first-byte-timeout': -4,
  'idle-timeout': -4,
  'exchange-timeout': -4,
  'too-slow': -4,
  reading: -5, // a runtime error while processing the answer
  'robots-unreachable': -61, // the prerequisite failed
  'address-refused': -5001, // blocked by a setting
  // Only where the answer's own status is not at hand.
  'status-401': 401,
  'status-403': 403,
  'status-404': 404,
  'status-408': 408,
  'status-410': 410,
  'status-429': 429,
  'status-4xx': 400,
  'status-503': 503,
  'status-5xx': 500,
  'status-other': 0,
}

const OF_REFUSAL: Readonly<Record<RefusedBy, number>> = {
  robots: -9998,
  directive: -9998,
  scope: -5000,
  hazard: -4000,
  classifier: -5002,
  unwanted: -5001,
}

/** For values from outside. */
export const isFailureKind = (word: string): word is FailureKind => Object.hasOwn(OF_FAILURE, word)
export const isRefusedBy = (word: string): word is RefusedBy => Object.hasOwn(OF_REFUSAL, word)

export function statusOfFailure(kind: FailureKind): number {
  return OF_FAILURE[kind]
}

/** A rule whose name begins with `depth` is Heritrix's "too many link hops". */
export function statusOfRefusal(by: RefusedBy, rule = ''): number {
  if ((by === 'scope' || by === 'hazard') && rule.startsWith('depth')) return -4001
  return OF_REFUSAL[by]
}
