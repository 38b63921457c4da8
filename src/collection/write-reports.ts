/**
 * Writes applied reports into the catalogue: pages, links, captures, findings. On PostgreSQL those of one bucket, whose lock
 * the caller holds: three round trips and a bounded number of statements, however many reports there are; withdrawn findings,
 * given-up sites and new volumes, which are rare, have statements of their own.
 */
import type { VisitReport } from '../contracts/report.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { rowWriter, writeRows } from '../database/write-rows.ts'
import { reserveRows } from './bucket.ts'
import type { DigestFilter } from './captures/digest-filter.ts'
import {
  captureRows,
  capturesIn,
  newPayloads,
  payloadsOf,
  volumeIds,
  WRITE_CAPTURES,
} from './captures/write-captures.ts'
import { type KnownPage, PageChanges, readKnown } from './pages/page-changes.ts'
import { findingRow } from './pages/page-row.ts'

/** What must be known before the first row is written. */
export interface Before {
  known: readonly KnownPage[]
  indexedUpto: number
  nextPage(): number
  /** Of captures and findings; null where the database gives it. */
  nextRow(): number | null
}

/** The catalogue in one transaction. `bucket`: 0 on SQLite, which has one. */
export function catalogueWriter(tx: Tx, bucket: number, filter: DigestFilter) {
  /** Payloads that this transaction has brought. */
  const brought: string[] = []

  const rowIds = async (reports: readonly VisitReport[]): Promise<Pick<Before, 'nextPage' | 'nextRow'>> => {
    // A page may be new and have a capture.
    const rows = reports.reduce((sum, { pages, findings }) => sum + 2 * pages.length + findings.length, 0)
    const nextRow = await reserveRows(tx, bucket, rows)
    // The rows of a page's links need its id.
    let last = tx.dialect === 'sqlite' ? await lastPage(tx) : 0
    return { nextPage: () => nextRow() ?? ++last, nextRow }
  }
  return {
    /** On PostgreSQL asked at the same time as the frontier, so for all reports that may turn out to count. */
    async readBefore(reports: readonly VisitReport[]): Promise<Before> {
      const [before, ids] = await Promise.all([readKnown(tx, bucket, reports), rowIds(reports)])
      return { ...before, ...ids }
    },
    async write(reports: readonly VisitReport[], { known, indexedUpto, nextPage, nextRow }: Before): Promise<void> {
      const pages = new PageChanges(known, nextPage)
      for (const report of reports) pages.add(report)
      const captures = capturesIn(reports, nextRow)
      const names = captures.map(({ volume }) => volume)
      const [fresh, ids] = await Promise.all([
        // Other buckets may need these two as well: in this order, and after everything of the frontier.
        newPayloads(tx, bucket, payloadsOf(captures)),
        volumeIds(tx, names),
        pages.write(tx, bucket, indexedUpto),
        writeFindings(tx, bucket, reports, nextRow),
      ])
      brought.push(...fresh)
      await writeRows(tx, WRITE_CAPTURES, bucket, captureRows(captures, fresh, ids))
    },
    /** The transaction has committed: revisit records may now refer to its payloads. */
    durable(): void {
      for (const digest of brought) filter.add(digest)
    },
  }
}

async function lastPage(tx: Tx): Promise<number> {
  return (await queries(tx).get<{ id: number | null }>('SELECT max(id) AS id FROM page'))?.id ?? 0
}

type FindingRow = Omit<ReturnType<typeof findingRow>, 'withdrawn'> & { id: number | null; site: bigint }

export const WRITE_FINDINGS = rowWriter<FindingRow>('finding', [
  ...(['id', 'site', 'rule', 'evidence', 'at', 'pattern', 'examples'] as const),
])
export const WITHDRAW = `
  UPDATE finding SET withdrawn_at = ?1, evidence = evidence || '; ' || ?2
  WHERE bucket = ?3 AND site = ?4 AND rule = ?5 AND pattern = ?6 AND at <= ?1 AND withdrawn_at IS NULL`

/** New findings first: a withdrawn one may be among them. */
async function writeFindings(
  tx: Tx,
  bucket: number,
  reports: readonly VisitReport[],
  nextId: () => number | null,
): Promise<void> {
  const all = reports.flatMap(({ site, findings }) =>
    findings.map((finding) => ({ id: nextId(), site: siteKeyOf(site), ...findingRow(finding) })),
  )
  const withdrawn = all.filter((finding) => finding.withdrawn)
  await Promise.all([
    writeRows(
      tx,
      WRITE_FINDINGS,
      bucket,
      all.filter((finding) => !finding.withdrawn),
    ),
    ...withdrawn.map(({ site, rule, pattern, at, evidence }) =>
      queries(tx).run(WITHDRAW, at, evidence, bucket, site, rule, pattern),
    ),
  ])
}
