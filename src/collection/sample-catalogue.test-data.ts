/** Writes reports into the catalogue of either database as `intake` does, without a frontier. */

import { NOON } from '../../testkit/contracts/intake/sample-report.contract.ts'
import type { VisitReport } from '../contracts/report.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Database, Tx } from '../database/database.ts'
import { postgresTx } from '../database/postgres/tx.ts'
import { DigestFilter } from './captures/digest-filter.ts'
import { CaptureWriter } from './captures/write-capture.ts'
import { CounterSums, writeSums } from './counters/counters.ts'
import { giveUpPages, writeFindings, writePage } from './pages/write-page.ts'
import { tryBucket } from './postgres/bucket.ts'
import { VolumeIds } from './postgres/write-captures.ts'
import { readBefore, writeReports } from './postgres/write-reports.ts'

export async function applyReports(database: Database, reports: readonly VisitReport[]): Promise<void> {
  if (database.dialect === 'sqlite') return database.transact((tx) => onSqlite(tx, reports))
  const buckets = Map.groupBy(reports, ({ site }) => bucketOf('postgres', siteKeyOf(site)))
  for (const [bucket, together] of buckets) await database.transact((tx) => onPostgres(tx, bucket, together))
}

function onSqlite(tx: Tx, reports: readonly VisitReport[]): void {
  const captures = new CaptureWriter(DigestFilter.ofBits(1024))
  for (const report of reports) {
    const site = siteKeyOf(report.site)
    for (const page of report.pages) {
      captures.write(tx, site, page)
      if (!page.ownRequest) writePage(tx, site, page)
    }
    writeFindings(tx, site, report.findings)
    if (report.ended === 'given-up') giveUpPages(tx, site)
  }
  writeSums(tx, sumsOf(reports))
}

async function onPostgres(tx: Tx, bucket: number, reports: readonly VisitReport[]): Promise<void> {
  await tryBucket(postgresTx(tx), bucket)
  const before = await readBefore(tx, bucket, reports)
  await writeReports(tx, bucket, reports, before, sumsOf(reports), new VolumeIds())
}

function sumsOf(reports: readonly VisitReport[]): CounterSums {
  const sums = new CounterSums()
  for (const { site, counts, pages } of reports) sums.add(site, counts, pages[0]?.at ?? NOON)
  return sums
}
