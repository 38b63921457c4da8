/** What commands ask of an opened collection. `assemble/open` satisfies it. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Figures } from '../report/figures.ts'

/** Where a collection stands (C14). */
export interface Standing {
  /** running: a crawl has it open now; complete: nothing waits. */
  state: 'running' | 'complete' | 'unfinished'
  begunAt: Instant | undefined
  lastAt: Instant | undefined
  documents: number
  bytes: number
  urls: { known: number; done: number; waiting: number }
  sites: { waiting: number; free: number; leased: number; returning: number; crawled: number; barred: number }
  /** Earlier moments, oldest first, at most some dozens. */
  trend: readonly { at: Instant; known: number; done: number; waiting: number }[]
  /** When the first waiting site may be asked; undefined when none waits. */
  nextDueMs: Millis | undefined
}

export interface CaptureLine {
  at: Instant
  status: number
  mediaType: string
  /** Compressed length of its record. */
  length: number
  digest: string
  kind: 'response' | 'revisit'
  volume: string
  offset: number
}

export interface Content {
  url: string
  at: Instant
  status: number
  mediaType: string
  /** Status line and headers as they came. */
  head: Uint8Array
  /** Without transfer coding; content coding still on it. */
  payload: Uint8Array
  /** Without content coding. */
  body: Uint8Array
  volume: string
  offset: number
}

export interface UrlFacts {
  url: string
  site: string
  state: 'unknown' | 'waiting' | 'leased' | 'done'
  depth: number | undefined
  via: string | undefined
  tries: number
  enqueuedAt: Instant | undefined
  dueAt: Instant | undefined
  /** The last thing that became of it. */
  page:
    | { at: Instant; status: number; mediaType: string; bytes: number; outcome: string; rule: string; title: string }
    | undefined
  captures: number
  /** Pages that link here, as far as the reverse index knows. */
  linkedFrom: number
  referrers: readonly string[]
}

export interface SiteFacts {
  site: string
  state: 'unknown' | 'waiting' | 'free' | 'leased' | 'returning' | 'crawled' | 'barred'
  address: string | undefined
  notBefore: Instant | undefined
  pauseMs: Millis | undefined
  urls: { known: number; done: number; waiting: number }
  documents: number
  robots: { state: string; at: Instant; status: number; crawlDelayMs: Millis | undefined } | undefined
  /** The rule by which links in this site are followed no more. */
  stopped: string | undefined
  /** Requests in a row without any answer. */
  silent: number
  losses: number
}

export interface VerifyReport {
  volumes: number
  records: number
  captures: number
  digests: number
  faults: { where: string; what: string }[]
}

export interface DuplicateSet {
  digest: string
  count: number
  urls: readonly string[]
}

export interface Rooms {
  figures(): Figures
  standing(): Standing
  /** Contents with more than one URL, the most repeated first. */
  duplicates(atMost: number): DuplicateSet[]
  captures(url: string): CaptureLine[]
  /** The capture current at that time, or the last one. */
  content(url: string, at: Instant | undefined): Promise<Content | undefined>
  urlFacts(url: string, referrers: number): UrlFacts
  siteFacts(site: string): SiteFacts
  verify(tell: (volume: string) => void): Promise<VerifyReport>
  exportCdxj(): Iterable<string> | AsyncIterable<string>
  exportPages(): Iterable<object> | AsyncIterable<object>
  exportLinks(): Iterable<{ from: string; to: string }> | AsyncIterable<{ from: string; to: string }>
  /** Makes `link("from", "to")` in that SQLite database; returns the number of rows. */
  linksInto(path: string): Promise<number>
  close(): void
}
