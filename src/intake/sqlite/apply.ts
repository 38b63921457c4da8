/**
 * Applies parts: the frontier's marks, pages, captures, links, findings, counters and log lines of each, and its removal
 * from the inbox, in one transaction. A crash before its end repeats the work; after it, nothing is repeated.
 *
 * A transaction takes several slices and lets other work have the thread between them: a commit costs about a millisecond
 * whatever is in it, because it writes every page of the database that was touched.
 */
import { type Millis, turn } from '../../base/clock.ts'
import { CaptureWriter } from '../../collection/captures/write-capture.ts'
import { writeSums } from '../../collection/counters/counters.ts'
import type { CrawlLog, RecordedLines } from '../../collection/crawl-log/crawl-log.ts'
import { giveUpPages, writeFindings, writePage } from '../../collection/pages/write-page.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import type { IntakeTools } from '../intake.ts'
import { type ClosedPart, openPart, ReportSums, totalBytes } from '../report-parts.ts'
import type { Arrivals } from './arrivals.ts'
import { quarantine, removeParts, storeParts, storeQuarantined, type WaitingPart, waitingParts } from './inbox.ts'

export type ApplyTools = IntakeTools & { log: CrawlLog }

/** Whatever else needs the database waits for all of them: about 25 ms. */
const SLICES_PER_TRANSACTION = 4

interface Applied {
  /** Finished, whether they counted or not. */
  parts: number
  pages: number
  /** In the inbox, because a part before them is missing. */
  outOfOrder: number
  /** Quarantined, because they cannot be read. */
  corrupt: number
}

/** Applies the oldest parts of the inbox after `afterId`. `isAll`: there are none after `lastId`. */
export function applyWaiting(tools: ApplyTools, pace: Pace, afterId: number) {
  return transact(tools, async (tx, batch) => {
    let lastId = afterId
    let isAll = false
    const next = (): WaitingPart[] => {
      const parts = waitingParts(tx, lastId, pace.bytes)
      isAll = totalBytes(parts) < pace.bytes
      lastId = parts.at(-1)?.id ?? lastId
      return parts
    }
    const source = { hasMore: () => !isAll, next }
    await inSlices(tools, pace, source, async (parts) => {
      const { done } = await batch.apply(parts, ({ id }, why) => quarantine(tx, id, why))
      removeParts(tx, done)
    })
    return { ...batch.applied, lastId, isAll }
  })
}

/**
 * Applies parts that have just come, without the inbox: durable and applied with one commit. They are taken once the
 * transaction has begun, so those that came while another ran are among them. `stored`: parts out of order that are new to the
 * inbox.
 */
export function applyArrived(tools: ApplyTools, pace: Pace, arrivals: Arrivals) {
  return transact(tools, async (tx, batch) => {
    const outOfOrder: SealedPart[] = []
    const source = { hasMore: () => arrivals.parts > 0, next: () => arrivals.take(pace.bytes) }
    await inSlices(tools, pace, source, async (parts) => {
      const applied = await batch.apply(parts, (part, why) => storeQuarantined(tx, part, why))
      outOfOrder.push(...applied.outOfOrder)
    })
    return { ...batch.applied, stored: await storeParts(tx, tools.ledger, outOfOrder) }
  })
}

interface Source<Part> {
  hasMore(): boolean
  next(): readonly Part[]
}

async function inSlices<Part extends { body: Uint8Array }>(
  { clock }: ApplyTools,
  pace: Pace,
  { hasMore, next }: Source<Part>,
  work: (parts: readonly Part[]) => Promise<void>,
): Promise<void> {
  for (let slice = 0; slice < SLICES_PER_TRANSACTION && hasMore(); slice++) {
    if (slice > 0) await turn()
    const began = clock.elapsed()
    const parts = next()
    if (parts.length > 0) await work(parts)
    pace.learn(totalBytes(parts), clock.elapsed() - began)
  }
}

async function transact<Result extends Applied>(
  tools: ApplyTools,
  work: (tx: Tx, batch: Batch) => Promise<Result>,
): Promise<Result> {
  const begin = tools.clock.elapsed()
  const { applied, batch } = await tools.database.transact(async (tx) => {
    const batch = new Batch(tx, tools)
    const applied = await work(tx, batch)
    await batch.end()
    if (applied.parts > 0) tools.journal.record({ kind: 'applying', part: applied.parts, pages: applied.pages })
    return { applied, batch }
  })
  batch.durable()
  if (applied.parts > 0) {
    const tookMs = tools.clock.elapsed() - begin
    tools.journal.record({ kind: 'applied', parts: applied.parts, pages: applied.pages, tookMs })
  }
  return applied
}

/** The parts of one transaction. */
class Batch {
  readonly applied: Applied = { parts: 0, pages: 0, outOfOrder: 0, corrupt: 0 }
  readonly #tx: Tx
  readonly #tools: ApplyTools
  readonly #captures: CaptureWriter
  readonly #sums = new ReportSums()
  #recorded: RecordedLines | undefined

  constructor(tx: Tx, tools: ApplyTools) {
    this.#tx = tx
    this.#tools = tools
    this.#captures = new CaptureWriter(tools.filter)
  }

  /** The ledger decides which count. Parts that cannot be read go to `quarantine`. */
  async apply<Part extends ClosedPart>(
    parts: readonly Part[],
    quarantine: (part: Part, why: string) => void,
  ): Promise<{ done: Part[]; outOfOrder: Part[] }> {
    const read = this.#read(parts, quarantine)
    const reports = read.map(({ report }) => report)
    const checked = await this.#tools.rechecks?.check(this.#tx, reports)
    const results = await this.#tools.ledger.applyParts(this.#tx, checked?.forFrontier ?? reports)
    await checked?.applied(results)
    const done: Part[] = []
    const outOfOrder: Part[] = []
    for (const [at, { part, report }] of read.entries()) {
      if (results[at] === 'applied') this.#collect(checked?.forCatalogue(report) ?? report)
      if (results[at] === 'out-of-order') outOfOrder.push(part)
      else done.push(part)
    }
    this.applied.parts += done.length
    this.applied.outOfOrder += outOfOrder.length
    this.applied.corrupt += parts.length - read.length
    return { done, outOfOrder }
  }

  /** Writes sums and log lines once, for all parts together. */
  async end(): Promise<void> {
    writeSums(this.#tx, this.#sums.counters)
    if (this.#sums.lines !== '') this.#recorded = await this.#tools.log.record(this.#tx, this.#sums.lines)
  }

  /** The transaction has committed. Other captures may now reference these payloads, and the log entries are true. */
  durable(): void {
    this.#captures.durable()
    if (this.#recorded !== undefined) this.#tools.log.written(this.#recorded)
  }

  #read<Part extends ClosedPart>(
    parts: readonly Part[],
    quarantine: (part: Part, why: string) => void,
  ): { part: Part; report: VisitReport }[] {
    const read: { part: Part; report: VisitReport }[] = []
    for (const part of parts) {
      try {
        read.push({ part, report: openPart(part) })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        quarantine(part, error.message)
        const what = `a report part cannot be read (${error.message}): quarantined in the inbox`
        this.#tools.journal.record({ kind: 'trouble', what })
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
    this.#sums.add(report, this.#tools.clock)
    this.applied.pages += report.pages.length
  }
}

/** Below the limit of 10 ms: the commit's sync comes on top. */
const AIM_MS = 6
const MIN_BYTES = 4 * 1024
const MAX_BYTES = 512 * 1024
/** A slice has a fixed cost, so a small one says little about the cost of bytes. */
const MIN_LEARNT_BYTES = 2 * 1024

/** How many bytes of parts a slice may take to hold the thread for about 6 ms: learnt from the last ones. */
export class Pace {
  #bytes = 32 * 1024

  get bytes(): number {
    return this.#bytes
  }

  learn(bytes: number, tookMs: Millis): void {
    if (bytes < MIN_LEARNT_BYTES) return
    // Half of the way, so that one slow sync does not decide alone.
    const ideal = tookMs <= 0 ? MAX_BYTES : (bytes / tookMs) * AIM_MS
    const next = (this.#bytes + ideal) / 2
    this.#bytes = Math.round(Math.min(MAX_BYTES, Math.max(MIN_BYTES, next)))
  }
}
