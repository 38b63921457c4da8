/** A hazard as its row, whatever the worker said. */
import type { Instant } from '../../base/clock.ts'
import type { Verdict } from '../../contracts/report.ts'

const LONGEST_EVIDENCE = 2000
const MOST_EXAMPLES = 3

export interface VerdictRow {
  rule: string
  evidence: string
  at: Instant
  pattern: string | null
  /** JSON. */
  examples: string | null
  withdrawn: boolean
}

export function verdictRow({ rule, evidence, at, pattern, examples, withdrawn }: Verdict): VerdictRow {
  return {
    rule,
    evidence: evidence.slice(0, LONGEST_EVIDENCE),
    at: Math.round(at),
    pattern: pattern?.slice(0, LONGEST_EVIDENCE) ?? null,
    examples: examples === undefined ? null : JSON.stringify(examples.slice(0, MOST_EXAMPLES)),
    withdrawn: withdrawn === true,
  }
}
