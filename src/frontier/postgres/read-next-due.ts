import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'

export const READ_NEXT_DUE = `
  SELECT not_before::float8 AS due FROM site WHERE bucket = $1 AND state = 'waiting' ORDER BY not_before LIMIT 1`
export const READ_NEXT_LEANING = `
  SELECT not_before::float8 AS due FROM site WHERE bucket = $1 AND state = 'waiting' AND region = $2
  ORDER BY not_before LIMIT 1`

export interface NextDue {
  waits: Instant
  /** By region, of those that lean to it. */
  leaning: [region: string, at: Instant][]
}

/** When the first of those that wait in a bucket is due, and the first of those that lean to some regions. */
export async function readNextDue(tx: PostgresTx, bucket: number, regions: readonly string[]): Promise<NextDue> {
  const [waits, ...leaning] = await Promise.all([
    tx.get<{ due: number }>(READ_NEXT_DUE, bucket),
    ...regions.map((region) => tx.get<{ due: number }>(READ_NEXT_LEANING, bucket, region)),
  ])
  return { waits: dueOf(waits), leaning: regions.map((region, at) => [region, dueOf(leaning[at])]) }
}

function dueOf(row: { due: number } | undefined): Instant {
  return row?.due ?? Number.POSITIVE_INFINITY
}
