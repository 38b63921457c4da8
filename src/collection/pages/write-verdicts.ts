/** Hazards of a site, with the rule and the evidence. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Verdict } from '../../visit/report.ts'
import { verdictRow } from './verdict-row.ts'

export function writeVerdicts(tx: Tx, site: bigint, verdicts: readonly Verdict[]): void {
  for (const { rule, evidence, at, pattern, examples } of verdicts.map(verdictRow)) {
    sqliteTx(tx).run(
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
