/**
 * Applies the oldest parts of one bucket: the frontier's marks, pages, captures, links, hazards, counters and log lines of
 * each, and its removal from the inbox, in one transaction. So a crash before its end repeats it, and none after it can.
 */
import type { Clock } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { DigestFilter } from '../../collection/captures/digest-filter.ts'
import { CounterSums } from '../../collection/counters/counter-sums.ts'
import { tryBucket } from '../../collection/postgres/bucket-lock.ts'
import type { PostgresCrawlLog, RecordedLines } from '../../collection/postgres/crawl-log.ts'
import type { VolumeIds } from '../../collection/postgres/volume-ids.ts'
import { readBefore, type WrittenReports, writeReports } from '../../collection/postgres/write-reports.ts'
import { siteKeyOf } from '../../collection/site-key.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { Ledger, PartResult } from '../../frontier/ledger.ts'
import { openPart } from '../open-part.ts'
import type { Rechecks } from '../rechecks.ts'
import { linesOf, momentOf } from '../what-counts.ts'
import { addCrossSite, leaving, staying } from './cross-site.ts'
import { makeReady, markEarly, type PartName, type ReadyPart, readyParts, removeParts, setAside } from './inbox.ts'

export interface ApplyTools {
  database: Database
  ledger: Pick<Ledger, 'applyParts'>
  filter: DigestFilter
  log: PostgresCrawlLog
  volumes: VolumeIds
  clock: Clock
  journal: Journal<Event>
  rechecks?: Rechecks
}

/** Each costs a journey or ten, whatever is in it; and it holds the thread for as long as reading and packing it takes. */
export interface BatchSize {
  parts: number
  bytes: number
}

export type Applied =
  /** Another transaction has the bucket. */
  | { kind: 'elsewhere' }
  | {
      kind: 'applied'
      /** Done with, whether they counted or not. */
      parts: number
      /** Not waiting any more, though not applied: early ones, and those that cannot be read. */
      aside: number
      /** Early ones that can be applied now. */
      madeReady: number
      /** There may be more. */
      isFull: boolean
      /** Buckets to which links lead that were written down. */
      crossSite: readonly number[]
    }

interface Batch {
  parts: number
  aside: number
  madeReady: number
  crossSite: readonly number[]
  pages: number
  written?: WrittenReports
  recorded?: RecordedLines
  /** Parts that cannot be read, and why. */
  corrupt: readonly (PartName & { why: string })[]
}

/** `taken` is told what the transaction works on, also if it fails. */
export async function applyBucket(
  tools: ApplyTools,
  bucket: number,
  size: BatchSize,
  taken: (parts: readonly PartName[]) => void,
): Promise<Applied> {
  const begin = tools.clock.elapsed()
  const done = await tools.database.transact(async (tx) => {
    const db = postgresTx(tx)
    // Sent together: what is read without the lock is thrown away.
    const [mine, parts] = await Promise.all([tryBucket(db, bucket), readyParts(db, bucket, size.parts, size.bytes)])
    if (!mine) return undefined
    taken(parts)
    const batch = await applyParts(tx, tools, bucket, parts)
    if (parts.length > 0) tools.journal.tell({ kind: 'applying', part: parts.length, pages: batch.pages })
    return { batch, isFull: parts.length >= size.parts || bytesOf(parts) >= size.bytes }
  })
  if (done === undefined) return { kind: 'elsewhere' }
  const { batch, isFull } = done
  durable(tools, batch)
  const { parts, pages, aside, madeReady, crossSite } = batch
  if (parts > 0) tools.journal.tell({ kind: 'applied', parts, pages, tookMs: tools.clock.elapsed() - begin })
  return { kind: 'applied', parts, aside, madeReady, isFull, crossSite }
}

const bytesOf = (parts: readonly ReadyPart[]): number => parts.reduce((sum, { body }) => sum + body.length, 0)

async function applyParts(tx: Tx, tools: ApplyTools, bucket: number, parts: readonly ReadyPart[]): Promise<Batch> {
  const db = postgresTx(tx)
  const { read, corrupt } = decoded(bucket, parts)
  const reports = read.map(({ report }) => report)
  if (reports.length === 0) {
    await setAside(db, bucket, corrupt)
    return { parts: 0, aside: corrupt.length, madeReady: 0, crossSite: [], pages: 0, corrupt }
  }
  const looked = await tools.rechecks?.look(tx, reports)
  const seen = looked?.forFrontier ?? reports
  const [results, before] = await Promise.all([
    tools.ledger.applyParts(
      tx,
      seen.map((report) => staying(bucket, report)),
    ),
    readBefore(tx, bucket, reports),
  ])
  await looked?.settled(results)
  const links = seen.flatMap((report, at) => (results[at] === 'applied' ? leaving(bucket, report) : []))
  const counting = reports
    .filter((_, at) => results[at] === 'applied')
    .map((report) => looked?.forCatalogue(report) ?? report)
  const early = read.filter((_, at) => results[at] === 'out-of-order')
  const done = read.filter((_, at) => results[at] !== 'out-of-order')
  const { sums, lines, pages } = told(counting, tools.clock)
  const [crossSite, written, recorded, madeReady] = await Promise.all([
    addCrossSite(db, links),
    counting.length === 0 ? undefined : writeReports(tx, bucket, counting, before, sums, tools.volumes),
    lines === '' ? undefined : tools.log.record(tx, lines),
    makeReady(db, bucket, nextParts(reports, results)),
    markEarly(db, bucket, early),
    removeParts(db, bucket, done),
    setAside(db, bucket, corrupt),
  ])
  const aside = early.length + corrupt.length
  return { parts: done.length, aside, madeReady, crossSite, pages, written, recorded, corrupt }
}

/** The transaction is: only now may others refer to the payloads, and only now is it true what the log says. */
function durable({ filter, volumes, log, journal }: ApplyTools, { written, recorded, corrupt }: Batch): void {
  if (written !== undefined) {
    for (const digest of written.fresh) filter.add(digest)
    volumes.remember(written.volumes)
  }
  if (recorded !== undefined) log.written(recorded)
  for (const { why } of corrupt)
    journal.tell({ kind: 'trouble', what: `a report part cannot be read (${why}): set aside in the inbox` })
}

interface ReadPart extends PartName {
  report: VisitReport
}

/** The parts of a visit in their order, however they came. */
function decoded(
  bucket: number,
  parts: readonly ReadyPart[],
): { read: ReadPart[]; corrupt: (PartName & { why: string })[] } {
  const read: ReadPart[] = []
  const corrupt: (PartName & { why: string })[] = []
  for (const part of parts) {
    const name = { visit: part.visit, part: part.part }
    try {
      const report = openPart(part)
      if (bucketOf('postgres', siteKeyOf(report.site)) !== bucket)
        throw new RangeError('its site is not that of its visit')
      read.push({ ...name, report })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      corrupt.push({ ...name, why: error.message })
    }
  }
  read.sort((a, b) => (a.visit === b.visit ? a.part - b.part : a.visit < b.visit ? -1 : 1))
  return { read, corrupt }
}

function told(reports: readonly VisitReport[], clock: Clock): { sums: CounterSums; lines: string; pages: number } {
  const sums = new CounterSums()
  let lines = ''
  let pages = 0
  for (const report of reports) {
    lines += linesOf(report)
    sums.add(report.site, report.counts, momentOf(report, clock))
    pages += report.pages.length
  }
  return { sums, lines, pages }
}

/** What can follow now, of each visit of which a part was applied. */
function nextParts(reports: readonly VisitReport[], results: readonly PartResult[]): PartName[] {
  const last = new Map<string, number>()
  for (const [at, { visit, part }] of reports.entries()) if (results[at] === 'applied') last.set(visit, part)
  return [...last].map(([visit, part]) => ({ visit, part: part + 1 }))
}
