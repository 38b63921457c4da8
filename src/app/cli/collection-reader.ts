/** What commands ask of an opened collection. `composition/open.ts` satisfies it. */

import type { Instant, Millis } from '../../base/clock.ts'
import type { MirrorAsk, MirrorFindings } from '../../collection/mirrors/mirror-findings.ts'
import type { ReportFigures } from '../../report/tables.ts'
import type { WebFigures } from '../../report/web-tables.ts'
import type { Settings } from '../config/keys.ts'
import type { ClusterStatus } from '../reader/status.ts'
import type { SeedCounts, SeedOutcome } from '../seeds/stored-seeds.ts'

export type SiteState = 'waiting' | 'free' | 'leased' | 'returning' | 'crawled' | 'barred' | 'held'

/** Where a collection stands (C14). */
export interface Standing {
  /** running: a crawl has it open now; complete: nothing waits. */
  state: 'running' | 'complete' | 'unfinished'
  begunAt: Instant | undefined
  lastAt: Instant | undefined
  documents: number
  bytes: number
  /** done: whatever became of them. */
  urls: { known: number; done: number; waiting: number }
  sites: Readonly<Record<SiteState, number>>
  /** Domains with wildcards that have held sites. */
  heldDomains: number
  /** Earlier moments, oldest first, at most one a minute. */
  trend: readonly { at: Instant; known: number; collected: number; waiting: number }[]
  /** When the first waiting site may be asked; undefined when none waits. */
  nextDueMs: Millis | undefined
  /** Parts of reports that are durable and not yet applied. */
  inbox: number
  /** Servers and workers, where there are any. */
  cluster: ClusterStatus | undefined
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
  /** Status line and headers as they came, with the empty line. */
  head: Uint8Array
  /** Without transfer coding; content coding still on it. */
  payload: Uint8Array
  /** Without content coding; the same bytes as `payload` when it cannot be decoded. */
  body: Uint8Array
  /** The charset that a browser would take; '' for what is not text. */
  charset: string
  /** The characters of `body` in UTF-8; the same bytes when they are that already, or no text. */
  text: Uint8Array
  volume: string
  offset: number
}

/** What the frontier knows of a URL. */
export interface UrlView {
  depth: number
  via?: string
  /** How it was found; one that ends in `M` is a sitemap. */
  path?: string
  enqueuedAt: Instant
  dueAt: Instant
  tries: number
  mark: 'waiting' | 'kept' | 'moved' | 'refused' | 'gone' | 'read' | 'held'
  seed: boolean
  /** Waiting: how many URLs of its site come before it, counted to a bound. */
  ahead?: number
}

/** What the catalogue knows of it. */
export interface PageView {
  at: Instant
  firstAt: Instant
  looks: number
  status: number
  mediaType: string
  /** What the bytes are, when that is not what `mediaType` says. */
  sniffed: string | null
  /** As the page declares it. */
  language: string | null
  bytes: number
  outcome: 'kept' | 'moved' | 'read' | 'refused' | 'gone' | 'later'
  /** How it was kept, by whom it was refused, which failure. */
  why: string | null
  /** The rule that refused it, the URL to which it moved. */
  detail: string | null
  digest: string | null
  title: string
  annotations: string
}

export interface UrlFacts {
  url: string
  site: string
  view: UrlView | undefined
  page: PageView | undefined
  captures: number
  /** What robots.txt says of it, as it is remembered; undefined when it has none with rules. */
  robots?: { allowed: boolean; group: string; line: number; rule: string }
  /** Pages that link here; `behind` pages are not in the index yet. */
  inlinks: { count: number; from: readonly string[]; behind: number }
}

export interface RobotsView {
  state: 'rules' | 'none' | 'unreachable' | 'uninterpretable'
  at: Instant
  status: number
  /** While unreachable: since when, and how often it was asked for in vain. */
  since?: Instant
  tries?: number
  /** It was longer than we read. */
  tooBig?: true
}

/** What the frontier knows of a registrable domain. */
export interface DomainView {
  name: string
  sites: number
  endorsed: number
  held: number
  wildcard: boolean
  addresses: readonly string[]
  probedAt?: Instant
  /** Sites that nobody vouches for and that may be visited. */
  allowed: number
}

/** What the frontier knows of a site. */
export interface SiteView {
  state: SiteState
  /** Why it is barred. */
  reason?: string
  seed: boolean
  notBefore: Instant
  politeAt: Instant
  /** Learnt from the site; 0 when the configured pause is the longer one. */
  pause: Millis
  address?: string
  losses: number
  /** Above 0 others come first, whatever the order. */
  deferral: number
  visits: number
  known: number
  waiting: number
  /** It is another name of an original, by the operator's list (`list`) or as learnt (`www`): links into it are entered there. */
  alias?: { original: string; how: string; evidence: string; since: Instant }
  domain?: DomainView
  /** Nobody vouches for it; `speaker` is the one site that speaks for it. */
  unendorsedSite?: { referrer?: string }
  memory: {
    robots: { http?: RobotsView; https?: RobotsView }
    crawlDelay?: Millis
    fetched: number
    duplicates: number
    silent: number
    stopped?: string
    /** Sitemaps taken, feeds among them, and URLs that they brought; what was left out, by why. */
    sitemaps?: { asked: number; urls: number; feeds?: number; left?: { readonly [why: string]: number } }
    /** How often their `lastmod` was checked, and was true. */
    hints?: { checked: number; held: number }
    traps?: {
      suspects: readonly {
        rule: string
        pattern: string
        /** By which its samples are judged; of `alias` and `missing` nothing is asked for, whoever lists it. */
        proof: string
        evidence: string
        stopped: boolean
        refused: number
        confirmed: number
        contradicted: number
      }[]
    }
  }
}

export interface SiteFacts {
  site: string
  view: SiteView | undefined
  documents: number
  /** Hazards met there, the last first. */
  findings: readonly {
    rule: string
    evidence: string
    at: Instant
    /** The URLs that it concerns; null: the site as a whole. */
    pattern: string | null
    examples: readonly string[]
    /** Samples contradicted it; null: it stands. */
    withdrawn_at: Instant | null
  }[]
}

export interface LeftMirror {
  original: string
  /** The day. */
  on: string
  why: string
}

export interface WhyNot {
  by: 'scope' | 'unwanted' | 'links' | 'hazard' | 'embedded' | 'form' | 'nofollow' | 'unrecorded'
  rule: string
  evidence?: string
}

export interface VerifyReport {
  /** Those that were read. */
  volumes: number
  records: number
  captures: number
  /** Volumes that were not read, for they lie elsewhere. */
  elsewhere: number
  faults: { where: string; what: string }[]
  /** No faults, but worth knowing: a crawl that runs, what a crash left. */
  notes?: { where: string; what: string }[]
}

export interface DuplicateSet {
  digest: string
  bytes: number
  count: number
  urls: readonly string[]
}

export interface CollectionReader {
  figures(): Promise<ReportFigures>
  /** The collected web, characterised: reads every page. */
  web(): Promise<WebFigures>
  standing(): Promise<Standing>
  /** How the seeds stand, by source. */
  seedStanding(): Promise<SeedCounts[]>
  /** What became of each seed. */
  seedOutcomes(): AsyncIterable<SeedOutcome>
  /** Contents with more than one URL, the most repeated first. */
  duplicates(atMost: number): Promise<DuplicateSet[]>
  /** Sites that serve the same contents under other names. Reads the whole catalogue: minutes for millions of pages. */
  mirrors(ask: MirrorAsk): Promise<MirrorFindings>
  /** Oldest first. */
  captures(url: string): Promise<CaptureLine[]>
  /** The capture current at that time, or the last one. */
  content(url: string, at: Instant | undefined): Promise<Content | undefined>
  urlFacts(url: string, referrers: number): Promise<UrlFacts>
  siteFacts(site: string): Promise<SiteFacts>
  /** What a shared crawl was last started with, as `orbweaver.yaml` has it; undefined when its folder has that file. */
  recordedSettings(): Promise<string | undefined>
  /** It was on the list of mirrors, and left by itself. */
  leftMirror(site: string, settings: Settings): Promise<LeftMirror | undefined>
  /** For a URL that is not in the queue: the rule that is against it, by the settings of the collection. */
  whyNot(url: string, settings: Settings): Promise<WhyNot | undefined>
  /** `everywhere`: also volumes that lie on other machines. */
  verify(tell: (volume: string) => void, everywhere: boolean): Promise<VerifyReport>
  /** Every capture of a document as a look at its page, those of a page oldest first. */
  looks(): AsyncIterable<{ url: string; at: Instant; digest: string; bytes: number }>
  exportCdxj(): AsyncIterable<string>
  exportPages(): AsyncIterable<object>
  exportLinks(): AsyncIterable<{ from: string; to: string }>
  /** Makes `link(from_url, to_url)` in that SQLite database; returns the number of rows. */
  linksInto(path: string): Promise<number>
  close(): Promise<void>
}
