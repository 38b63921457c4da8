/**
 * The failure table: what each kind of failure costs. docs/reference/failures.md prints it, and a test compares.
 *
 * wait × growth^(tries so far − 1) until `tries` requests have failed, then the URL is gone. `whole`: the site failed and
 * not the page, so the visit ends and the whole site waits; after `tries` silent visits in a row it is given up (C3,
 * Y6: a missing or forbidden page ends at once, a silent server is tried again).
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { FailureKind, Outcome } from '../contracts/outcome.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'

export interface FailureRule {
  wait: Millis
  growth: number
  tries: number
  whole: boolean
  /** For the docs: the effect on the collection. */
  consequence: string
}

const S = 1000
const rule =
  (whole: boolean) =>
  (wait: Millis, growth: number, tries: number, consequence: string): FailureRule => ({
    wait,
    growth,
    tries,
    whole,
    consequence,
  })
const again = rule(false)
const silent = rule(true)
const once = (consequence: string, whole = false) => rule(whole)(0, 1, 1, consequence)

export const FAILURES: Readonly<Record<FailureKind, FailureRule>> = {
  dns: silent(30 * S, 3, 3, 'the resolver gave no answer: the site waits'),
  'no-such-name': once('the name does not exist: found out once, the site is given up', true),
  'address-refused': once(
    'its name or all its addresses are not public, or unregistered names have its address too: the site is given up',
    true,
  ),
  connect: silent(30 * S, 3, 3, 'refused or unreachable: the site waits'),
  'connect-timeout': silent(30 * S, 3, 3, 'no connection in time: the site waits'),
  tls: silent(60 * S, 3, 2, 'no common TLS: the site waits'),
  'first-byte-timeout': again(60 * S, 2, 3, 'back to the queue with a penalty'),
  'idle-timeout': again(60 * S, 2, 3, 'back to the queue with a penalty'),
  'exchange-timeout': again(60 * S, 2, 2, 'back to the queue with a penalty'),
  'too-slow': again(60 * S, 2, 2, 'a drip-feed: back to the queue with a penalty'),
  reset: again(30 * S, 2, 3, 'back to the queue with a penalty'),
  protocol: again(60 * S, 2, 2, 'not HTTP, or ambiguous: asked once more'),
  'head-too-large': once('a head without end: gone'),
  'status-401': once('protected: gone'),
  'status-403': once('forbidden: gone'),
  'status-404': once('missing: gone'),
  'status-410': once('gone'),
  'status-4xx': once('refused by the server: gone'),
  'status-408': again(30 * S, 2, 3, 'the server waited too long: back to the queue'),
  'status-429': again(60 * S, 2, 5, 'too many requests: the site waits, at least its Retry-After'),
  'status-503': again(30 * S, 2, 4, 'unavailable: the site waits, at least its Retry-After'),
  'status-5xx': again(30 * S, 3, 3, 'a fault of the server: back to the queue'),
  'status-other': once('a status that says nothing we could use: gone'),
  'robots-unreachable': silent(30 * S, 3, 4, 'robots.txt answers 5xx, 429 or nothing: nothing is fetched for now'),
  reading: once('the bytes are kept, reading them failed: not tried again'),
}

/** Bodies that broke off, by reason; one that our own limit cut is complete for us. */
export const BROKEN_OFF: Readonly<Record<'length' | 'time' | 'disconnect', FailureKind | undefined>> = {
  length: undefined,
  time: 'exchange-timeout',
  disconnect: 'reset',
}

/** After this many pages in a row without any answer the visit ends, as if the site were silent. */
export const SILENT_PAGES = 3

export function isSilence(kind: FailureKind): boolean {
  return kind === 'first-byte-timeout' || kind === 'idle-timeout' || kind === 'reset' || kind === 'exchange-timeout'
}

/** The wait before the next try, or undefined when the tries are used up. `patience` scales the table's waits. */
export function waitAfter(kind: FailureKind, triesSoFar: number, patience: number): Millis | undefined {
  const rule = FAILURES[kind]
  if (triesSoFar >= rule.tries) return undefined
  return rule.wait * rule.growth ** (triesSoFar - 1) * patience
}

/** The outcome of a page that failed for the `tries`-th time. */
export function failureOutcome(
  kind: FailureKind,
  tries: number,
  now: Instant,
  atLeast: Millis,
  patience: number,
): Outcome {
  const wait = waitAfter(kind, tries, patience)
  if (wait === undefined) return { kind: 'gone', why: kind }
  return { kind: 'later', why: kind, notBefore: now + Math.max(wait, atLeast) }
}

export function failureOfStatus(status: number): FailureKind | undefined {
  // A partial answer that we did not ask for: archived, but never a page.
  if (status === 206) return 'status-other'
  if (status >= 200 && status < 300) return undefined
  switch (status) {
    case 401:
    case 403:
    case 404:
    case 410:
    case 408:
    case 429:
    case 503:
      return `status-${status}`
  }
  if (status >= 400 && status < 500) return 'status-4xx'
  if (status >= 500 && status < 600) return 'status-5xx'
  return 'status-other'
}

/** The site has answered, whatever it said: it is not silent. */
export function withAnswer(memory: SiteMemory): SiteMemory {
  if (memory.silent === 0 && memory.rests === undefined) return memory
  const { rests: _, ...rest } = memory
  return { ...rest, silent: 0 }
}
