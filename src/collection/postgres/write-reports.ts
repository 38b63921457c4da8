/**
 * Writes the applied reports of one bucket into its catalogue: pages, links, captures, findings, sums. The caller holds the
 * bucket's lock. A bounded number of statements and three round trips, however many reports there are.
 */
import type { VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { type CounterSums, writeBucketSums } from '../counters/counters.ts'
import { findingRow } from '../pages/page-row.ts'
import { columnsOf, reserveRows } from './bucket.ts'
import { addPayloads, capturesIn, type VolumeIds, writeCaptures } from './write-captures.ts'
import { PageChanges, readKnown, writePages } from './write-pages.ts'

/**
 * What must be known before the first row is written. Asked at the same time as the frontier, so for all reports that may
 * turn out to count.
 */
export async function readBefore(tx: Tx, bucket: number, reports: readonly VisitReport[]) {
  const db = postgresTx(tx)
  // A page may be new and have a capture.
  const rows = reports.reduce((sum, { pages, findings }) => sum + 2 * pages.length + findings.length, 0)
  const [before, nextId] = await Promise.all([readKnown(db, bucket, reports), reserveRows(db, bucket, rows)])
  return { ...before, nextId }
}

export type WrittenReports = Awaited<ReturnType<typeof writeReports>>

/** Returns the digests that are new to the collection, and the ids of volumes: for memory, once the transaction is durable. */
export async function writeReports(
  tx: Tx,
  bucket: number,
  reports: readonly VisitReport[],
  { known, indexedUpto, nextId }: Awaited<ReturnType<typeof readBefore>>,
  sums: CounterSums,
  volumeIds: VolumeIds,
) {
  const db = postgresTx(tx)
  const pages = new PageChanges(known, nextId)
  for (const report of reports) pages.add(report)
  const captures = capturesIn(reports, nextId)
  const names = captures.map(({ volume }) => volume)
  const [fresh, volumes] = await Promise.all([
    // Other buckets may need these two as well: in this order, and after everything of the frontier.
    addPayloads(db, bucket, captures),
    volumeIds.of(db, names),
    writePages(db, bucket, pages.changed(), pages.givenUp, indexedUpto),
    writeFindings(db, bucket, reports, nextId),
    writeBucketSums(db, bucket, sums),
  ])
  await writeCaptures(db, bucket, captures, fresh, volumes)
  return { fresh, volumes }
}

const WRITE_FINDINGS = `
  INSERT INTO finding (bucket, id, site, rule, evidence, at, pattern, examples)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])`
const WITHDRAW_FINDINGS = `
  UPDATE finding v SET withdrawn_at = n.at, evidence = v.evidence || '; ' || n.evidence
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS n (site, rule, pattern, at, evidence)
  WHERE v.bucket = $1 AND v.site = n.site AND v.rule = n.rule AND v.pattern = n.pattern AND v.at < n.at
    AND v.withdrawn_at IS NULL`

async function writeFindings(
  tx: PostgresTx,
  bucket: number,
  reports: readonly VisitReport[],
  nextId: () => number,
): Promise<void> {
  const all = reports.flatMap(({ site, findings }) =>
    findings.map((finding) => ({ id: nextId(), site: siteKeyOf(site), ...findingRow(finding) })),
  )
  const found = all.filter(({ withdrawn }) => !withdrawn)
  const wrong = all.filter(({ withdrawn }) => withdrawn)
  // New findings first: a withdrawn one may be among them.
  if (found.length > 0) {
    const columns = columnsOf(found, 'id', 'site', 'rule', 'evidence', 'at', 'pattern', 'examples')
    await tx.run(WRITE_FINDINGS, bucket, ...columns)
  }
  if (wrong.length > 0)
    await tx.run(WITHDRAW_FINDINGS, bucket, ...columnsOf(wrong, 'site', 'rule', 'pattern', 'at', 'evidence'))
}
