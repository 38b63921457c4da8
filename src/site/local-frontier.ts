/** The URLs of the site being visited: breadth first, each at most once, told from what the frontier has already. */
import { HashSet64 } from '../base/hash-set.ts'
import type { AgendaItem, Visit } from '../visit/visit.ts'

export class LocalFrontier {
  readonly #queue: AgendaItem[]
  readonly #seen: HashSet64
  /** URLs that may wait here: one more than a slice asks for tells that it was one. The frontier is told of all others. */
  readonly #most: number
  #next = 0

  constructor(visit: Visit) {
    this.#queue = [...visit.agenda]
    this.#most = visit.known === 'too many' ? 0 : visit.limits.pages + 1
    this.#seen = visit.known === 'too many' ? new HashSet64() : new HashSet64(visit.known)
    for (const item of visit.agenda) this.#seen.add(item.key)
  }

  /** True when the URL is new to the site: it is then queued, if there is room and not only the agenda may be fetched. */
  offer(item: AgendaItem): boolean {
    if (!this.#seen.add(item.key)) return false
    if (this.#queue.length - this.#next < this.#most) this.#queue.push(item)
    return true
  }

  /** The site has it already: queued, asked for, or known to the frontier. */
  knows(key: bigint): boolean {
    return this.#seen.has(key)
  }

  peek(): AgendaItem | undefined {
    return this.#queue[this.#next]
  }

  take(): AgendaItem | undefined {
    const item = this.#queue[this.#next++]
    // The queue of a long visit is not kept from its beginning.
    if (this.#next > 1000 && this.#next * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#next)
      this.#next = 0
    }
    return item
  }
}
