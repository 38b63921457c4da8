/** The parts of one transaction: each is settled with the frontier, and what counts goes into the catalogue. */
import type { Clock } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { DigestFilter } from '../../collection/captures/digest-filter.ts'
import { CaptureWriter } from '../../collection/captures/write-capture.ts'
import { CounterSums } from '../../collection/counters/counter-sums.ts'
import { writeSums } from '../../collection/counters/write-sums.ts'
import type { CrawlLog, RecordedLines } from '../../collection/crawl-log/crawl-log.ts'
import { writeFindings } from '../../collection/pages/write-findings.ts'
import { giveUpPages, writePage } from '../../collection/pages/write-page.ts'
import { siteKeyOf } from '../../collection/site-key.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import { type ClosedPart, openPart } from '../open-part.ts'
import type { Rechecks } from '../rechecks.ts'
import { linesOf, momentOf } from '../what-counts.ts'

export interface ApplyTools {
  database: Database
  ledger: Pick<Ledger, 'returning' | 'applyParts'>
  filter: DigestFilter
  log: CrawlLog
  clock: Clock
  journal: Journal<Event>
  rechecks?: Rechecks
}

export interface Applied {
  /** Done with, whether they counted or not. */
  parts: number
  pages: number
  /** In the inbox: a part before them is missing. */
  early: number
  /** Set aside: they cannot be read. */
  corrupt: number
}

export class Batch {
  readonly applied: Applied = { parts: 0, pages: 0, early: 0, corrupt: 0 }
  readonly #tx: Tx
  readonly #tools: ApplyTools
  readonly #captures: CaptureWriter
  readonly #sums = new CounterSums()
  readonly #lines: string[] = []
  #recorded: RecordedLines | undefined

  constructor(tx: Tx, tools: ApplyTools) {
    this.#tx = tx
    this.#tools = tools
    this.#captures = new CaptureWriter(tools.filter)
  }

  /** The ledger says what counts. `aside` is told of what cannot be read. */
  async apply<Part extends ClosedPart>(
    parts: readonly Part[],
    aside: (part: Part, why: string) => void,
  ): Promise<{ done: Part[]; early: Part[] }> {
    const read = this.#read(parts, aside)
    const reports = read.map(({ report }) => report)
    const looked = await this.#tools.rechecks?.look(this.#tx, reports)
    const findings = await this.#tools.ledger.applyParts(this.#tx, looked?.forFrontier ?? reports)
    await looked?.settled(findings)
    const done: Part[] = []
    const early: Part[] = []
    for (const [at, { part, report }] of read.entries()) {
      if (findings[at] === 'applied') this.#collect(looked?.forCatalogue(report) ?? report)
      if (findings[at] === 'out-of-order') early.push(part)
      else done.push(part)
    }
    this.applied.parts += done.length
    this.applied.early += early.length
    this.applied.corrupt += parts.length - read.length
    return { done, early }
  }

  /** Sums and lines are written once, however many parts had some. */
  end(): void {
    writeSums(this.#tx, this.#sums)
    if (this.#lines.length > 0) this.#recorded = this.#tools.log.record(this.#tx, this.#lines.join(''))
  }

  /** The transaction is: only now may others refer to the payloads, and only now is it true what the log says. */
  durable(): void {
    this.#captures.applyParts()
    if (this.#recorded !== undefined) this.#tools.log.written(this.#recorded)
  }

  #read<Part extends ClosedPart>(
    parts: readonly Part[],
    aside: (part: Part, why: string) => void,
  ): { part: Part; report: VisitReport }[] {
    const read: { part: Part; report: VisitReport }[] = []
    for (const part of parts) {
      try {
        read.push({ part, report: openPart(part) })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        aside(part, error.message)
        const what = `a report part cannot be read (${error.message}): set aside in the inbox`
        this.#tools.journal.tell({ kind: 'trouble', what })
      }
    }
    return read
  }

  #collect(report: VisitReport): void {
    const tx = this.#tx
    const site = siteKeyOf(report.site)
    for (const page of report.pages) {
      this.#captures.write(tx, site, page)
      if (!page.ownRequest) writePage(tx, site, page)
    }
    if (report.ended === 'given-up') giveUpPages(tx, site)
    writeFindings(tx, site, report.findings)
    this.#lines.push(linesOf(report))
    this.#sums.add(report.site, report.counts, momentOf(report, this.#tools.clock))
    this.applied.pages += report.pages.length
  }
}
