/**
 * Longest wait first, as the CoBWeb paper sets it against KLWF: every collector takes the oldest URL of the whole queue that no
 * other has taken, and waits for its server. So a URL may be asked for only while it is among the first N, N being the number of
 * collectors; with KLWF it may always. For comparison only: it wraps what the worker would ask.
 */
import type { Clock, Millis } from '../../src/base/clock.ts'
import type { Frontier } from '../../src/contracts/ports.ts'
import type { Database } from '../../src/database/database.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'

/** The first URLs belong to sites that are being visited: when one of them ends is not known. */
const LOOK_AGAIN: Millis = 50

const FIRST = `
  SELECT DISTINCT s.key, s.state, s.not_before FROM (
    SELECT site FROM url WHERE mark = 0 AND due_at <= ? ORDER BY max(enqueued_at, due_at), seq LIMIT ?) u
  JOIN site s ON s.key = u.site`

export function longestWaitFirst(frontier: Frontier, database: Database, clock: Clock, collectors: number): Frontier {
  return {
    ...frontier,
    async checkOut(worker, atMost) {
      const now = clock.now()
      const first = await database.read(async (tx) =>
        sqliteTx(tx).allExact<{ state: string; not_before: bigint }>(FIRST, now, collectors),
      )
      // The frontier gives the sites with the oldest URLs first: they are these.
      const ready = first.filter(
        ({ state, not_before }) => state === 'free' || (state === 'waiting' && not_before <= now),
      )
      if (first.length === 0 || ready.length > 0)
        return frontier.checkOut(worker, Math.min(atMost, Math.max(1, ready.length)))
      const waits = first.filter(({ state }) => state === 'waiting').map(({ not_before }) => Number(not_before) - now)
      return { visits: [], next: waits.length === first.length ? Math.min(...waits) : Math.min(LOOK_AGAIN, ...waits) }
    },
  }
}
