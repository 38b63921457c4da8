/** How far the crawl is, noted once a minute. */
import type { Instant } from '../../base/clock.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'

/** A moment of the crawl, for its trend (C14). */
export interface Progress {
  at: Instant
  known: number
  collected: number
  waiting: number
}

export const MINUTE_MS = 60_000

const NOTED = 'UPDATE SET known = excluded.known, collected = excluded.collected, waiting = excluded.waiting'
/** On PostgreSQL a minute has a row for each bucket: what is of the whole crawl stands in the first. */
const NOTE = {
  sqlite: `INSERT INTO minute (minute, known, collected, waiting) VALUES (?, ?, ?, ?) ON CONFLICT (minute) DO ${NOTED}`,
  postgres: `INSERT INTO minute (minute, bucket, known, collected, waiting) VALUES (?, 0, ?, ?, ?)
    ON CONFLICT (minute, bucket) DO ${NOTED}`,
}

/** The last note of a minute counts. */
export async function noteProgress(tx: Tx, { at, known, collected, waiting }: Progress): Promise<void> {
  await queries(tx).run(NOTE[tx.dialect], Math.floor(at / MINUTE_MS), known, collected, waiting)
}
