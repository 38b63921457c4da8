/** Hazards of a site, with the rule and the evidence. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Verdict } from '../../visit/report.ts'

const LONGEST_EVIDENCE = 2000
const MOST_EXAMPLES = 3

export function writeVerdicts(tx: Tx, site: bigint, verdicts: readonly Verdict[]): void {
  for (const { rule, evidence, at, pattern, examples } of verdicts) {
    sqliteTx(tx).run(
      'INSERT INTO verdict (site, rule, evidence, at, pattern, examples) VALUES (?, ?, ?, ?, ?, ?)',
      site,
      rule,
      evidence.slice(0, LONGEST_EVIDENCE),
      Math.round(at),
      pattern?.slice(0, LONGEST_EVIDENCE) ?? null,
      examples === undefined ? null : JSON.stringify(examples.slice(0, MOST_EXAMPLES)),
    )
  }
}
