/**
 * robots.txt files on other sites that redirects lead to, for all visits of a worker. Each is fetched once an hour,
 * concurrent requests for it are one, and requests to the same site keep its pause, as does a visit that begins there.
 * Otherwise many parked names that point to one host's file would fetch it again and again. Entering the address keeps
 * other workers away.
 */
import type { Clock, Millis } from '../base/clock.ts'
import { keepNewest } from '../base/keep-newest.ts'
import type { Exchange } from '../contracts/exchange.ts'
import type { SiteName } from '../contracts/visit.ts'

export type ForeignRobotsAnswer = Exchange | 'not-requested' | 'no-address' | 'stopped'

const LASTS: Millis = 3_600_000
const MAX = 1000

interface Asked {
  answer: Promise<ForeignRobotsAnswer>
  until: Millis
}

export class ForeignRobots {
  readonly #clock: Clock
  readonly #asked = new Map<string, Asked>()
  /** The last request to each site. The next begins one pause after it has ended. */
  readonly #last = new Map<SiteName, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the last request there has ended and its pause is over. */
  async quiet(site: SiteName): Promise<void> {
    await this.#last.get(site)
  }

  /**
   * `fetch` gets the wait before its request, and also keeps the pause after it before it resolves. `isNew`: this call
   * made the request, so its caller reports and archives it.
   */
  async fetch(
    url: string,
    site: SiteName,
    pause: Millis,
    fetch: (wait: Millis) => Promise<ForeignRobotsAnswer>,
  ): Promise<{ answer: ForeignRobotsAnswer; isNew: boolean }> {
    const now = this.#clock.elapsed()
    const known = this.#asked.get(url)
    if (known !== undefined && now < known.until) return { answer: await known.answer, isNew: false }
    const before = this.#last.get(site)
    const answer = before === undefined ? fetch(pause) : before.then(() => fetch(pause))
    keepNewest(this.#asked, url, { answer, until: now + LASTS }, MAX)
    const ended = answer.then(
      () => {},
      () => {},
    )
    keepNewest(this.#last, site, ended, MAX)
    let got: ForeignRobotsAnswer | undefined
    try {
      got = await answer
      return { answer: got, isNew: true }
    } finally {
      // Not requested, failed, or thrown: others must not reuse it.
      if (got === undefined || typeof got === 'string' || got.answer.kind === 'failed') this.#asked.delete(url)
    }
  }
}
