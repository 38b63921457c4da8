import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { VisitReport } from '../../visit/report.ts'
import { verdictRow } from '../pages/verdict-row.ts'
import { siteKeyOf } from '../site-key.ts'

export const WRITE_VERDICTS = `
  INSERT INTO verdict (bucket, id, site, rule, evidence, at, pattern, examples)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])`

export async function writeVerdicts(
  tx: PostgresTx,
  bucket: number,
  reports: readonly VisitReport[],
  nextId: () => number,
): Promise<void> {
  const rows = reports.flatMap(({ site, verdicts }) =>
    verdicts.map((verdict) => ({ id: nextId(), site: siteKeyOf(site), ...verdictRow(verdict) })),
  )
  if (rows.length === 0) return
  await tx.run(
    WRITE_VERDICTS,
    bucket,
    rows.map(({ id }) => id),
    rows.map(({ site }) => site),
    rows.map(({ rule }) => rule),
    rows.map(({ evidence }) => evidence),
    rows.map(({ at }) => at),
    rows.map(({ pattern }) => pattern),
    rows.map(({ examples }) => examples),
  )
}
