/** Writes reports into the catalogue of either database as `intake` does, without a frontier. */

import { NOON } from '../../testkit/contracts/intake/sample-report.contract.ts'
import type { VisitReport } from '../contracts/report.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Database, Tx } from '../database/database.ts'
import { tryBucket } from './bucket.ts'
import { DigestFilter } from './captures/digest-filter.ts'
import { CounterSums, writeSums } from './counters/counters.ts'
import { catalogueWriter } from './write-reports.ts'

export async function applyReports(database: Database, reports: readonly VisitReport[]): Promise<void> {
  const buckets = Map.groupBy(reports, ({ site }) => bucketOf(database.dialect, siteKeyOf(site)))
  for (const [bucket, together] of buckets)
    await database.transact(async (tx) => {
      await tryBucket(tx, bucket)
      await fileReports(tx, together, bucket)
      await writeSums(tx, bucket, sumsOf(together))
    })
}

/** Without their sums. */
export async function fileReports(tx: Tx, reports: readonly VisitReport[], bucket = 0): Promise<void> {
  const writer = catalogueWriter(tx, bucket, DigestFilter.ofBits(1024))
  await writer.write(reports, await writer.readBefore(reports))
}

function sumsOf(reports: readonly VisitReport[]): CounterSums {
  const sums = new CounterSums()
  for (const { site, counts, pages } of reports) sums.add(site, counts, pages[0]?.at ?? NOON)
  return sums
}
