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

export type BucketTasks = ReturnType<typeof bucketTasks>

/** `isOver`: nothing may begin any more. */
export function bucketTasks(clock: Clock, isOver: () => boolean) {
  const kinds: Kind[] = []
  const busy = new Map<number, Promise<void>>()
  let stop = () => {}

  const begin = (): void => {
    stop()
    if (isOver()) return
    const now = clock.elapsed()
    let next = Number.POSITIVE_INFINITY
    for (const kind of kinds) {
      while (kind.running < kind.atOnce) {
        const free = [...kind.due].filter(([bucket]) => !busy.has(bucket))
        const ready = free.filter(([, at]) => at <= now).map(([bucket]) => bucket)
        next = Math.min(next, ...free.map(([, at]) => (at > now ? at : next)))
        if (ready.length === 0) break
        run(kind, ready.slice(0, kind.together))
      }
    }
    if (next < Number.POSITIVE_INFINITY) stop = clock.after(next - now, begin)
  }
  const run = (kind: Kind, buckets: readonly number[]): void => {
    kind.running++
    for (const bucket of buckets) kind.due.delete(bucket)
    const over = () => {
      kind.running--
      for (const bucket of buckets) busy.delete(bucket)
      begin()
    }
    // Only a reader of the journal can make it fail, and that has stopped the process.
    const running = kind.work(buckets).then(over, over)
    for (const bucket of buckets) busy.set(bucket, running)
  }
  return {
    kind(atOnce: number, together: number, work: Kind['work']) {
      const kind: Kind = { atOnce, together, work, due: new Map(), running: 0 }
      kinds.push(kind)
      return {
        get waiting(): number {
          return kind.due.size
        },
        /** In `ms` milliseconds, unless they are due before. */
        add(buckets: Iterable<number>, ms: Millis = 0): void {
          const at = clock.elapsed() + ms
          for (const bucket of buckets) kind.due.set(bucket, Math.min(at, kind.due.get(bucket) ?? at))
          begin()
        },
      }
    },
    /** Until no task runs. */
    async idle(): Promise<void> {
      while (busy.size > 0) await Promise.all(busy.values())
    },
    stop: () => stop(),
  }
}
