/** The last day of a crawl, for the mail about it: from counters and the minutes, which cost the same however large the collection is. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { dayOf, MINUTE_MS, readCounters } from './counters/counters.ts'

export type DayFigures = Awaited<ReturnType<typeof dayFigures>>

const STEP: Millis = 10 * MINUTE_MS
const DAY: Millis = 86_400_000

const MINUTES = `
  SELECT minute / ${STEP / MINUTE_MS} AS step, sum(requests) AS requests, sum(documents) AS documents, sum(bytes) AS bytes,
    max(collected) AS collected, max(waiting) AS waiting, count(DISTINCT minute) FILTER (WHERE requests > 0) AS active
  FROM minute WHERE minute >= ? AND minute < ? GROUP BY minute / ${STEP / MINUTE_MS}`

export async function dayFigures(tx: Tx, to: Instant) {
  const last = Math.ceil(to / STEP)
  const first = last - DAY / STEP
  const minutes = STEP / MINUTE_MS
  const rows = await queries(tx).all<
    Record<'step' | 'requests' | 'documents' | 'bytes' | 'active', number> &
      Record<'collected' | 'waiting', number | null>
  >(MINUTES, first * minutes, last * minutes)
  const byStep = new Map(rows.map((row) => [row.step, row]))
  const steps = Array.from({ length: last - first }, (_, i) => byStep.get(first + i))
  const counted = (name: 'requests' | 'documents' | 'bytes') => steps.map((row) => row?.[name] ?? 0)
  const from = first * STEP
  return {
    from,
    to,
    /** In equal steps; undefined: nothing was noted then. */
    steps: {
      ms: STEP,
      requests: counted('requests'),
      documents: counted('documents'),
      bytes: counted('bytes'),
      collected: steps.map((row) => row?.collected ?? undefined),
      waiting: steps.map((row) => row?.waiting ?? undefined),
    },
    /** With requests. */
    activeMinutes: rows.reduce((sum, { active }) => sum + active, 0),
    /** Sums over the whole crawl. */
    counters: await readCounters(tx),
    /** Of the days (UTC) that the time touches. */
    recent: await readCounters(tx, 'WHERE day >= ?', dayOf(from)),
  }
}
