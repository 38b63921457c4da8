/**
 * Applies parts, whatever the database: the frontier's marks, pages, captures, links, findings, counters and log lines of
 * each, in the transaction that also removes them from the inbox. A crash before its end repeats the work; after it, nothing
 * is repeated.
 */

import type { Millis } from '../base/clock.ts'
import { CounterSums, writeSums } from '../collection/counters/counters.ts'
import { type EndedVisit, noteVisits } from '../collection/counters/last-visits.ts'
import type { CrawlLog, RecordedLines } from '../collection/crawl-log/crawl-log.ts'
import { findingLine, logLine } from '../collection/crawl-log/log-line.ts'
import { catalogueWriter } from '../collection/write-reports.ts'
import type { VisitReport } from '../contracts/report.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Tx } from '../database/database.ts'
import type { IntakeTools } from './intake.ts'
import { workersAt } from './rechecks.ts'
import { type ClosedPart, openPart, timeOf } from './report-parts.ts'

export type ApplyTools = IntakeTools & { log: CrawlLog }

/** What becomes of some parts. */
export interface Decided<Part> {
  /** Finished, whether they counted or not. */
  done: Part[]
  /** An earlier part is missing. */
  outOfOrder: Part[]
  /** They cannot be read. */
  corrupt: (Part & { why: string })[]
  /** Of the parts that counted, as the frontier should see them. */
  reports: VisitReport[]
  /** Writes the parts that counted. */
  write(): Promise<void>
}

/** The parts of one transaction. */
export class Batch {
  /** Parts finished, and pages of those that counted. */
  parts = 0
  pages = 0
  readonly #tx: Tx
  readonly #tools: ApplyTools
  readonly #bucket: number
  readonly #catalogue: ReturnType<typeof catalogueWriter>
  readonly #counters = new CounterSums()
  #lines = ''
  readonly #ended: EndedVisit[] = []
  readonly #troubles: string[] = []
  readonly seen = { answersMs: [] as Millis[], pausesMs: [] as Millis[], hazards: [] as string[] }
  #recorded: RecordedLines | undefined

  constructor(tx: Tx, tools: ApplyTools, bucket: number) {
    this.#tx = tx
    this.#tools = tools
    this.#bucket = bucket
    this.#catalogue = catalogueWriter(tx, bucket, tools.filter)
  }

  /** The ledger decides which parts count. `local`: what it gets of a report. */
  async decide<Part extends ClosedPart>(
    parts: readonly Part[],
    local: (report: VisitReport) => VisitReport = (report) => report,
  ): Promise<Decided<Part>> {
    const { read, corrupt } = this.#open(parts)
    const reports = read.map(({ report }) => report)
    if (reports.length === 0) return { done: [], outOfOrder: [], corrupt, reports, write: async () => {} }
    const checked = await this.#tools.rechecks?.check(this.#tx, reports)
    const seen = checked?.forFrontier ?? reports
    const applying = () => this.#tools.ledger.applyParts(this.#tx, seen.map(local))
    // Together on PostgreSQL, for the round trips. On SQLite a read that fails would end the transaction while the frontier,
    // which yields to other work, is still writing.
    const reading = this.#catalogue.readBefore(reports)
    // First: the end of a visit removes the name of its worker.
    const ends = reports.filter(({ ended }) => ended !== undefined).map(({ site }) => site)
    const asking = workersAt(this.#tx, ends)
    const [results, before, workers] =
      this.#tx.dialect === 'postgres'
        ? await Promise.all([applying(), reading, asking])
        : await Promise.all([reading, asking]).then(async (known) => [await applying(), ...known] as const)
    await checked?.applied(results)
    const done = read.flatMap(({ part }, at) => (results[at] === 'out-of-order' ? [] : [part]))
    const counting = reports
      .filter((_, at) => results[at] === 'applied')
      .map((report) => checked?.forCatalogue(report) ?? report)
    this.parts += done.length
    for (const report of counting) {
      this.#see(report)
      const { site, ended: why, pages, findings, counts } = report
      const at = timeOf(report) ?? this.#tools.clock.now()
      for (const page of pages) this.#lines += logLine(page)
      for (const finding of findings) this.#lines += findingLine(site, finding)
      this.#counters.add(site, counts, at)
      if (why !== undefined) this.#ended.push({ site, at, why, worker: workers.get(site) })
    }
    this.pages += counting.reduce((sum, { pages }) => sum + pages.length, 0)
    return {
      done,
      outOfOrder: read.flatMap(({ part }, at) => (results[at] === 'out-of-order' ? [part] : [])),
      corrupt,
      reports: seen.filter((_, at) => results[at] === 'applied'),
      write: async () => {
        if (counting.length > 0) await this.#catalogue.write(counting, before)
      },
    }
  }

  #see({ pages, findings, courtesy }: VisitReport): void {
    for (const { status, tookMs } of pages) if (status > 0) this.seen.answersMs.push(tookMs)
    this.seen.pausesMs.push(courtesy.pause)
    for (const { rule, withdrawn } of findings) if (withdrawn !== true) this.seen.hazards.push(rule)
  }

  /** Writes sums and log lines once, for all parts together. */
  async end(): Promise<void> {
    const [recorded] = await Promise.all([
      this.#lines === '' ? undefined : this.#tools.log.record(this.#tx, this.#lines),
      writeSums(this.#tx, this.#bucket, this.#counters),
      // Behind the sums, which it reads.
      noteVisits(this.#tx, this.#bucket, this.#ended),
    ])
    this.#recorded = recorded
  }

  /** The transaction has committed. Other captures may now reference these payloads, and the log entries are true. */
  durable(): void {
    const { log, journal } = this.#tools
    this.#catalogue.durable()
    if (this.#recorded !== undefined) log.written(this.#recorded)
    for (const why of this.#troubles)
      journal.record({ kind: 'trouble', what: `a report part cannot be read (${why}): quarantined in the inbox` })
  }

  #open<Part extends ClosedPart>(parts: readonly Part[]) {
    const read: { part: Part; report: VisitReport }[] = []
    const corrupt: (Part & { why: string })[] = []
    for (const part of parts) {
      try {
        const report = openPart(part)
        if (bucketOf(this.#tx.dialect, siteKeyOf(report.site)) !== this.#bucket)
          throw new RangeError('its site is not that of its visit')
        read.push({ part, report })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        corrupt.push({ ...part, why: error.message })
        this.#troubles.push(error.message)
      }
    }
    return { read, corrupt }
  }
}

/** One transaction, with its events in the journal. */
export async function applyBatch<Result>(
  tools: ApplyTools,
  bucket: number,
  work: (tx: Tx, batch: Batch) => Promise<Result>,
): Promise<{ result: Result; parts: number }> {
  const { clock, database, journal } = tools
  const begin = clock.elapsed()
  const { result, batch } = await database.transact(async (tx) => {
    const batch = new Batch(tx, tools, bucket)
    const result = await work(tx, batch)
    if (batch.parts > 0) journal.record({ kind: 'applying', part: batch.parts, pages: batch.pages })
    return { result, batch }
  })
  batch.durable()
  const { parts, pages, seen } = batch
  if (parts > 0) journal.record({ kind: 'applied', parts, pages, tookMs: clock.elapsed() - begin, seen })
  return { result, parts }
}
