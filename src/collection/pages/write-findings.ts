/** Hazards of a site, with the rule and the evidence. */

import type { Finding } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { findingRow } from './finding-row.ts'

const WITHDRAW = `
  UPDATE finding SET withdrawn_at = ?, evidence = evidence || '; ' || ?
  WHERE site = ? AND rule = ? AND pattern = ? AND withdrawn_at IS NULL`

export function writeFindings(tx: Tx, site: bigint, findings: readonly Finding[]): void {
  const db = sqliteTx(tx)
  for (const { rule, evidence, at, pattern, examples, withdrawn } of findings.map(findingRow)) {
    if (withdrawn) {
      db.run(WITHDRAW, at, evidence, site, rule, pattern)
      continue
    }
    db.run(
      'INSERT INTO finding (site, rule, evidence, at, pattern, examples) VALUES (?, ?, ?, ?, ?, ?)',
      site,
      rule,
      evidence,
      at,
      pattern,
      examples,
    )
  }
}
