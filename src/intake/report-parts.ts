/** Report parts, whatever the database: reading one, and how many wait. */
import type { Instant } from '../base/clock.ts'
import { decodeReport } from '../contracts/decode-report.ts'
import type { VisitReport } from '../contracts/report.ts'
import type { VisitId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

/** A part as it came or as the inbox holds it. */
export interface ClosedPart {
  visit: VisitId
  part: number
  body: Uint8Array
}

/**
 * Throws a RangeError if the part cannot be read, or if it is not the one on its envelope: the envelope was checked against
 * the worker that holds the visit.
 */
export function openPart({ visit, part, body }: ClosedPart): VisitReport {
  const report = decodeReport(body)
  if (report.visit !== visit || report.part !== part) throw new RangeError('its envelope names another part')
  return report
}

/** A part spans about a second. */
export function timeOf(report: VisitReport): Instant | undefined {
  return report.pages.at(-1)?.at ?? report.courtesy.lastAnswerAt
}

export const totalBytes = (parts: readonly { body: Uint8Array }[]): number =>
  parts.reduce((sum, { body }) => sum + body.length, 0)

const COUNT = {
  sqlite: 'SELECT count(*) AS n FROM inbox WHERE corrupt IS NULL',
  postgres: `SELECT (SELECT count(*) FROM inbox WHERE corrupt IS NULL) + (SELECT count(*) FROM cross_site_link WHERE corrupt IS NULL) AS n`,
}

/** Durable parts that are not applied yet, and links on their way to the frontier; without the quarantined ones. */
export async function partsWaiting(tx: Tx): Promise<number> {
  return (await queries(tx).get<{ n: number }>(COUNT[tx.dialect]))!.n
}
