/** A clock for tests with a real database: a sleep ends at once and moves the time on; timers take real time. */
import { type Clock, type Instant, realClock, turn } from '../../base/clock.ts'

export function jumpingClock(start: Instant): Clock {
  const began = realClock.elapsed()
  let ahead = 0
  const elapsed = () => realClock.elapsed() - began + ahead
  return {
    now: () => start + Math.floor(elapsed()),
    elapsed,
    async sleep(ms) {
      ahead += ms
      await turn()
    },
    after: realClock.after,
  }
}
