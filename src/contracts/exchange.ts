/** One request and its answer, byte for byte; and the two functions that reach the network. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Head } from '../web/http/head.ts'
import type { HeaderLines } from '../web/http/headers.ts'
import type { Failure } from './outcome.ts'

export interface Address {
  ip: string
  /** Set by `--resolve HOST=IP:PORT` only; else the URL's own port counts. */
  port?: number
  /** Given by the operator (`--resolve`), not by the resolver. */
  named?: true
}

export interface Addresses {
  kind: 'addresses'
  /** Best first, never empty. */
  list: readonly Address[]
}

/** Made by `fetch/` and by `testkit/web/`. Never throws for the web's faults. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<Addresses | { kind: 'failed'; failure: Failure }>

export type Headers = HeaderLines
export type { Head }

/** The decision on status and headers: an unwanted body is never downloaded (V5). */
export type Want = { download: true; limitBytes: number } | { download: false; kind: string; rule: string }

export interface FetchRequest {
  /** Absolute, http or https, without fragment. */
  url: string
  address: Address
  /** All but Host and Connection, which the fetcher writes. */
  headers: Headers
  /** Called synchronously just before the first byte is written; false gives `answer.kind === 'withheld'`. */
  may(): boolean
  /** Called once, with the head of the final answer. */
  wants(status: number, headers: Headers): Want
}

/**
 * The detail of a 'reset' when a kept connection was closed before any byte of the answer. It happens all the time, so the page
 * is requested again after the pause, and no failure is counted.
 */
export const STALE_CONNECTION = 'stale connection'

export type Answer =
  /** The whole body came. */
  | (Body & { kind: 'full' })
  /** The body was cut by our limits or by the server's silence, and what came is of use (WARC-Truncated says why). */
  | (Body & { kind: 'cut'; why: 'length' | 'time' | 'disconnect' })
  /** `wants` said no on the head; the connection was closed at once. */
  | { kind: 'declined'; head: Head; wireHead: Uint8Array; want: Want & { download: false } }
  | { kind: 'failed'; failure: Failure }
  /** `may()` said no: nothing was sent. */
  | { kind: 'withheld' }

export interface Body {
  head: Head
  /** The head's bytes as they came, with its empty line (interim 1xx answers left out). */
  wireHead: Uint8Array
  /** The body without transfer coding (chunks and trailers are taken off); content coding still on it. */
  payload: Uint8Array
}

/**
 * In words that crawl.log carries, after `certificate:`. `untrusted`: no authority that we know signed it; `invalid`:
 * anything else.
 */
export type CertificateFault = 'expired' | 'not-yet-valid' | 'self-signed' | 'wrong-name' | 'untrusted' | 'invalid'

export interface Exchange {
  url: string
  address: Address
  /** When the first byte of the request was written, and when the last byte of the answer (or its failure) came. */
  sentAt: Instant
  answeredAt: Instant
  /** The same span on the monotonic clock. */
  tookMs: Millis
  /** The request's bytes as they were sent; empty when nothing was. */
  request: Uint8Array
  /** The negotiated TLS version, for WARC-Protocol: `tls/1.3`; undefined over plain TCP. */
  tls?: string
  /** What is wrong with the server's certificate, where any is accepted; undefined when nothing is. */
  certificate?: CertificateFault
  /** How long TCP took to connect, when this needed a new connection; TLS apart. */
  connectMs?: Millis
  answer: Answer
}

/** One visit's connections: kept alive between its requests, closed with it. */
export interface FetchSession {
  /** Never throws for the web's faults. One request at a time. */
  fetch(request: FetchRequest): Promise<Exchange>
  /** A request under way fails at once over sockets; without them it may still run to its end. */
  close(): void
}

export type OpenSession = () => FetchSession
