/**
 * The time by which pauses and leases are kept: the wall's when the frontier was opened, and from then on only forwards,
 * as fast as the monotonic clock. A laptop that slept for a night, or a clock that is set, neither ends all leases at
 * once nor stretches a pause. What workers tell is in the wall's time; it is moved by the difference.
 */
import type { Clock, Instant } from '../base/clock.ts'

export interface FrontierTime {
  now(): Instant
  /** An instant of the wall's clock in the coordinator's time. */
  of(instant: Instant): Instant
}

export function frontierTime(clock: Clock): FrontierTime {
  const begin = clock.now()
  const beginElapsed = clock.elapsed()
  const now = () => begin + Math.floor(clock.elapsed() - beginElapsed)
  return { now, of: (instant) => Math.ceil(instant + (now() - clock.now())) }
}

/**
 * The time of a clock that several servers share and that itself only goes forwards: the database's. One's own monotonic
 * clock would drift away from theirs by some seconds a day, which is more than a pause.
 */
export function sharedTime(clock: Clock): FrontierTime {
  return { now: () => Math.floor(clock.now()), of: (instant) => Math.ceil(instant) }
}
