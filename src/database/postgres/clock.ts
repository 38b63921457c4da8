/** The database's time on this machine: the one clock that all servers of a crawl share. */
import type { Clock, Instant } from '../../base/clock.ts'
import type { Database } from '../database.ts'
import { postgresTx } from './tx.ts'

const SAMPLES = 5
const EVERY_MS = 60_000
/** Small backward corrections are waited out; a larger one means that the database's time was set, and is followed. */
const LARGEST_WAIT_MS = 60_000
/** A jump of the wall clock against the monotonic one: the machine slept or was halted, or its time was set. */
const JUMP_MS = 1000
/** With fractions of a millisecond. */
const NOW = 'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now'

/** Measured now, every minute, and when the machine's own time has jumped. If measuring fails, the last value stays. */
export async function databaseClock(database: Database, clock: Clock): Promise<Clock & { close(): void }> {
  /** The database's time when our monotonic one was 0. */
  let origin = await measured(database, clock)
  let last: Instant = Number.NEGATIVE_INFINITY
  let isOpen = true
  const ahead = () => clock.now() - clock.elapsed()
  let aheadBefore = ahead()

  let isMeasuring = false

  const measureAgain = async () => {
    if (isMeasuring) return
    isMeasuring = true
    aheadBefore = ahead()
    try {
      const measurement = await measured(database, clock)
      if (measurement < origin - LARGEST_WAIT_MS) last = Number.NEGATIVE_INFINITY
      origin = measurement
    } catch {
      // The database is unreachable: transactions will report it.
    }
    isMeasuring = false
    if (isOpen) cancel = clock.after(EVERY_MS, () => void measureAgain())
  }
  let cancel = clock.after(EVERY_MS, () => void measureAgain())

  return {
    now() {
      if (isOpen && Math.abs(ahead() - aheadBefore) > JUMP_MS) {
        cancel()
        void measureAgain()
      }
      last = Math.max(last, Math.floor(origin + clock.elapsed()))
      return last
    },
    elapsed: () => clock.elapsed(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, call) => clock.after(ms, call),
    close() {
      isOpen = false
      cancel()
    },
  }
}

/** The fastest answer is the most exact: it is wrong by half its round trip at most. */
async function measured(database: Database, clock: Clock): Promise<number> {
  return database.read(async (tx) => {
    let shortest = Number.POSITIVE_INFINITY
    let origin = 0
    for (let sample = 0; sample < SAMPLES; sample++) {
      const asked = clock.elapsed()
      const answer = await postgresTx(tx).get<{ now: number }>(NOW)
      const answered = clock.elapsed()
      if (answer === undefined || answered - asked >= shortest) continue
      shortest = answered - asked
      origin = answer.now - (asked + answered) / 2
    }
    return origin
  })
}

/** The database's time, for those who ask once. */
export async function databaseNow(database: Database): Promise<Instant> {
  return Math.floor((await database.read((tx) => postgresTx(tx).get<{ now: number }>(NOW)))!.now)
}
