/** Work on buckets, of several kinds: tasks run side by side, each bucket when it is due, and never two tasks on one bucket. */
import type { Clock, Millis } from '../../base/clock.ts'

interface Kind {
  /** Tasks at once, and buckets in each. */
  readonly atOnce: number
  readonly together: number
  readonly work: (buckets: readonly number[]) => Promise<void>
  /** The time of each bucket that waits, in the order in which they came. */
  readonly due: Map<number, Millis>
  running: number
}

export class BucketTasks {
  readonly #clock: Clock
  readonly #isOver: () => boolean
  readonly #kinds: Kind[] = []
  readonly #busy = new Map<number, Promise<void>>()
  #stopWaiting: (() => void) | undefined

  /** `isOver`: nothing may begin any more. */
  constructor(clock: Clock, isOver: () => boolean) {
    this.#clock = clock
    this.#isOver = isOver
  }

  kind(atOnce: number, together: number, work: Kind['work']) {
    const kind: Kind = { atOnce, together, work, due: new Map(), running: 0 }
    this.#kinds.push(kind)
    return {
      get waiting(): number {
        return kind.due.size
      },
      /** In `ms` milliseconds, unless they are due before. */
      add: (buckets: Iterable<number>, ms: Millis = 0): void => {
        const at = this.#clock.elapsed() + ms
        for (const bucket of buckets) kind.due.set(bucket, Math.min(at, kind.due.get(bucket) ?? at))
        this.#begin()
      },
    }
  }

  /** Until no task runs. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values())
  }

  stop(): void {
    this.#stopWaiting?.()
  }

  #begin(): void {
    this.stop()
    if (this.#isOver()) return
    const now = this.#clock.elapsed()
    let next = Number.POSITIVE_INFINITY
    for (const kind of this.#kinds) {
      while (kind.running < kind.atOnce) {
        const free = [...kind.due].filter(([bucket]) => !this.#busy.has(bucket))
        const ready = free.filter(([, at]) => at <= now).map(([bucket]) => bucket)
        next = Math.min(next, ...free.map(([, at]) => (at > now ? at : next)))
        if (ready.length === 0) break
        this.#run(kind, ready.slice(0, kind.together))
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#stopWaiting = this.#clock.after(next - now, () => this.#begin())
  }

  #run(kind: Kind, buckets: readonly number[]): void {
    kind.running++
    for (const bucket of buckets) kind.due.delete(bucket)
    const over = () => {
      kind.running--
      for (const bucket of buckets) this.#busy.delete(bucket)
      this.#begin()
    }
    // Only a reader of the journal can make it fail, and that has stopped the process.
    const running = kind.work(buckets).then(over, over)
    for (const bucket of buckets) this.#busy.set(bucket, running)
  }
}
