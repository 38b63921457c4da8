/** What the frontier hands to a worker: the exclusive right to ask one site, for a while, with what was learnt before. */
import type { Instant, Millis } from '../base/clock.ts'
import type { SiteMemory } from './site-memory.ts'

export type VisitId = string
export type WorkerId = string
/** 64 bits of the normalised URL (`base/digest` hash64). */
export type UrlKey = bigint
/** `www.example.org`, or `www.example.org:8080` when the port is not 80 or 443. */
export type SiteName = string

/** The `path` of what the crawler asks for on its own account: robots.txt and probes. */
export const OWN_REQUEST_PATH = 'P'

export interface AgendaItem {
  url: string
  key: UrlKey
  depth: number
  /** When it was asked for: enqueued, or due again. */
  dueAt: Instant
  /** The page on which it was found; undefined for seeds. */
  via?: string
  /** Requests for it that failed before. */
  tries: number
  /** How it was found, in Heritrix's letters: L link, R redirect, S form, E embed, M sitemap, N name to try, P in front of what robots.txt names, '' seed. The whole path, at most 50 letters. */
  path: string
  /** What an earlier look brought. No frontier fills it yet: pages are collected once. */
  before?: PageMemory
  /** When a sitemap last said that it changed. A hint, not a fact. */
  hint?: Instant
}

/** What a later look at a page is compared with. */
export interface PageMemory {
  digest: string
  /** Of the whole text: also of the strings that are left out of what is indexed. */
  textDigest: bigint
  simhash: bigint
  etag?: string
  lastModified?: string
}

export interface VisitLimits {
  /** Requests for pages in this slice. */
  pages: number
  /** Time of this slice. */
  time: Millis
}

export interface Visit {
  id: VisitId
  /** Grows with each lease of the site: what a zombie brings with an older one is refused. */
  fence: number
  site: SiteName
  /** Where the site was last found. */
  address?: string
  agenda: AgendaItem[]
  /** The keys of every URL of the site that the frontier has; above 100,000 only its agenda is fetched. */
  known: BigUint64Array | 'too many'
  memory: SiteMemory
  /** Before the first request. A duration, so that clocks need not agree. */
  wait: Millis
  /** The courtesy pause that the coordinator knows of: configured, or learnt from the site. */
  pause: Millis
  limits: VisitLimits
  /** From before the check-out was asked for. */
  lease: Millis
}
