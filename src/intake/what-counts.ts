/** What of a report goes into the log and the counters, whatever the database. */
import type { Clock, Instant } from '../base/clock.ts'
import { findingLine, logLine } from '../collection/crawl-log/log-line.ts'
import type { VisitReport } from '../contracts/report.ts'

export function linesOf({ site, pages, findings }: VisitReport): string {
  let lines = ''
  for (const page of pages) lines += logLine(page)
  for (const finding of findings) lines += findingLine(site, finding)
  return lines
}

/** When what a part counts took place: it spans about a second. */
export function momentOf(report: VisitReport, clock: Clock): Instant {
  return report.pages.at(-1)?.at ?? report.courtesy.lastAnswerAt ?? clock.now()
}
