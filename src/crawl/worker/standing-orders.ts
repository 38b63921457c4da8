/** The decisions of operators that workers must know: the sum of the differences that the coordinator sends. */
import type { Millis } from '../../base/clock.ts'
import { EVERY_RULE, NO_ORDERS, type Orders, type SiteOrder } from '../../contracts/control.ts'
import type { SiteName } from '../../contracts/visit.ts'

export class StandingOrders {
  /** Called after each difference; the visits to its sites end. */
  onNews: (news: Orders) => void = () => {}
  #last = NO_ORDERS
  #blacklist: string[] = []
  readonly #sites = new Map<SiteName, SiteOrder>()

  get isPaused(): boolean {
    return this.#last.isPaused
  }

  /** Lines; the same array until they change. */
  get blacklist(): readonly string[] {
    return this.#blacklist
  }

  /** Everything, for a worker that knows nothing yet. */
  get all(): Orders {
    return { ...this.#last, blacklist: this.#blacklist, sites: [...this.#sites.values()] }
  }

  learn(news: Orders): void {
    this.#last = news
    if (news.blacklist !== undefined) this.#blacklist = news.blacklist
    for (const order of news.sites) {
      const { site, ...decided } = order
      if (Object.keys(decided).length === 0) this.#sites.delete(site)
      else this.#sites.set(site, order)
    }
    this.onNews(news)
  }

  isStopped(site: SiteName): boolean {
    return this.#sites.get(site)?.isStopped === true
  }

  /** Undefined: the configured one. */
  pauseOf(site: SiteName): Millis | undefined {
    return this.#sites.get(site)?.pauseMs
  }

  /** The name of `site-urls>=5000` is `site-urls`, as in `--trust`. */
  trusts(site: SiteName, rule: string): boolean {
    const trust = this.#sites.get(site)?.trust
    return trust !== undefined && (trust.includes(EVERY_RULE) || trust.includes(rule.split(/[<>= ]/, 1)[0]))
  }

  /** The operator confirmed that finding. */
  confirms(site: SiteName, rule: string, pattern: string): boolean {
    const confirmed = this.#sites.get(site)?.confirmed ?? []
    return confirmed.some((one) => one.rule === rule && one.pattern === pattern)
  }
}
