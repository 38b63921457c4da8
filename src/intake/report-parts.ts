/** Report parts, whatever the database: reading one, what it adds to log and counters, and how many wait. */
import type { Clock, Instant } from '../base/clock.ts'
import { CounterSums } from '../collection/counters/counters.ts'
import { findingLine, logLine } from '../collection/crawl-log/log-line.ts'
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

/** What the reports of one transaction add to the log and the counters. */
export class ReportSums {
  readonly counters = new CounterSums()
  lines = ''

  add(report: VisitReport, clock: Clock): void {
    for (const page of report.pages) this.lines += logLine(page)
    for (const finding of report.findings) this.lines += findingLine(report.site, finding)
    this.counters.add(report.site, report.counts, timeOf(report) ?? clock.now())
  }
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
