/** What a visit tells, in numbered parts; (visit, part) makes it idempotent. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Outcome } from './outcome.ts'
import type { SiteMemory } from './site-memory.ts'
import type { PageMemory, SiteName, UrlKey, VisitId } from './visit.ts'

/** A URL that a page names, screened: it is wanted. */
export interface Link {
  url: string
  key: UrlKey
  site: SiteName
  depth: number
  /** The page it was found on. */
  via: string
  path: string
}

/** Where an exchange lies in a volume. */
export interface Capture {
  /** File name in `archive/`, without `.open`. */
  volume: string
  offset: number
  /** Compressed length of the response or revisit record. */
  length: number
  /** `sha1:…` of the payload. */
  digest: string
  kind: 'response' | 'revisit'
}

export interface PageReport {
  url: string
  key: UrlKey
  depth: number
  via?: string
  path: string
  /** When the request was sent, or the decision taken. */
  at: Instant
  /** HTTP status; Heritrix's negative codes where there is none (`statusOf` in site/failures). */
  status: number
  mediaType: string
  /** Bytes of the body as they came. */
  bytes: number
  tookMs: Millis
  /** Requests for it so far, this one included. */
  tries: number
  outcome: Outcome
  title: string
  /** The out-links, packed (`adjacency.ts`); empty when there are none. */
  links: Uint8Array
  capture?: Capture
  memory?: PageMemory
  /** For crawl.log and explain: `3t`, `dup`, `lenTrunc` … */
  annotations: readonly string[]
  /** robots.txt and probes: asked by the crawler, not found on a page; never a document and never in `found`. */
  errand: boolean
}

/** A hazard: the rule and the evidence that says so. */
export interface Verdict {
  rule: string
  evidence: string
  at: Instant
}

/** `documents`, `bytes`, `links`, `status:200`, `failure:dns`, `refused:robots`, `unwanted:image/*`, `type:text/html` … (`counts.ts`). */
export type Counts = ReadonlyMap<string, number>

export interface Courtesy {
  /** The pause now in force for the site. */
  pause: Millis
  /** When the last answer ended; undefined when nothing was asked. */
  lastAnswerAt?: Instant
  /** No request before this: last answer + pause, or Retry-After. */
  notBefore: Instant
  /** The address that was asked. */
  address?: string
}

export type VisitEnd =
  | 'done' // nothing is left that this visit may ask
  | 'slice' // its limits are used up
  | 'stopped' // the worker is ending
  | 'elsewhere' // its address belongs to another worker
  | 'silent' // the site does not answer for now
  | 'given-up' // the site does not answer at all: bounded tries are used up

export interface VisitReport {
  visit: VisitId
  fence: number
  site: SiteName
  /** 1, 2, 3 … */
  part: number
  pages: PageReport[]
  /** URLs of this site that were found and not fetched in this visit. */
  found: Link[]
  /** URLs of other sites, after the link policy. */
  abroad: Link[]
  verdicts: Verdict[]
  counts: Counts
  memory: SiteMemory
  courtesy: Courtesy
  /** Set on the last part only: the lease ends with it. */
  ended?: VisitEnd
}
