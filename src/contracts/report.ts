/** What a visit reports, in numbered parts; (visit, part) makes it idempotent. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Change } from './change.ts'
import type { Outcome } from './outcome.ts'
import type { MemoryNews } from './site-memory.ts'
import type { PageMemory, SiteName, UrlKey, VisitId } from './visit.ts'

/** A URL found on a page that is in scope and wanted. */
export interface Link {
  url: string
  key: UrlKey
  site: SiteName
  depth: number
  /** The page it was found on. */
  via: string
  path: string
  /** Its last change, according to a sitemap. */
  lastmod?: Instant
  /** The key is known already from another spelling: this one is tried if that is not found. */
  spelling?: true
}

/** Where an exchange is stored in a volume. */
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

/** What became of one URL. Nothing changes it once it is made. */
export interface PageReport {
  readonly url: string
  readonly key: UrlKey
  readonly depth: number
  readonly via?: string
  readonly path: string
  /** When the request was sent, or the decision taken. */
  readonly at: Instant
  /** HTTP status; Heritrix's negative codes where there is none (`statusOfFailure`). */
  readonly status: number
  readonly mediaType: string
  /** What the bytes are, if not what `mediaType` says. */
  readonly sniffed?: string
  /** As the page declares it, `pt-br`; undefined when it does not. */
  readonly language?: string
  /** Bytes of the body as they came. */
  readonly bytes: number
  readonly tookMs: Millis
  /** Requests for it so far, this one included. */
  readonly tries: number
  readonly outcome: Readonly<Outcome>
  readonly title: string
  /** The out-links, packed (`adjacency.ts`); empty when there are none. */
  readonly links: Uint8Array
  readonly capture?: Capture
  readonly memory?: PageMemory
  /** What this look found changed since the one before; undefined for a first look, and where there is nothing to compare with. */
  readonly change?: Change
  /** For crawl.log and explain: `3t`, `dup`, `lenTrunc` … */
  readonly annotations: readonly string[]
  /** robots.txt and probes: requested by the crawler itself, not found on a page; never a document, never in `found`. */
  readonly ownRequest: boolean
}

/** A hazard: the rule and its evidence. */
export interface Finding {
  rule: string
  evidence: string
  at: Instant
  /** The URLs it concerns, `/calendar/#/#`; undefined: the whole site. */
  pattern?: string
  /** At most three URLs that show it. */
  examples?: readonly string[]
  /** Withdraws an earlier finding of this rule and pattern. */
  withdrawn?: true
}

/** What a visit learnt about names, for the coordinator, which sees more than one site. Small, bounded, plain JSON. */
export interface Learnt {
  /** The site is another name of that one: links into it are entered there. */
  alias?: { to: SiteName; how: string; https?: boolean; evidence?: string }
  /** Its pages seem to be those of a known site, so other sites come first. */
  slow?: { rule: string; like: SiteName }
  /** A finding was withdrawn: the URLs it held back wait again. */
  requeue?: true
  /** What invented names under its domain resolve to. */
  wildcard?: { domain: string; addresses: readonly string[] }
}

/** `documents`, `bytes`, `links`, `status:200`, `failure:dns`, `refused:robots`, `unwanted:image/*`, `type:text/html` … (`counts.ts`). */
export type Counts = ReadonlyMap<string, number>

export interface Courtesy {
  /** The pause now in force for the site. */
  pause: Millis
  /** When the last answer ended; undefined when nothing was requested. */
  lastAnswerAt?: Instant
  /** No request before this: last answer + pause, or Retry-After. */
  notBefore: Instant
  /** The address that was used. */
  address?: string
  /** The visit's average time to connect; undefined when it did not. */
  connectMs?: Millis
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
  crossSite: Link[]
  findings: Finding[]
  counts: Counts
  memory: MemoryNews
  courtesy: Courtesy
  learnt?: Learnt
  /** Set on the last part only: the lease ends with it. */
  ended?: VisitEnd
}
