/** A hazard as its row, whatever the worker said. */
import type { Instant } from '../../base/clock.ts'
import type { Finding } from '../../contracts/report.ts'

const LONGEST_EVIDENCE = 2000
const MAX_EXAMPLES = 3

export interface FindingRow {
  rule: string
  evidence: string
  at: Instant
  pattern: string | null
  /** JSON. */
  examples: string | null
  withdrawn: boolean
}

export function findingRow({ rule, evidence, at, pattern, examples, withdrawn }: Finding): FindingRow {
  return {
    rule,
    evidence: evidence.slice(0, LONGEST_EVIDENCE),
    at: Math.round(at),
    pattern: pattern?.slice(0, LONGEST_EVIDENCE) ?? null,
    examples: examples === undefined ? null : JSON.stringify(examples.slice(0, MAX_EXAMPLES)),
    withdrawn: withdrawn === true,
  }
}
