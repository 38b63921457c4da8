/** What each server saw, and when: the record by which politeness, obedience and "once only" are judged (`judges.ts`). */
import type { Clock, Instant, Millis } from '../../src/base/clock.ts'
import { canonicalUrl, splitUrl } from './spelling.ts'

export interface RequestEntry {
  /** Monotonic: when the request had been read. */
  at: Millis
  wall: Instant
  /** Monotonic: when the last byte of the answer was handed over, or the connection was gone; undefined while under way. */
  endedAt?: Millis
  site: string
  /** In the one spelling of this room. */
  url: string
  /** As it was asked for. */
  asked: string
  address: string
  userAgent: string
  /** 0: no answer. */
  status: number
  connection: number
  /** Bytes of the body handed over. */
  bodyBytes: number
  /** The answer came to its end. */
  whole: boolean
}

/** Requests beyond this are counted, not kept. */
const MAX_ENTRIES = 2_000_000

export class RequestLedger {
  readonly entries: RequestEntry[] = []
  /** Requests that found the ledger full. */
  dropped = 0
  readonly #clock: Clock
  readonly #max: number
  readonly #attempts = new Map<string, number>()
  /** Still in `entries`, and returned by `takeEnded`. */
  #taken = new Set<RequestEntry>()

  constructor(clock: Clock, max = MAX_ENTRIES) {
    this.#clock = clock
    this.#max = max
  }

  begin(asked: string, address: string, userAgent: string, connection: number): RequestEntry {
    const url = canonicalUrl(asked)
    const entry: RequestEntry = {
      at: this.#clock.elapsed(),
      wall: this.#clock.now(),
      site: splitUrl(url).host,
      url,
      asked,
      address,
      userAgent,
      status: 0,
      connection,
      bodyBytes: 0,
      whole: false,
    }
    if (this.entries.length < this.#max) {
      this.entries.push(entry)
      this.#attempts.set(url, this.attempts(url) + 1)
    } else this.dropped++
    return entry
  }

  end(entry: RequestEntry, status: number, bodyBytes: number, whole: boolean, at = this.#clock.elapsed()): void {
    entry.endedAt = at
    entry.status = status
    entry.bodyBytes = bodyBytes
    entry.whole = whole
  }

  /** How often a URL was asked for so far. */
  attempts(url: string): number {
    return this.#attempts.get(url) ?? 0
  }

  /**
   * What has ended since the last call, for long runs. Entries are dropped but for those that the judges need to judge what
   * follows: the last of each site and address, and the last robots.txt.
   */
  takeEnded(): RequestEntry[] {
    const last = new Map<string, RequestEntry>()
    for (const entry of this.entries) {
      last.set(`site ${entry.site}`, entry)
      last.set(`address ${entry.address}`, entry)
      if (entry.url.endsWith('/robots.txt')) last.set(`robots ${entry.site}`, entry)
    }
    const needed = new Set(last.values())
    const isEnded = ({ endedAt }: RequestEntry) => endedAt !== undefined
    const taken = this.entries.filter((entry) => isEnded(entry) && !this.#taken.has(entry))
    const left = this.entries.filter((entry) => !isEnded(entry) || needed.has(entry))
    this.#taken = new Set(left.filter(isEnded))
    this.entries.length = 0
    this.entries.push(...left)
    return taken
  }

  /** One JSON object a line. */
  lines(): string {
    return this.entries.map((entry) => JSON.stringify(entry) + '\n').join('')
  }
}

export function readLedgerLines(text: string): RequestEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestEntry)
}
