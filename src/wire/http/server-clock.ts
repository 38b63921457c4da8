/**
 * The servers' time on this machine: a worker's own clock may be hours off, and what it records should not be. Every answer
 * brings the server's time; the one that came back fastest says it best. Only this machine's monotonic clock is trusted.
 */
import type { Clock, Instant, Millis } from '../../base/clock.ts'

export interface ServerClock extends Clock {
  /** An answer: when it was asked for, when it was here, and what time it was there. */
  learn(sentAt: Millis, answeredAt: Millis, serverTime: Instant): void
  /** To be added to this machine's `now()`: for clocks of other threads. 0 until the first answer. */
  offset(): Millis
}

/** What two monotonic clocks differ in after a while: so an old sample is worth less each second. */
const DRIFT = 1e-4

/** Servers tell whole milliseconds. */
const ROUNDING: Millis = 1

interface Sample {
  /** The server's time when this machine's `elapsed` was 0. */
  zero: Instant
  /** How wrong that may be: half of the way there and back. */
  doubt: Millis
  at: Millis
}

const worthOf = ({ doubt, at }: Sample, now: Millis): Millis => doubt + (now - at) * DRIFT

/** Else one of the clocks was set meanwhile, or this machine slept and its monotonic clock with it: the old sample is of no use. */
const agree = (old: Sample, sample: Sample): boolean =>
  Math.abs(old.zero - sample.zero) <= worthOf(old, sample.at) + sample.doubt + ROUNDING

export function serverClock(clock: Clock): ServerClock {
  let best: Sample | undefined
  const now = () => (best === undefined ? clock.now() : Math.round(best.zero + clock.elapsed()))
  return {
    ...clock,
    now,
    learn(sentAt, answeredAt, serverTime) {
      const doubt = Math.max(0, answeredAt - sentAt) / 2
      const sample: Sample = { zero: serverTime - (sentAt + doubt), doubt, at: answeredAt }
      if (best !== undefined && agree(best, sample) && doubt > worthOf(best, answeredAt)) return
      best = sample
    },
    offset: () => now() - clock.now(),
  }
}
