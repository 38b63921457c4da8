/** What a page is: a function from a request and the data of the opened collection to an answer. */
import type { Instant, Millis } from '../base/clock.ts'
import type { PageAsked, WebAnswer } from '../cluster/server/web-door.ts'
import type { Choice } from '../contracts/control.ts'
import type { Event } from '../contracts/events.ts'

/** Query and facts are the opened page's; the rest is what the door found out about who asks. */
export interface PageRequest extends Omit<PageAsked, 'query'> {
  query: URLSearchParams
  live: LiveFacts
}

export type PageAnswer = WebAnswer

export type Render<Data> = (request: PageRequest, data: Data) => Promise<PageAnswer>

/** What the process that crawls or serves knows without asking the database. */
export interface LiveFacts {
  now: Instant
  /** The folder's name, or the database's: the title of every page. */
  collection: string
  runs: 'crawl' | 'refresh' | 'server'
  version: string
  begunAt: Instant
  /** What operators decided about the whole crawl. */
  choice: Choice
  /** It is ending: asked to stop, or over. */
  isEnding: boolean
  /** Counted over the whole collection, oldest first, at growing distances: the steps between them are the pace. */
  pace: readonly Sample[]
  /** The same of the last half hour, however long it has run. */
  recent: readonly Sample[]
  /** Newest first; a bounded number of them. */
  events: readonly PastEvent[]
  lateMs: Millis
}

export interface Sample {
  at: Instant
  requests: number
  documents: number
  bytes: number
  failures: number
  /** URLs. */
  known: number
  waiting: number
}

export interface PastEvent {
  at: Instant
  event: Event
}

/** A figure that takes too long for a page: computed beside it, one at a time. */
export type Slow<Value> =
  | { state: 'computing' }
  | { state: 'failed'; why: string }
  /** `at`: when it was computed. It is computed anew when it has grown old and someone looks. */
  | { state: 'known'; at: Instant; value: Value }

export interface SlowData {
  /** `name`: one of the computations of `routes.ts`. `argument`: what it is asked, a short text. */
  slow<Value>(name: string, argument: string): Promise<Slow<Value>>
}
