/**
 * A clock that jumps: when nothing can run any more, it moves straight to the next timer. Code on it must wait only by `sleep`
 * and `after` (and promises that depend on them), or declare that it waits for the outside world (`during`).
 */
import { assert } from '../src/base/assert.ts'
import { type Clock, type Instant, type Millis, turn } from '../src/base/clock.ts'

interface Sleeper {
  at: Millis
  order: number
  call: (() => void) | undefined
}

export interface VirtualClock extends Clock {
  /** Runs until `work` has settled, jumping over every wait; rejects when everything waits for nothing. */
  run<T>(work: Promise<T>): Promise<T>
  /** Time stands still while something outside it is under way, such as an answer of a real database. */
  during<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Turns in which nothing becomes due: about five seconds of them when they are empty, which is longer than anything outside
 * takes that is not declared by `during`. Not a time: long turns are work, such as indexing the links of a million looks.
 */
const GIVE_UP_AFTER = 5e6

/**
 * `tick`: sleepers are woken at multiples of it, as on a machine whose event loop takes so long for a turn. Those of a tick go
 * through their work side by side, so that code and tables of a step stay in the processor's caches.
 */
export function virtualClock(start: Instant, tick: Millis = 0, giveUpAfter: number = GIVE_UP_AFTER): VirtualClock {
  const heap: Sleeper[] = []
  let elapsed = 0
  let order = 0
  const outside = new Set<Promise<unknown>>()

  const after = (ms: Millis, call: () => void) => {
    const sleeper: Sleeper = { at: instantAfter(elapsed, ms), order: order++, call }
    push(heap, sleeper)
    return () => {
      sleeper.call = undefined
    }
  }

  return {
    now: () => start + Math.floor(elapsed),
    elapsed: () => elapsed,
    after,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const ends = signal === undefined ? undefined : endsAt(signal)
        const end = () => {
          cancel()
          ends?.delete(end)
          resolve()
        }
        const cancel = after(ms, end)
        ends?.add(end)
      })
    },
    async during(work) {
      const under = work()
      outside.add(under)
      try {
        return await under
      } finally {
        outside.delete(under)
      }
    },
    async run(work) {
      let settled = false
      const done = work.finally(() => {
        settled = true
      })
      done.catch(() => {})
      let idleTurns = 0
      while (!settled) {
        // One turn drains every promise that is ready; only then may time move.
        await turn()
        if (settled) break
        if (outside.size > 0) {
          await Promise.race(outside).catch(() => {})
          continue
        }
        const next = popCalled(heap)
        if (next?.call === undefined) {
          // Real work (a file being synced, bytes being inflated) may be under way: on a loaded machine that takes its time.
          idleTurns++
          assert(idleTurns < giveUpAfter, 'virtual time: everything waits and nothing is due')
          continue
        }
        idleTurns = 0
        elapsed = Math.max(elapsed, tick > 0 ? Math.ceil(next.at / tick) * tick : next.at)
        next.call()
        // All that is due at the same instant belongs to the same turn.
        while (heap.length > 0 && heap[0].at <= elapsed) pop(heap)?.call?.()
      }
      return done
    },
  }
}

/** The sleeps that a signal ends. One listener for all of them: adding and removing one costs as much as the rest of a sleep. */
const sleeping = new WeakMap<AbortSignal, Set<() => void>>()

function endsAt(signal: AbortSignal): Set<() => void> {
  let ends = sleeping.get(signal)
  if (ends === undefined) {
    const made = new Set<() => void>()
    signal.addEventListener('abort', () => {
      for (const end of [...made]) end()
    })
    sleeping.set(signal, (ends = made))
  }
  return ends
}

/**
 * Instants lie on a grid, so that differences between them are exact; and whoever waits at all sees time move. Else a
 * wait of 1e-12 ms, left over from rounding, would be waited for again and again in the same instant.
 */
const STEPS_A_MS = 1024

function instantAfter(elapsed: Millis, ms: Millis): Millis {
  if (!(ms > 0)) return elapsed
  return Math.max(elapsed + 1 / STEPS_A_MS, Math.ceil((elapsed + ms) * STEPS_A_MS) / STEPS_A_MS)
}

function before(a: Sleeper, b: Sleeper): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Sleeper[], item: Sleeper): void {
  let i = heap.push(item) - 1
  while (i > 0) {
    const parent = (i - 1) >> 1
    if (!before(item, heap[parent])) break
    heap[i] = heap[parent]
    i = parent
  }
  heap[i] = item
}

/** The next that has not been cancelled: a turn for each of the others would cost more than they do. */
function popCalled(heap: Sleeper[]): Sleeper | undefined {
  for (;;) {
    const next = pop(heap)
    if (next === undefined || next.call !== undefined) return next
  }
}

function pop(heap: Sleeper[]): Sleeper | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  let i = 0
  for (;;) {
    let child = 2 * i + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++
    if (!before(heap[child], last)) break
    heap[i] = heap[child]
    i = child
  }
  heap[i] = last
  return first
}
