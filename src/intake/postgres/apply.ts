/**
 * Applies the oldest parts of one bucket: the frontier's marks, pages, captures, links, findings, counters and log lines of
 * each, and its removal from the inbox, in one transaction. A crash before its end repeats the work; after it, nothing is
 * repeated.
 */
import type { CrawlLog, RecordedLines } from '../../collection/crawl-log/crawl-log.ts'
import { tryBucket } from '../../collection/postgres/bucket.ts'
import type { VolumeIds } from '../../collection/postgres/write-captures.ts'
import { readBefore, type WrittenReports, writeReports } from '../../collection/postgres/write-reports.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { PartResult } from '../../frontier/contract.ts'
import type { IntakeTools } from '../intake.ts'
import { type ClosedPart, openPart, ReportSums, totalBytes } from '../report-parts.ts'
import { addCrossSite, leaving, staying } from './cross-site.ts'
import {
  type FailedPart,
  makeReady,
  markOutOfOrder,
  type PartName,
  quarantine,
  readyParts,
  removeParts,
} from './inbox.ts'

export type ApplyTools = IntakeTools & { log: CrawlLog; volumes: VolumeIds }

/** A batch costs about ten round trips whatever its size, and holds the thread while it is read and packed. */
export interface BatchSize {
  parts: number
  bytes: number
}

export interface Applied {
  /** Finished, whether they counted or not. */
  parts: number
  pages: number
  /** No longer waiting, though not applied: out of order, or corrupt. */
  setAside: number
  /** Out of order before, and ready now. */
  madeReady: number
  /** Buckets for which links were stored. */
  crossSite: readonly number[]
}

interface Batch extends Applied {
  written?: WrittenReports
  recorded?: RecordedLines
  corrupt: readonly FailedPart[]
}

/**
 * Undefined: another transaction has the bucket. `isFull`: there may be more. `taken` receives the parts that the transaction
 * works on, also if it fails.
 */
export async function applyBucket(
  tools: ApplyTools,
  bucket: number,
  size: BatchSize,
  taken: (parts: readonly PartName[]) => void,
): Promise<(Applied & { isFull: boolean }) | undefined> {
  const begin = tools.clock.elapsed()
  const done = await tools.database.transact(async (tx) => {
    const db = postgresTx(tx)
    // Sent together; without the lock the parts are ignored.
    const [mine, parts] = await Promise.all([tryBucket(db, bucket), readyParts(db, bucket, size.parts, size.bytes)])
    if (!mine) return undefined
    taken(parts)
    const batch = await applyParts(tx, tools, bucket, parts)
    if (parts.length > 0) tools.journal.record({ kind: 'applying', part: parts.length, pages: batch.pages })
    return { batch, isFull: parts.length >= size.parts || totalBytes(parts) >= size.bytes }
  })
  if (done === undefined) return undefined
  durable(tools, done.batch)
  const { parts, pages } = done.batch
  if (parts > 0) tools.journal.record({ kind: 'applied', parts, pages, tookMs: tools.clock.elapsed() - begin })
  return { ...done.batch, isFull: done.isFull }
}

async function applyParts(tx: Tx, tools: ApplyTools, bucket: number, parts: readonly ClosedPart[]): Promise<Batch> {
  const db = postgresTx(tx)
  const { read, corrupt } = decoded(bucket, parts)
  const reports = read.map(({ report }) => report)
  if (reports.length === 0) {
    await quarantine(db, bucket, corrupt)
    return { parts: 0, setAside: corrupt.length, madeReady: 0, crossSite: [], pages: 0, corrupt }
  }
  const checked = await tools.rechecks?.check(tx, reports)
  const seen = checked?.forFrontier ?? reports
  const local = seen.map((report) => staying(bucket, report))
  const [results, before] = await Promise.all([tools.ledger.applyParts(tx, local), readBefore(tx, bucket, reports)])
  await checked?.applied(results)
  const links = seen.flatMap((report, at) => (results[at] === 'applied' ? leaving(bucket, report) : []))
  const counting = reports
    .filter((_, at) => results[at] === 'applied')
    .map((report) => checked?.forCatalogue(report) ?? report)
  const outOfOrder = read.filter((_, at) => results[at] === 'out-of-order')
  const done = read.filter((_, at) => results[at] !== 'out-of-order')
  const sums = new ReportSums()
  for (const report of counting) sums.add(report, tools.clock)
  const [crossSite, written, recorded, madeReady] = await Promise.all([
    addCrossSite(db, links),
    counting.length === 0 ? undefined : writeReports(tx, bucket, counting, before, sums.counters, tools.volumes),
    sums.lines === '' ? undefined : tools.log.record(tx, sums.lines),
    makeReady(db, bucket, nextParts(reports, results)),
    markOutOfOrder(db, bucket, outOfOrder),
    removeParts(db, bucket, done),
    quarantine(db, bucket, corrupt),
  ])
  const pages = counting.reduce((sum, report) => sum + report.pages.length, 0)
  const setAside = outOfOrder.length + corrupt.length
  return { parts: done.length, setAside, madeReady, crossSite, pages, written, recorded, corrupt }
}

/** The transaction has committed. Other captures may now reference these payloads, and the log entries are true. */
function durable({ filter, volumes, log, journal }: ApplyTools, { written, recorded, corrupt }: Batch): void {
  if (written !== undefined) {
    for (const digest of written.fresh) filter.add(digest)
    volumes.remember(written.volumes)
  }
  if (recorded !== undefined) log.written(recorded)
  for (const { why } of corrupt)
    journal.record({ kind: 'trouble', what: `a report part cannot be read (${why}): quarantined in the inbox` })
}

/** Sorts the parts of a visit, in whatever order they came. */
function decoded(
  bucket: number,
  parts: readonly ClosedPart[],
): { read: (PartName & { report: VisitReport })[]; corrupt: FailedPart[] } {
  const read: (PartName & { report: VisitReport })[] = []
  const corrupt: FailedPart[] = []
  for (const closed of parts) {
    const { visit, part } = closed
    try {
      const report = openPart(closed)
      if (bucketOf('postgres', siteKeyOf(report.site)) !== bucket)
        throw new RangeError('its site is not that of its visit')
      read.push({ visit, part, report })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      corrupt.push({ visit, part, why: error.message })
    }
  }
  read.sort((a, b) => (a.visit === b.visit ? a.part - b.part : a.visit < b.visit ? -1 : 1))
  return { read, corrupt }
}

/** The next part of each visit of which a part was applied. */
function nextParts(reports: readonly VisitReport[], results: readonly PartResult[]): PartName[] {
  const last = new Map<string, number>()
  for (const [at, { visit, part }] of reports.entries()) if (results[at] === 'applied') last.set(visit, part)
  return [...last].map(([visit, part]) => ({ visit, part: part + 1 }))
}
