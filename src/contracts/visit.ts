/** What the frontier hands to a worker: the exclusive right to visit one site for a while, with what was learnt before. */
import type { Instant, Millis } from '../base/clock.ts'
import { signed64 } from '../base/digest.ts'
import { siteKey } from '../web/url/web-url.ts'
import type { SiteMemory } from './site-memory.ts'

export type VisitId = string
export type WorkerId = string
/** 64 bits of the normalised URL (`base/digest` hash64). */
export type UrlKey = bigint
/** `www.example.org`, or `www.example.org:8080` when the port is not 80 or 443. */
export type SiteName = string

/** 64 bits of a site's name, signed, as databases hold them. */
export function siteKeyOf(site: SiteName): bigint {
  return signed64(siteKey(site))
}

/** The `path` of the crawler's own requests: robots.txt and probes. */
export const OWN_REQUEST_PATH = 'P'

export interface AgendaItem {
  url: string
  key: UrlKey
  depth: number
  /** When it was queued, or is due again. */
  dueAt: Instant
  /** The page it was found on; undefined for seeds. */
  via?: string
  /** Requests for it that failed before. */
  tries: number
  /** How it was found, in Heritrix's letters: L link, R redirect, S form, E embed, M sitemap, N name to try, P in front of what robots.txt names, '' seed. The whole path, at most 50 letters. */
  path: string
  /** From the last look that brought it; undefined for a URL that was never a page, a redirect or a sitemap. */
  before?: KnownPage
  /** Its last change according to a sitemap: a hint, not a fact. */
  hint?: Instant
}

/** A page that brought something before, as it was when it last did. */
export interface KnownPage extends PageMemory {
  was: 'kept' | 'moved' | 'read'
  /** The capture that has its payload; undefined for redirects, and where no revisit record may refer to one. */
  captured?: { url: string; at: Instant }
  /** Looks so far, and when the last was. */
  looks?: number
  lookedAt?: Instant
}

/** What a later look at a page is compared with. */
export interface PageMemory {
  digest: string
  /** Of the whole text, including strings that are not indexed. */
  textDigest: bigint
  simhash: bigint
  /** As the server sent them. */
  etag?: string
  lastModified?: string
  /** Its text as hashes, and what was learnt of its volatile regions (`page/change/sketch.ts`); at most MAX_SKETCH bytes. */
  sketch?: Uint8Array
}

export const MAX_SKETCH = 5000

export interface VisitLimits {
  /** Requests for pages in this slice. */
  pages: number
  /** Time of this slice. */
  time: Millis
}

export interface Visit {
  id: VisitId
  /** Grows with each lease of the site: reports with an older fence are refused. */
  fence: number
  site: SiteName
  /** Its last known IP address. */
  address?: string
  agenda: AgendaItem[]
  /** The keys of all known URLs of the site; with more than 100,000, only the agenda is fetched. */
  known: BigUint64Array | 'too many'
  memory: SiteMemory
  /** Before the first request. A duration, so that clocks need not agree. */
  wait: Millis
  /** The politeness pause, configured or learnt from the site. */
  pause: Millis
  limits: VisitLimits
  /** Counted from before the check-out was requested. */
  lease: Millis
}
