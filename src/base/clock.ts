/** The only source of time. The simulator passes another clock, and the same code runs without waiting. */
import { uptime } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

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

/** The clocks of a machine. */
export interface MachineClocks {
  /** Stops while the machine sleeps. */
  monotonic(): Millis
  wall(): Instant
  /** Since the machine was started, including the time it slept. Coarse, and slow to read. */
  uptime(): Millis
}

/** A jump of the wall clock against the monotonic one: the machine slept, or its time was set. */
const JUMP: Millis = 1000
/** A page reads the time dozens of times, mostly at once, so the wall clock is compared at most this often. */
const LOOK_EVERY: Millis = 1

/** The monotonic clock plus the time the machine slept: after an hour of sleep, leases have ended and others visit those sites. */
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
const timerMs = (ms: Millis) => Math.min(Math.max(0, ms), LONGEST_TIMER_MS)

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: countingSleep({
    monotonic: () => performance.now(),
    wall: () => Date.now(),
    uptime: () => uptime() * 1000,
  }),
  // Rejected when the signal aborts.
  sleep: (ms, signal) => wait(timerMs(ms), undefined, { signal }).catch(() => {}),
  after(ms, call) {
    const timer = setTimeout(call, timerMs(ms))
    return () => clearTimeout(timer)
  },
}

/** Another machine's time on this one's timers. `ahead`: how far it is ahead now. */
export function shiftedClock(clock: Clock, ahead: () => Millis): Clock {
  return { ...clock, now: () => clock.now() + ahead() }
}

/** One turn of the event loop: lets timers, sockets and messages in between two pieces of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Nothing reads this reason. Without it, each abort creates an exception with its stack: 1 % of a crawl's time. */
const WOKEN = 'woken'

/** Ends a sleep early: `clock.sleep(ms, wakeup.signal())`. */
export class Wakeup {
  #controller = new AbortController()

  /** The next `wake` aborts it. */
  signal(): AbortSignal {
    if (this.#controller.signal.aborted) this.#controller = new AbortController()
    return this.#controller.signal
  }

  wake(): void {
    this.#controller.abort(WOKEN)
  }
}

/** Repeats the work until it is over, the first time after `ms`. `lateMs`: how late the clock was. */
export async function every(
  clock: Clock,
  ms: Millis,
  over: AbortSignal,
  work: (lateMs: Millis) => Promise<void>,
): Promise<void> {
  while (!over.aborted) {
    const from = clock.elapsed()
    await clock.sleep(ms, over)
    if (!over.aborted) await work(Math.max(0, clock.elapsed() - from - ms))
  }
}

/** Whether the work ends within `ms`. If not, it goes on, and what it throws later is ignored. */
export async function finishesWithin(clock: Clock, ms: Millis, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(ms, () => resolve(false))
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}

/** Caches an answer for a while and shares it among concurrent callers. */
export function remembered<T>(clock: Clock, freshMs: Millis, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: Millis; answer: Promise<T> } | undefined
  return () => {
    const now = clock.elapsed()
    if (last !== undefined && now - last.at < freshMs) return last.answer
    last = { at: now, answer: ask() }
    return last.answer
  }
}
