/** The database's time on this machine: the one clock that all servers of a crawl share, whatever their own say. */
import type { Clock, Instant } from '../../base/clock.ts'
import type { Database } from '../database.ts'
import { postgresTx } from './tx.ts'

export interface DatabaseClock extends Clock {
  /** How far the machine's own time is behind the database's; negative: ahead. */
  readonly offsetMs: number
  close(): void
}

const SAMPLES = 5
const EVERY_MS = 60_000
/** Small corrections backwards are waited out; larger ones mean that the database's time was set, and are followed. */
const LARGEST_WAIT_MS = 60_000
/** The machine's time went on by more or less than it counted: it slept or was halted, or its time was set. */
const JUMP_MS = 1000
/** With the decimals that a bigint of milliseconds has not. */
const NOW = 'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now'

/**
 * Measured now, every minute, and when the machine's own time has jumped: a machine that was halted has counted too little.
 * A measurement that fails leaves the last one standing.
 */
export async function databaseClock(database: Database, clock: Clock): Promise<DatabaseClock> {
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
      // The database is away: transactions will say so.
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
    get offsetMs() {
      return origin + clock.elapsed() - clock.now()
    },
    close() {
      isOpen = false
      cancel()
    },
  }
}

/** The answer that came soonest tells most: it is wrong by half its way at the worst. */
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
