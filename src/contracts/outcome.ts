/** The outcome of one URL. Each has exactly one consequence; the web's failures are values, never exceptions. */
import type { Instant } from '../base/clock.ts'

/** Each failure with Heritrix's status code for URLs without an HTTP status, so that tools for its crawl.log read ours. */
const OF_FAILURE = {
  dns: -1, // the resolver gave no answer
  'no-such-name': -1, // the name does not exist
  'address-refused': -5001, // its name is reserved for private use, or it resolves only to addresses that we do not connect to
  connect: -2, // refused, unreachable
  'connect-timeout': -2,
  tls: -2,
  'first-byte-timeout': -4,
  'idle-timeout': -4,
  'exchange-timeout': -4,
  'too-slow': -4, // below the minimum rate
  reset: -3, // closed or reset before the answer was whole and of use
  protocol: -3, // not HTTP, or HTTP whose end can only be guessed
  'head-too-large': -3,
  // Only where the answer's own status is not at hand.
  'status-401': 401,
  'status-403': 403,
  'status-404': 404,
  'status-410': 410,
  'status-4xx': 400,
  'status-408': 408,
  'status-429': 429,
  'status-503': 503,
  'status-5xx': 500,
  'status-other': 0, // 1xx as an end, 206 and 304 unasked, 3xx without a target, 6xx …
  'robots-unreachable': -61, // robots.txt answered 5xx, 429 or nothing: nothing is fetched for now
  reading: -5, // the page's bytes are kept, but reading them failed or never ended
} as const
export type FailureKind = keyof typeof OF_FAILURE

export interface Failure {
  kind: FailureKind
  /** For people: what the system said. At most 200 characters, no control characters. */
  detail: string
}

const OF_REFUSAL = {
  robots: -9998,
  scope: -5000,
  hazard: -4000,
  directive: -9998,
  classifier: -5002,
  unwanted: -5001,
} as const
export type RefusedBy = keyof typeof OF_REFUSAL

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
