/**
 * How long to wait before the next request to a site: the longest of our pause, the site's Crawl-delay, a multiple of
 * its last answer's time, and Retry-After. Counted from the end of the answer (C5).
 */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import { formatDuration } from '../base/units.ts'
import type { Courtesy } from '../contracts/report.ts'
import type { SiteName } from '../contracts/visit.ts'

/** While a request is under way: when to look again. */
export const LOOK_AGAIN: Millis = 100
/** A pause from this length on is reported. */
const SLOW: Millis = 5_000

export interface PauseRules {
  /** Our pause for this site. `own`: `--pause-for` names it, so neither answer time nor address add to it. */
  configured(site: SiteName, address: string | undefined): { pause: Millis; own: boolean }
  /** The pause is at least this many times the last answer's time, up to the bound. */
  factor: number
  maxByFactor: Millis
  maxCrawlDelay: Millis
  maxRetryAfter: Millis
}

export class SiteCourtesy {
  readonly #site: SiteName
  #own: boolean
  #configured: Millis
  #rules: PauseRules
  #clock: Clock
  #crawlDelay: Millis = 0
  #byAnswer: Millis = 0
  #lastAnswerAt: Instant | undefined
  /** On the monotonic clock. */
  #freeAt: Millis
  /** Retry-After, or a wait of the whole site. */
  #retryUntil: Instant = 0
  #address: string | undefined
  #underWay = false
  #connects = 0
  #connectMs: Millis = 0

  constructor(site: SiteName, wait: Millis, rules: PauseRules, clock: Clock) {
    const { pause, own } = rules.configured(site, undefined)
    this.#site = site
    this.#own = own
    this.#configured = pause
    this.#rules = rules
    this.#clock = clock
    this.#freeAt = clock.elapsed() + wait
  }

  /** The operator's own server: only its configured pause counts. */
  get own(): boolean {
    return this.#own
  }

  get pause(): Millis {
    return Math.max(this.#configured, this.#crawlDelay, this.#byAnswer)
  }

  /** Time until a request may begin; while one is under way, until the next look. */
  get wait(): Millis {
    return Math.max(0, this.#freeAt - this.#clock.elapsed(), this.#underWay ? LOOK_AGAIN : 0)
  }

  /** The first byte of a request is being written. It may be for a robots.txt that another site redirects to. */
  begin(): void {
    this.#underWay = true
  }

  /** The request failed because of a bug. */
  abandon(): void {
    this.#underWay = false
  }

  /** Returns true when the pause grew: the coordinator must know before the next request. */
  learnCrawlDelay(delay: Millis | undefined): boolean {
    const before = this.pause
    this.#crawlDelay = Math.min(delay ?? 0, this.#rules.maxCrawlDelay)
    this.#freeAt = Math.max(this.#freeAt, this.#clock.elapsed() + (this.#lastAnswerAt === undefined ? 0 : this.pause))
    return this.pause > before
  }

  /** The site was found at this address; `--pause-for` may name it. */
  at(address: string): void {
    this.#address = address
    const { pause, own } = this.#rules.configured(this.#site, address)
    this.#configured = pause
    this.#own = own
  }

  /** An answer (or a failure to get one) has ended. `retryAfter` is what the server asked for. */
  answered(at: Instant, tookMs: Millis, retryAfter: Millis | undefined): void {
    this.#underWay = false
    this.#lastAnswerAt = at
    this.#byAnswer = this.#own ? 0 : Math.min(tookMs * this.#rules.factor, this.#rules.maxByFactor)
    const wait = Math.max(this.pause, Math.min(retryAfter ?? 0, this.#rules.maxRetryAfter))
    this.#freeAt = this.#clock.elapsed() + wait
    if (retryAfter !== undefined) this.#retryUntil = at + wait
  }

  /** Notes how long a new connection took. */
  connected(tookMs: Millis): void {
    this.#connects++
    this.#connectMs += (tookMs - this.#connectMs) / this.#connects
  }

  /** The whole site waits this long, whatever the pause. */
  holdFor(wait: Millis): void {
    this.#freeAt = Math.max(this.#freeAt, this.#clock.elapsed() + wait)
    this.#retryUntil = Math.max(this.#retryUntil, this.#clock.now() + wait)
  }

  /** Why the site is slow, for the operator; undefined when it is not. */
  get slow(): string | undefined {
    const now = this.#clock.now()
    if (this.#retryUntil > now + SLOW) return `asked us to wait ${formatDuration(this.#retryUntil - now)}`
    if (this.pause < SLOW) return undefined
    if (this.pause === this.#crawlDelay) return `Crawl-delay of ${formatDuration(this.#crawlDelay)}`
    if (this.pause === this.#byAnswer) return `slow answers: a pause of ${formatDuration(this.#byAnswer)}`
    return undefined
  }

  report(): Courtesy {
    const now = this.#clock.now()
    return {
      pause: this.pause,
      lastAnswerAt: this.#lastAnswerAt,
      notBefore: Math.max(now + Math.ceil(this.wait), this.#retryUntil),
      address: this.#address,
      ...(this.#connects === 0 ? {} : { connectMs: this.#connectMs }),
    }
  }
}
