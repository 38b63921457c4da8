/** What a synthetic web is made of. Plain JSON, so that a web can be named on a command line and served by another process. */
import type { Instant, Millis } from '../../src/base/clock.ts'
import type { Language } from './language.ts'
import type { RobotsKind } from './robots-plan.ts'
import { LOOKALIKE_SHAPES, type LookalikeName, type TrapShapeName } from './shapes/all.ts'

/** How a whole site fails. */
export type FailingKind =
  | 'no-such-name' // the resolver says that there is no such name
  | 'dns' // the resolver does not answer
  | 'refused' // connections are refused
  | 'connect-timeout'
  | 'silent' // takes connections and requests, never answers
  | 'reset' // closes the connection on the first request
  | 'garbage' // answers with bytes that are not HTTP
  | 'cut' // robots.txt is fine; every page breaks off in mid-body

/** What a page does on its first requests; afterwards it answers as it should. */
export type FlakyKind = '503-seconds' | '503-date' | '429' | '500' | 'reset'

export type MirrorKind =
  | 'full' // the same documents under another domain
  | 'partial' // the same home page, and of the rest three in four
  | 'www' // both names answer, with the same pages
  | 'www-redirect' // one name moves its readers to the other

export type SitemapKind =
  | 'xml'
  | 'index' // an index and two files
  | 'gzip'
  | 'text'
  | 'rss'
  | 'unnamed' // /sitemap.xml, which robots.txt does not mention
  | 'loop' // an index that lists itself besides the file
  | 'foreign' // lists pages of other hosts too, which nobody permitted
  | 'entities' // a doctype full of entities before the first URL
  | 'broken' // XML that ends in the middle of an entry
  | 'endless' // an index of an index of an index …, and the file besides

export interface WildcardDomain {
  /** `blogs.test`, or a top-level domain: `wild`. */
  domain: string
  /**
   * hosting: `sites` good ones at names of their own, and for all others "there is no such blog", with status 200.
   * registry: a top-level domain; `sites` registered names with addresses of their own, all others at one that advertises.
   */
  kind: 'hosting' | 'registry'
  sites: number
  /** Of each good site. */
  pages: number
}

/** A page written by a test: a killer of readers, the corners of a policy. It replaces the generated page of that URL, if any. */
export interface PlantedPage {
  /** Absolute. A host that the web does not have becomes a site of its own, without robots.txt. */
  url: string
  /** The body: text in UTF-8, or bytes in Base64. */
  html?: string
  base64?: string
  /** Default `text/html; charset=utf-8`. */
  contentType?: string
  status?: number
  headers?: readonly (readonly [string, string])[]
  /** What a right reader finds in it, absolute and in final spelling: the walker follows these. */
  links?: readonly string[]
  /** The site's generated home page links to it. */
  fromHome?: boolean
}

export interface WebPlan {
  seed: number
  sites: number
  /** In all, spread over the sites by Zipf; 0: `pagesPerSite` each. */
  pages: number
  pagesPerSite: number
  /** Zipf's exponent of the sizes of sites. */
  theta: number
  /** The top-level domain of all hosts. */
  domain: string
  /** The web's beginning. */
  epoch: Instant

  // Pages. All shares are of pages.
  linksPerPage: number
  /** Share of links that stay in their site. */
  internalShare: number
  /** Median size of an HTML page before content coding. */
  pageBytes: number
  redirectShare: number
  missingShare: number
  duplicateShare: number
  flakyShare: number
  flakyKinds: readonly FlakyKind[]
  noindexShare: number
  nofollowShare: number
  /** Plain text, PDF, XHTML. */
  otherTypesShare: number
  /** Served as image or JSON under a name that does not tell. */
  unwantedShare: number
  /** Names with a query (`show.php?id=…`). */
  queryShare: number
  /** Names with letters outside ASCII, spaces, percent escapes. */
  oddNameShare: number
  /** Links spelled in an uncommon way, and HTML that is not well formed. */
  oddHtmlShare: number
  /** Links to what no crawler of pages asks for: images, styles, scripts, archives, mail, comments, posts. */
  decoys: boolean
  /** Links to names that do not exist, as a share of the external ones. */
  deadLinkShare: number
  /** Changes a day of the page that changes most; 0: nothing ever changes. */
  changesPerDay: number
  /** Changes a day of the page that changes least: rates are spread evenly by their logarithm. 0: evenly over [λ/100, λ]. */
  leastChangesPerDay: number

  // Sites. All shares are of sites.
  languages: readonly Language[]
  /** Charsets other than UTF-8, declared by header, by meta, or not at all. */
  charsets: boolean
  /** Content codings (gzip, deflate, br, zstd), as far as a request accepts them. */
  codings: boolean
  /** Chunks, Content-Length, end of connection; keep-alive or not. */
  framings: boolean
  /** Drawn in turn, so that each kind occurs when there are as many sites. */
  robots: readonly RobotsKind[]
  crawlDelaySeconds: number
  /** http moved to https as a whole. */
  secureShare: number
  /** Home page moved (302) to another page of the site. */
  movedHomeShare: number
  failingShare: number
  failingKinds: readonly FailingKind[]
  /** Groups of sites at one address, and how many are in each. */
  sharedAddressShare: number
  sitesPerAddress: number
  hazardShare: number
  hazardShapes: readonly TrapShapeName[]
  /** Pages that a hazard makes up before it ends; Infinity is not JSON, so 0 means without end. */
  hazardBound: number
  /** Honest sites that look like hazards. */
  lookalikeShare: number
  lookalikeShapes: readonly LookalikeName[]
  /** Domains under which every name resolves. Link farms bring their own. */
  wildcards: readonly WildcardDomain[]
  /** Sites of which another host has a copy; kinds in turn. */
  mirrorShare: number
  mirrorKinds: readonly MirrorKind[]
  /** Groups of three hosts each that look like copies of each other and are none. */
  falseMirrors: number
  /** This share of the copies has names that stop resolving so long after the web's beginning. */
  mirrorsGoneShare: number
  mirrorsGoneAfterMs: Millis
  /** Sites whose links name their directories with and without `index.html`. */
  indexFileShare: number
  /** Sites with sitemaps, named by their robots.txt; kinds in turn. */
  sitemapShare: number
  sitemapKinds: readonly SitemapKind[]
  /** Pages of such a site that nothing but its sitemap names. */
  hiddenPages: number
  /** Median time from request to first byte; 0: none. */
  latencyMs: Millis
  planted: readonly PlantedPage[]
}

export type WebOptions = Partial<WebPlan> & { seed: number; sites: number }

export const DEFAULT_PLAN: Omit<WebPlan, 'seed' | 'sites'> = {
  pages: 0,
  pagesPerSite: 50,
  theta: 1,
  domain: 'test',
  epoch: Date.UTC(2026, 0, 1),
  linksPerPage: 40,
  internalShare: 0.8,
  pageBytes: 15_000,
  redirectShare: 0.04,
  missingShare: 0.03,
  duplicateShare: 0.05,
  flakyShare: 0.01,
  flakyKinds: ['503-seconds', '503-date', '429'],
  noindexShare: 0.03,
  nofollowShare: 0.02,
  otherTypesShare: 0.04,
  unwantedShare: 0.015,
  queryShare: 0.15,
  oddNameShare: 0.08,
  oddHtmlShare: 0.25,
  decoys: true,
  deadLinkShare: 0,
  changesPerDay: 1,
  leastChangesPerDay: 0,
  languages: ['en', 'pt', 'de', 'el', 'ru', 'fr'],
  charsets: true,
  codings: true,
  framings: true,
  robots: [
    'missing',
    'some',
    'allow-all',
    'token',
    'empty',
    'patterns',
    'token-free',
    'crlf',
    'missing',
    'delay',
    'some',
    'html',
    'cr',
    'bom',
    'forbidden',
    'moved',
    'large',
    'missing',
    'some',
    'everything',
  ],
  crawlDelaySeconds: 3,
  secureShare: 0,
  movedHomeShare: 0.03,
  failingShare: 0,
  failingKinds: ['no-such-name', 'dns', 'refused', 'connect-timeout', 'silent', 'reset', 'garbage'],
  sharedAddressShare: 0.2,
  sitesPerAddress: 8,
  hazardShare: 0,
  hazardShapes: [
    'calendar',
    'session-ids',
    'growing-path',
    'permutations',
    'soft-404',
    'drip-feed',
    'tarpit',
    'gzip-bomb',
    'huge-head',
    'endless-body',
  ],
  hazardBound: 30,
  lookalikeShare: 0,
  lookalikeShapes: LOOKALIKE_SHAPES,
  wildcards: [],
  mirrorShare: 0,
  mirrorKinds: ['full', 'www', 'partial', 'www-redirect'],
  falseMirrors: 0,
  mirrorsGoneShare: 0,
  mirrorsGoneAfterMs: 0,
  indexFileShare: 0,
  sitemapShare: 0,
  sitemapKinds: ['xml', 'index', 'gzip', 'text', 'rss', 'loop', 'foreign', 'entities', 'broken'],
  hiddenPages: 8,
  latencyMs: 60,
  planted: [],
}

/** Also those kinds of robots.txt that keep a site from ever being crawled: a crawler comes back for them for a long time. */
export const EVERY_ROBOTS: readonly RobotsKind[] = [...DEFAULT_PLAN.robots, 'unavailable', 'busy', 'timeout']

/** A web without tricks: only ordinary pages that link to each other, no robots.txt, no failures. For tests of something else. */
export const PLAIN: Partial<WebPlan> = {
  redirectShare: 0,
  missingShare: 0,
  duplicateShare: 0,
  flakyShare: 0,
  noindexShare: 0,
  nofollowShare: 0,
  otherTypesShare: 0,
  unwantedShare: 0,
  queryShare: 0,
  oddNameShare: 0,
  oddHtmlShare: 0,
  decoys: false,
  changesPerDay: 0,
  charsets: false,
  codings: false,
  framings: false,
  robots: ['missing'],
  movedHomeShare: 0,
  sharedAddressShare: 0,
}
