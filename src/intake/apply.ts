/**
 * Applies parts: the frontier's marks, pages, captures, links, hazards, counters and log lines of each, all in one
 * transaction, with its removal from the inbox if it lay there. So a crash before its end repeats it, and none after it can.
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
import type { SealedPart } from '../visit/sealed-part.ts'
import { removeParts, setAside, storeAside, storeParts, waitingParts } from './inbox.ts'

export interface ApplyTools {
  database: Database
  ledger: Pick<Ledger, 'returning' | 'settle'>
  filter: DigestFilter
  log: CrawlLog
  clock: Clock
  journal: Journal<Event>
}

export interface Applied {
  /** Done with, whether they counted or not. */
  parts: number
  pages: number
  /** In the inbox: a part before them is missing. */
  early: number
  /** Set aside: they cannot be read. */
  spoilt: number
  bytes: number
  /** The work inside the transaction: neither waiting for it to begin nor the sync of its commit, which no smaller batch would shorten. */
  workMs: Millis
}

export interface FromInbox extends Applied {
  /** The last one looked at: what is after it was not. Undefined: there was none. */
  lastId: number | undefined
  /** There is nothing after it. */
  isAll: boolean
}

export interface FromArrivals extends Applied {
  /** All of them, durable now. */
  taken: readonly SealedPart[]
  /** Of the early ones, those that were not in the inbox before. */
  stored: number
}

/** Looks at the oldest parts after `afterId`, about `mostBytes` of them. */
export function applyWaiting(tools: ApplyTools, afterId: number, mostBytes: number): Promise<FromInbox> {
  return transact(tools, async (tx, batch) => {
    const waiting = waitingParts(tx, afterId, mostBytes)
    const { verdictOf, ...applied } = await batch.apply(waiting, ({ id }, why) => setAside(tx, id, why))
    const settled = waiting.filter((part) => verdictOf(part) === 'done')
    removeParts(
      tx,
      settled.map(({ id }) => id),
    )
    return { ...applied, lastId: waiting.at(-1)?.id, isAll: applied.bytes < mostBytes }
  })
}

/**
 * Parts that have just come, without the way through the inbox: durable and applied with one commit. `take` is called
 * when the transaction has begun, so that who came while another was under way is among them.
 */
export function applyArrived(tools: ApplyTools, take: () => readonly SealedPart[]): Promise<FromArrivals> {
  return transact(tools, async (tx, batch) => {
    const taken = take()
    const { verdictOf, ...applied } = await batch.apply(taken, (part, why) => storeAside(tx, part, why))
    const early = taken.filter((part) => verdictOf(part) === 'early')
    return { ...applied, taken, stored: await storeParts(tx, tools.ledger, early) }
  })
}

type Standing = 'done' | 'early' | 'spoilt'

/** What is told of a batch inside its transaction becomes true for others when that is durable. */
async function transact<Result extends Applied>(
  tools: ApplyTools,
  work: (tx: Tx, batch: Batch) => Promise<Result>,
): Promise<Result> {
  const begin = tools.clock.elapsed()
  const { applied, batch } = await tools.database.transact(async (tx) => {
    const workBegan = tools.clock.elapsed()
    const batch = new Batch(tx, tools)
    const applied = await work(tx, batch)
    applied.workMs = tools.clock.elapsed() - workBegan
    if (applied.parts > 0) tools.journal.tell({ kind: 'applying', part: applied.parts, pages: applied.pages })
    return { applied, batch }
  })
  batch.durable()
  if (applied.parts > 0) {
    const tookMs = tools.clock.elapsed() - begin
    tools.journal.tell({ kind: 'applied', parts: applied.parts, pages: applied.pages, tookMs })
  }
  return applied
}

class Batch {
  readonly #tx: Tx
  readonly #tools: ApplyTools
  readonly #captures: CaptureWriter
  #recorded: RecordedLines | undefined

  constructor(tx: Tx, tools: ApplyTools) {
    this.#tx = tx
    this.#tools = tools
    this.#captures = new CaptureWriter(tools.filter)
  }

  async apply<Part extends { body: Uint8Array }>(
    parts: readonly Part[],
    aside: (part: Part, why: string) => void,
  ): Promise<Applied & { verdictOf(part: Part): Standing }> {
    const readable = this.#read(parts, aside)
    const reports = [...readable.values()]
    const verdicts = reports.length === 0 ? [] : await this.#tools.ledger.settle(this.#tx, reports)
    const early = new Set(reports.filter((_, at) => verdicts[at] === 'early'))
    const written = collect(
      this.#tx,
      this.#tools,
      this.#captures,
      reports.filter((_, at) => verdicts[at] === 'applied'),
    )
    this.#recorded = written.recorded
    return {
      parts: reports.length - early.size,
      pages: written.pages,
      early: early.size,
      spoilt: parts.length - reports.length,
      bytes: parts.reduce((sum, { body }) => sum + body.length, 0),
      workMs: 0,
      verdictOf(part) {
        const report = readable.get(part)
        return report === undefined ? 'spoilt' : early.has(report) ? 'early' : 'done'
      },
    }
  }

  #read<Part extends { body: Uint8Array }>(
    parts: readonly Part[],
    aside: (part: Part, why: string) => void,
  ): Map<Part, VisitReport> {
    const readable = new Map<Part, VisitReport>()
    for (const part of parts) {
      try {
        readable.set(part, decodeReport(part.body))
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        aside(part, error.message)
        const what = `a report part cannot be read (${error.message}): set aside in the inbox`
        this.#tools.journal.tell({ kind: 'trouble', what })
      }
    }
    return readable
  }

  /** Only now may others refer to the payloads, and only now is it true what the log says. */
  durable(): void {
    this.#captures.settle()
    if (this.#recorded !== undefined) this.#tools.log.written(this.#recorded)
  }
}

function collect(
  tx: Tx,
  tools: ApplyTools,
  captures: CaptureWriter,
  reports: readonly VisitReport[],
): { pages: number; recorded: RecordedLines | undefined } {
  if (reports.length === 0) return { pages: 0, recorded: undefined }
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
