/** What an operator may do while a crawl runs: from the dashboard, over the API and from the command line alike. */
import type { Instant, Millis } from '../base/clock.ts'
import type { SiteName } from './visit.ts'

/** Repeating an action changes nothing. */
export type Action =
  /** No site is handed out, visits under way end early, until `resume`. It survives restarts. */
  | { action: 'pause'; reason?: string }
  | { action: 'resume' }
  /** Ends as the first Ctrl-C does; on many servers, all of them end. */
  | { action: 'stop' }
  /** Pausing and barring end a visit under way; `resume-site` undoes either. A barred site counts as finished, with its reason. */
  | { action: 'pause-site' | 'bar-site'; site: SiteName; reason?: string }
  | { action: 'resume-site'; site: SiteName }
  /** Forgets robots.txt and failures, and that the site was given up: it is asked again as soon as its pause allows. */
  | { action: 'ask-again'; site: SiteName }
  /** A pause longer or shorter than the configured one, never below the least allowed; null: the configured one again. */
  | { action: 'set-pause'; site: SiteName; pauseMs: Millis | null }
  /** Hazard rules that do not count at the site, as `--trust` has it; no rule: all of them. */
  | { action: 'trust' | 'distrust'; site: SiteName; rule?: string }
  /** The operator looked at a finding, and it is right: no sample is fetched any more, so none withdraws it. `trust` undoes it. No pattern: it concerns the whole site. */
  | { action: 'confirm-hazard'; site: SiteName; rule: string; pattern?: string }
  /**
   * Whether links to the site are followed at the original: yes, never, or as the list of mirrors and home pages say. What is decided
   * counts more than those.
   */
  | { action: 'confirm-mirror' | 'overrule-mirror' | 'undecide-mirror'; site: SiteName; original: SiteName }
  | { action: 'add-seeds'; urls: readonly string[] }
  /**
   * An announcement that these known pages changed: a hint, like a newer date in a sitemap. `at`: when; default: now.
   */
  | { action: 'announce'; urls: readonly string[]; at?: Instant }
  /**
   * Lines as in the blacklist files (`--blacklist-urls`, `--blacklist-domains`, `--blacklist-addresses`): what they
   * match is no longer requested.
   */
  | { action: 'blacklist' | 'unblacklist'; pattern: string }
  /**
   * The leases of a silent worker are lost now instead of expiring. Only after its process has ended: otherwise two
   * workers may be at one site.
   */
  | { action: 'free-worker'; worker: string }

/** What operators decided about the crawl, or a site, and what is in force. */
export interface Choice {
  paused?: Decided
  barred?: Decided
  /** Until a process starts again. */
  stopped?: Decided
  /** Of the last `stop`: it ends every process that began before. */
  stopVersion?: number
  pauseMs?: Millis
  /** Hazard rules; EVERY_RULE: all. */
  trust?: string[]
  /** Findings of hazards that stay, whatever samples would say. */
  confirmed?: ConfirmedFinding[]
  blacklist?: string[]
  /** The version at which the blacklist last changed. */
  blacklistVersion?: number
  /** It is a copy of that site, regardless of the list of mirrors and of home pages. */
  copyOf?: SiteName
  /** It is no copy of those sites, nor they of it. */
  notCopyOf?: SiteName[]
  /** The version at which seeds were last added: scopes depend on them. */
  seeded?: number
}

/** Pairs of sites about which operators decided. */
export interface DecidedMirrors {
  confirmed: { replica: SiteName; original: SiteName }[]
  overruled: { replica: SiteName; original: SiteName }[]
}

export interface Decided {
  at: Instant
  who: string
  reason?: string
}

export interface ConfirmedFinding extends FindingName, Decided {}

/** Without the limit of a rule: `site-urls`. */
export interface FindingName {
  rule: string
  /** Undefined: the whole site. */
  pattern?: string
}

export interface Performed {
  /** False: it was so already. */
  isChanged: boolean
  /** What is in force now, for people. */
  now: string
}

export interface Control {
  /** `who`: for the audit log. Throws a `Problem` that says what to do when the action is not possible. */
  perform(who: string, action: Action): Promise<Performed>
  /** In force now, as of the last second. */
  readonly crawl: Choice
  choiceOf(site: SiteName): Choice | undefined
}

/**
 * What workers must know at once: from the coordinator to each worker thread, as a difference. Visits to the sites in it end; what was
 * decided counts from the next one. Whether a site is handed out is the frontier's.
 */
export interface Orders {
  /** Up to which decision. */
  version: number
  isPaused: boolean
  /** The whole list; undefined: unchanged. */
  blacklist?: string[]
  sites: SiteOrder[]
}

export interface SiteOrder {
  site: SiteName
  /** Paused or barred: not even robots.txt is requested there for another site's redirect. */
  isStopped?: boolean
  pauseMs?: Millis
  trust?: string[]
  confirmed?: FindingName[]
}

export const EVERY_RULE = '*'
/** A finding that comes from no rule, so that nobody can confirm or overrule it: a page held up the thread that read it. */
export const READING_HUNG = 'reading-hung'
export const NO_ORDERS: Orders = { version: 0, isPaused: false, sites: [] }
/** Sites in one answer; with more, the rest comes with the next. */
export const MAX_ORDERS = 1000
