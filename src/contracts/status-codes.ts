/**
 * Heritrix's status codes where there is no answer of a server, so that tools that read its crawl.log read ours. A page
 * that was answered carries its HTTP status, whatever became of it; these are for the others.
 */
import type { FailureKind, RefusedBy } from './outcome.ts'

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
  reading: -5, // a runtime error while the answer was worked on
  'robots-unreachable': -61, // the prerequisite failed
  'address-refused': -5001, // blocked by a setting
  // Answered: the answer's own status is better where it is at hand.
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

/** For what came from outside: whether a word is one of ours. */
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
