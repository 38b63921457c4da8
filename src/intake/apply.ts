/**
 * Applies parts: the frontier's marks, pages, captures, links, hazards, counters and log lines of each, and its removal
 * from the inbox, all in one transaction. So a crash before its end repeats it, and none after it can.
 */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { Journal } from '../base/journal.ts'
import type { DigestFilter } from '../collection/captures/digest-filter.ts'
import { CaptureWriter } from '../collection/captures/write-capture.ts'
import { CounterSums } from '../collection/counters/counters.ts'
import type { CrawlLog, RecordedLines } from '../collection/crawl-log/crawl-log.ts'
import { logLine, verdictLine } from '../collection/crawl-log/log-line.ts'
import { giveUpPages, writePage } from '../collection/pages/write-page.ts'
import { writeVerdicts } from '../collection/pages/write-verdicts.ts'
import { siteKeyOf } from '../collection/site-key.ts'
import type { Database, Tx } from '../database/database.ts'
import type { Ledger } from '../frontier/ledger.ts'
import { decodeReport } from '../visit/decode-report.ts'
import type { Event } from '../visit/events.ts'
import type { VisitReport } from '../visit/report.ts'
import { removeParts, setAside, type WaitingPart, waitingParts } from './inbox.ts'

export interface ApplyTools {
  database: Database
  ledger: Pick<Ledger, 'returning' | 'settle'>
  filter: DigestFilter
  log: CrawlLog
  clock: Clock
  journal: Journal<Event>
}

export interface Applied {
  /** Taken out of the inbox, whether they counted or not. */
  parts: number
  pages: number
  /** Left in the inbox: a part before them is missing. */
  early: number
  /** Set aside: they cannot be read. */
  spoilt: number
  bytes: number
  /** The work inside the transaction: neither waiting for it to begin nor the sync of its commit, which no smaller batch would shorten. */
  workMs: Millis
  /** The last one looked at: what is after it was not. Undefined: there was none. */
  lastId: number | undefined
}

/** Looks at the oldest parts after `afterId`, about `mostBytes` of them. */
export async function applyParts(tools: ApplyTools, afterId: number, mostBytes: number): Promise<Applied> {
  const begin = tools.clock.elapsed()
  const captures = new CaptureWriter(tools.filter)
  const { applied, recorded } = await tools.database.transact(async (tx) => {
    const workBegan = tools.clock.elapsed()
    const waiting = waitingParts(tx, afterId, mostBytes)
    if (waiting.length === 0) return { applied: NOTHING, recorded: undefined }
    const reports = readable(tx, waiting, tools.journal)
    const verdicts = await tools.ledger.settle(
      tx,
      reports.map(({ report }) => report),
    )
    const counted = reports.filter((_, at) => verdicts[at] === 'applied').map(({ report }) => report)
    const settled = reports.filter((_, at) => verdicts[at] !== 'early')
    const written = collect(tx, tools, captures, counted)
    removeParts(
      tx,
      settled.map(({ id }) => id),
    )
    const applied: Applied = {
      parts: settled.length,
      pages: written.pages,
      early: reports.length - settled.length,
      spoilt: waiting.length - reports.length,
      bytes: waiting.reduce((sum, { body }) => sum + body.length, 0),
      workMs: tools.clock.elapsed() - workBegan,
      lastId: waiting[waiting.length - 1].id,
    }
    tools.journal.tell({ kind: 'applying', part: applied.parts, pages: applied.pages })
    return { applied, recorded: written.recorded }
  })
  // Durable: only now may others refer to the payloads, and only now is it true what the log says.
  captures.settle()
  if (recorded !== undefined) tools.log.written(recorded)
  if (applied.parts > 0) {
    const tookMs = tools.clock.elapsed() - begin
    tools.journal.tell({ kind: 'applied', parts: applied.parts, pages: applied.pages, tookMs })
  }
  return applied
}

const NOTHING: Applied = { parts: 0, pages: 0, early: 0, spoilt: 0, bytes: 0, workMs: 0, lastId: undefined }

interface ReadPart {
  id: number
  report: VisitReport
}

function readable(tx: Tx, waiting: readonly WaitingPart[], journal: Journal<Event>): ReadPart[] {
  const parts: ReadPart[] = []
  for (const { id, body } of waiting) {
    try {
      parts.push({ id, report: decodeReport(body) })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      setAside(tx, id, error.message)
      journal.tell({ kind: 'trouble', what: `a report part in the inbox cannot be read (${error.message}): set aside` })
    }
  }
  return parts
}

function collect(
  tx: Tx,
  tools: ApplyTools,
  captures: CaptureWriter,
  reports: readonly VisitReport[],
): { pages: number; recorded: RecordedLines | undefined } {
  const sums = new CounterSums()
  const lines: string[] = []
  let pages = 0
  for (const report of reports) {
    pages += report.pages.length
    const site = siteKeyOf(report.site)
    for (const page of report.pages) {
      captures.write(tx, site, page)
      if (!page.errand) writePage(tx, site, page)
      lines.push(logLine(page))
    }
    if (report.ended === 'given-up') giveUpPages(tx, site)
    writeVerdicts(tx, site, report.verdicts)
    for (const verdict of report.verdicts) lines.push(verdictLine(report.site, verdict))
    sums.add(tx, report.site, report.counts, momentOf(report, tools.clock))
  }
  sums.write(tx)
  return { pages, recorded: tools.log.record(tx, lines.join('')) }
}

/** When what a part counts took place: it spans about a second. */
function momentOf(report: VisitReport, clock: Clock): Instant {
  return report.pages.at(-1)?.at ?? report.courtesy.lastAnswerAt ?? clock.now()
}
