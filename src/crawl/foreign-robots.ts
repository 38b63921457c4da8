/**
 * robots.txt that redirects lead to on other sites, for all visits of a worker: each is asked for once an hour, those asked
 * for at the same time are one request, and two to the same site keep its pause, as does a visit that begins there. Many
 * parked names that point to one host's file would otherwise ask it again and again, without holding a lease of it. Other
 * workers are kept away by the address, which is entered for it.
 */
import type { Clock, Millis } from '../base/clock.ts'
import type { Exchange } from '../contracts/exchange.ts'
import type { SiteName } from '../contracts/visit.ts'

export type ForeignRobotsAnswer = Exchange | 'not-requested' | 'no-address'

const LASTS: Millis = 3_600_000
const MAX = 1000

interface Asked {
  answer: Promise<ForeignRobotsAnswer>
  until: Millis
}

export class ForeignRobots {
  readonly #clock: Clock
  readonly #asked = new Map<string, Asked>()
  /** The last request to each site: the next begins when it has ended, and a pause after that. */
  readonly #last = new Map<SiteName, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the last request there has ended and its pause is over. */
  async quiet(site: SiteName): Promise<void> {
    await this.#last.get(site)
  }

  /** `fetch` keeps the pause behind it, too, before it resolves. It is told how long it has to wait first. `isNew`: this call's own request, to be told of and archived. */
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
    remember(this.#asked, url, { answer, until: now + LASTS })
    remember(
      this.#last,
      site,
      answer.then(
        () => {},
        () => {},
      ),
    )
    let got: ForeignRobotsAnswer | undefined
    try {
      got = await answer
      return { answer: got, isNew: true }
    } finally {
      // Not asked, or in vain, or it threw: nobody else should live by that.
      if (got === undefined || typeof got === 'string' || got.answer.kind === 'failed') this.#asked.delete(url)
    }
  }
}

/** The oldest goes when there are too many. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    break
  }
}
