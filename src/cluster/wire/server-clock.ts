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

interface Sample {
  /** The server's time when this machine's `elapsed` was 0. */
  zero: Instant
  /** How wrong that may be: half of the way there and back. */
  doubt: Millis
  at: Millis
}

export function serverClock(clock: Clock): ServerClock {
  let best: Sample | undefined
  const now = () => (best === undefined ? clock.now() : Math.round(best.zero + clock.elapsed()))
  return {
    ...clock,
    now,
    learn(sentAt, answeredAt, serverTime) {
      const doubt = Math.max(0, answeredAt - sentAt) / 2
      if (best !== undefined && doubt > best.doubt + (answeredAt - best.at) * DRIFT) return
      best = { zero: serverTime - (sentAt + doubt), doubt, at: answeredAt }
    },
    offset: () => now() - clock.now(),
  }
}
