/** What the pages show of a running process without asking the database: its pace since it began, and its latest events. Bounded, however long it runs. */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { Event } from '../contracts/events.ts'
import { isTold } from './event-text.ts'
import type { PastEvent, Sample } from './page.ts'

const MAX_SAMPLES = 300
const FIRST_STEP: Millis = 2000
/** The trend and the time left need samples of the last minutes, which the growing steps of a long crawl pass over. */
const RECENT: Millis = 30 * 60_000
const RECENT_STEP: Millis = 10_000
const MAX_EVENTS = 60
/** Visits end many times a second; they must not push out what matters. */
const MAX_VISITS = 20
const MAX_TEXT = 500

/** These events are frequent. */
const OF_VISITS: readonly Event['kind'][] = ['visit-ended', 'lease-lost']

export class LiveRecord {
  readonly #clock: Clock
  readonly begunAt: Instant
  #samples: Sample[] = []
  #recent: Sample[] = []
  #step = FIRST_STEP
  readonly #visits: PastEvent[] = []
  readonly #others: PastEvent[] = []

  constructor(clock: Clock) {
    this.#clock = clock
    this.begunAt = clock.now()
  }

  record(event: Event): void {
    if (!isTold(event)) return
    const isOfVisit = OF_VISITS.includes(event.kind)
    const list = isOfVisit ? this.#visits : this.#others
    list.push({ at: this.#clock.now(), event: cut(event) })
    if (list.length > (isOfVisit ? MAX_VISITS : MAX_EVENTS)) list.shift()
  }

  /** Call every second. When there are too many samples, every second one goes, and the next ones are taken half as often. */
  sample(sample: Sample): void {
    const { at } = sample
    if (at - (this.#recent.at(-1)?.at ?? -RECENT_STEP) >= RECENT_STEP)
      this.#recent = [...this.#recent.filter((one) => at - one.at <= RECENT), sample]
    const last = this.#samples.at(-1)
    if (last !== undefined && at - last.at < this.#step) return
    this.#samples.push(sample)
    if (this.#samples.length <= MAX_SAMPLES) return
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0)
    this.#step *= 2
  }

  get pace(): readonly Sample[] {
    return this.#samples
  }

  get recent(): readonly Sample[] {
    return this.#recent
  }

  /** Newest first. */
  get events(): PastEvent[] {
    return [...this.#others, ...this.#visits].sort((a, b) => b.at - a.at)
  }
}

/** Texts in events may come from the web. */
function cut(event: Event): Event {
  const short = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_TEXT) : value,
  ])
  return Object.fromEntries(short) as Event
}
