/** What became of one URL. Each outcome has exactly one consequence; the web's failures are values, never exceptions. */
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
  | 'too-slow' // under the least rate: a drip-feed
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
  /** A sitemap or feed: read for the URLs it lists, and no document. */
  | { kind: 'read'; as: 'sitemap'; urls: number }
  /** `held`: it was not asked for, and is if the finding by which it was refused is withdrawn. */
  | { kind: 'refused'; by: RefusedBy; rule: string; held?: true }
  /** Over for good: an HTTP status, or the failure that used up its tries. */
  | { kind: 'gone'; why: FailureKind }
  /** Goes back to the queue with a penalty. */
  | { kind: 'later'; why: FailureKind; notBefore: Instant }

/** A page that is kept, compared with what the look before brought, if there was one. `digest`: of its payload. */
export function keptAs(before: { digest: string } | undefined, digest: string): Outcome {
  return { kind: 'kept', how: before === undefined ? 'first' : before.digest === digest ? 'same' : 'changed' }
}
