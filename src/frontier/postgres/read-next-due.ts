import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Party } from '../second-opinion.ts'
import { notForOthers } from './not-for-others.ts'

export const READ_NEXT_DUE = `
  SELECT NULL AS region,
    (SELECT not_before FROM site WHERE bucket = $1 AND state = 'waiting' ORDER BY not_before LIMIT 1)::float8 AS due
  UNION ALL
  SELECT n.region, (
    SELECT not_before FROM site WHERE bucket = $1 AND state = 'waiting' AND site.region = n.region
      AND ${notForOthers('$3', '$4', '$5')}
    ORDER BY not_before LIMIT 1)::float8 AS due
  FROM unnest($2::text[]) AS n (region)`

export interface NextDue {
  waits: Instant
  /** By region, of those that lean to it. */
  leaning: [region: string, at: Instant][]
}

/**
 * When the first of those that wait in a bucket is due, and the first of those that lean to some regions and may go to the
 * party there: one that may not would be the first for minutes, and keep it from helping others.
 */
export async function readNextDue(
  tx: PostgresTx,
  bucket: number,
  regions: readonly string[],
  { name, from, to }: Party,
): Promise<NextDue> {
  const next: NextDue = { waits: NEVER, leaning: [] }
  const rows = await tx.all<{ region: string | null; due: number | null }>(
    READ_NEXT_DUE,
    bucket,
    regions,
    name,
    from,
    to,
  )
  for (const { region, due } of rows)
    if (region === null) next.waits = due ?? NEVER
    else next.leaning.push([region, due ?? NEVER])
  return next
}

const NEVER = Number.POSITIVE_INFINITY
