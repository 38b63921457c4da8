/** Hazards of a site, with the rule and the evidence. */

import type { Verdict } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { verdictRow } from './verdict-row.ts'

const WITHDRAW = `
  UPDATE verdict SET withdrawn_at = ?, evidence = evidence || '; ' || ?
  WHERE site = ? AND rule = ? AND pattern = ? AND withdrawn_at IS NULL`

export function writeVerdicts(tx: Tx, site: bigint, verdicts: readonly Verdict[]): void {
  const db = sqliteTx(tx)
  for (const { rule, evidence, at, pattern, examples, withdrawn } of verdicts.map(verdictRow)) {
    if (withdrawn) {
      db.run(WITHDRAW, at, evidence, site, rule, pattern)
      continue
    }
    db.run(
      'INSERT INTO verdict (site, rule, evidence, at, pattern, examples) VALUES (?, ?, ?, ?, ?, ?)',
      site,
      rule,
      evidence,
      at,
      pattern,
      examples,
    )
  }
}
