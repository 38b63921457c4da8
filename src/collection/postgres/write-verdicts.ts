import type { VisitReport } from '../../contracts/report.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { verdictRow } from '../pages/verdict-row.ts'
import { siteKeyOf } from '../site-key.ts'

export const WRITE_VERDICTS = `
  INSERT INTO verdict (bucket, id, site, rule, evidence, at, pattern, examples)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])`

export const WITHDRAW_VERDICTS = `
  UPDATE verdict v SET withdrawn_at = n.at, evidence = v.evidence || '; ' || n.evidence
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS n (site, rule, pattern, at, evidence)
  WHERE v.bucket = $1 AND v.site = n.site AND v.rule = n.rule AND v.pattern = n.pattern AND v.at < n.at
    AND v.withdrawn_at IS NULL`

export async function writeVerdicts(
  tx: PostgresTx,
  bucket: number,
  reports: readonly VisitReport[],
  nextId: () => number,
): Promise<void> {
  const all = reports.flatMap(({ site, verdicts }) =>
    verdicts.map((verdict) => ({ id: nextId(), site: siteKeyOf(site), ...verdictRow(verdict) })),
  )
  const rows = all.filter(({ withdrawn }) => !withdrawn)
  // What is withdrawn was told by an earlier report; of one of these, it is written first.
  if (rows.length > 0) await tx.run(WRITE_VERDICTS, bucket, ...WRITTEN.map((name) => rows.map((row) => row[name])))
  const wrong = all.filter(({ withdrawn }) => withdrawn)
  if (wrong.length > 0)
    await tx.run(WITHDRAW_VERDICTS, bucket, ...WITHDRAWN.map((name) => wrong.map((row) => row[name])))
}

/** In the order of the statements' parameters. */
const WRITTEN = ['id', 'site', 'rule', 'evidence', 'at', 'pattern', 'examples'] as const
const WITHDRAWN = ['site', 'rule', 'pattern', 'at', 'evidence'] as const
