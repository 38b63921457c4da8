/** Time comes in through this door only: the simulator hands in another clock and the same code runs without waiting. */
import { uptime } from 'node:os'

/** Milliseconds since 1970, for records. */
export type Instant = number
/** A duration in milliseconds. */
export type Millis = number

export interface Clock {
  /** For records. May jump when the machine's time is set. */
  now(): Instant
  /** Monotonic, for pauses, deadlines and leases. */
  elapsed(): Millis
  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects (ask `signal.aborted`). */
  sleep(ms: Millis, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms`; returns the function that cancels it. Cheaper than `sleep` for deadlines that seldom fire. */
  after(ms: Millis, call: () => void): () => void
}

/** What a machine can tell of the time. */
export interface MachineClocks {
  /** Stands still while the machine sleeps. */
  monotonic(): Millis
  wall(): Instant
  /** Since the machine was started, with the time in which it slept; coarse, and dear to ask. */
  uptime(): Millis
}

/** A jump of the wall clock against the monotonic one: the machine slept, or its time was set. */
const JUMP: Millis = 1000
/** Of the time in which the machine was awake: a page asks for the time dozens of times, most of them at once. */
const LOOK_EVERY: Millis = 1

/**
 * The monotonic clock, and the time in which the machine slept: whoever wakes after an hour must see that leases have ended
 * and that others visit those sites now.
 */
export function countingSleep({ monotonic, wall, uptime }: MachineClocks): () => Millis {
  const startedAt = uptime() - monotonic()
  let slept = 0
  let ahead = wall() - monotonic()
  let lookedAt = monotonic()
  return () => {
    const at = monotonic()
    if (at - lookedAt < LOOK_EVERY) return at + slept
    lookedAt = at
    const now = wall() - at
    if (Math.abs(now - ahead) > JUMP) {
      const lacking = uptime() - startedAt - at
      if (lacking > slept + JUMP / 2) slept = lacking
    }
    ahead = now
    return at + slept
  }
}

/** setTimeout overflows above 2^31-1 ms and then fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: countingSleep({
    monotonic: () => performance.now(),
    wall: () => Date.now(),
    uptime: () => uptime() * 1000,
  }),
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(Math.max(0, ms), LONGEST_TIMER_MS))
      signal?.addEventListener('abort', end)
    })
  },
  after(ms, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, ms), LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Another machine's time on this one's timers: `ahead` says by how much it is ahead just now. */
export function shiftedClock(clock: Clock, ahead: () => Millis): Clock {
  return { ...clock, now: () => clock.now() + ahead() }
}

/** One turn of the event loop: lets timers, sockets and messages in between two pieces of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Something to wait for that may ring before the time is over: `clock.sleep(ms, bell.next())`. */
export class Wakeup {
  #controller = new AbortController()

  /** A signal that the next ring aborts. */
  signal(): AbortSignal {
    if (this.#controller.signal.aborted) this.#controller = new AbortController()
    return this.#controller.signal
  }

  wake(): void {
    this.#controller.abort()
  }
}

/** Whether the work was done within so long. If not, it goes on, and what it throws then is nobody's any more. */
export async function finishesWithin(clock: Clock, ms: Millis, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(ms, () => resolve(false))
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}
