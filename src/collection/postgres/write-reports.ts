/**
 * What the applied reports of one bucket tell, into its catalogue: pages, links, captures, hazards, sums. Whoever calls
 * holds the bucket's lock. A bounded number of statements and three journeys, however many reports there are.
 */

import type { VisitReport } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { CounterSums } from '../counters/counter-sums.ts'
import { findingRow } from '../pages/finding-row.ts'
import { siteKeyOf } from '../site-key.ts'
import { type KnownPage, PageChanges } from './page-changes.ts'
import { type RowIds, reserveRows } from './reserve-rows.ts'
import type { VolumeIds } from './volume-ids.ts'
import { addPayloads, capturesIn, writeCaptures } from './write-captures.ts'
import { readKnown, writePages } from './write-pages.ts'
import { writeSums } from './write-sums.ts'

/** What must be known before the first row is written. */
export interface CatalogueBefore {
  known: readonly KnownPage[]
  indexedUpto: number
  ids: RowIds
}

/** Asked at the same time as the frontier, so for all reports that may turn out to count. */
export async function readBefore(tx: Tx, bucket: number, reports: readonly VisitReport[]): Promise<CatalogueBefore> {
  const db = postgresTx(tx)
  const [{ known, indexedUpto }, ids] = await Promise.all([
    readKnown(db, bucket, reports),
    reserveRows(db, bucket, rowsOf(reports)),
  ])
  return { known, indexedUpto, ids }
}

export interface WrittenReports {
  /** Digests that the collection did not have. */
  fresh: ReadonlySet<string>
  volumes: ReadonlyMap<string, number>
}

export async function writeReports(
  tx: Tx,
  bucket: number,
  reports: readonly VisitReport[],
  before: CatalogueBefore,
  sums: CounterSums,
  volumeIds: VolumeIds,
): Promise<WrittenReports> {
  const db: PostgresTx = postgresTx(tx)
  const nextId = () => before.ids.next()
  const pages = new PageChanges(before.known, nextId)
  for (const report of reports) pages.add(report)
  const captures = capturesIn(reports, nextId)
  const [fresh, volumes] = await Promise.all([
    // These two other buckets may want as well: in this order, and after everything of the frontier.
    addPayloads(db, bucket, captures),
    volumeIds.of(
      db,
      captures.map(({ volume }) => volume),
    ),
    writePages(db, bucket, pages.changed(), pages.givenUp, before.indexedUpto),
    writeFindings(db, bucket, reports, nextId),
    writeSums(db, bucket, sums),
  ])
  await writeCaptures(db, bucket, captures, fresh, volumes)
  return { fresh, volumes }
}

/** A page may be new and have a capture. */
function rowsOf(reports: readonly VisitReport[]): number {
  return reports.reduce((sum, { pages, findings }) => sum + 2 * pages.length + findings.length, 0)
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
  const rows = all.filter(({ withdrawn }) => !withdrawn)
  // What is withdrawn was told by an earlier report; of one of these, it is written first.
  if (rows.length > 0) await tx.run(WRITE_FINDINGS, bucket, ...WRITTEN.map((name) => rows.map((row) => row[name])))
  const wrong = all.filter(({ withdrawn }) => withdrawn)
  if (wrong.length > 0)
    await tx.run(WITHDRAW_FINDINGS, bucket, ...WITHDRAWN.map((name) => wrong.map((row) => row[name])))
}

/** In the order of the statements' parameters. */
const WRITTEN = ['id', 'site', 'rule', 'evidence', 'at', 'pattern', 'examples'] as const
const WITHDRAWN = ['site', 'rule', 'pattern', 'at', 'evidence'] as const
