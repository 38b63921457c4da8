/** Answers that drip: slow ones without much in them, under a pattern, on a site that is quick elsewhere. */
import type { Family } from './family.ts'
import { hasRest, type PatternFinding, type Sight } from './finding.ts'
import type { PageFacts } from './page-facts.ts'

const SLOW_MS = 8_000
/** Bytes a second; an answer that takes long because it is large is not slow. */
const SLOW_RATE = 512
const ANSWERS = 4

export type Pace = [usual: number, slow: number]

export function isSlow({ tookMs, bytes }: PageFacts): boolean {
  return tookMs >= SLOW_MS && (bytes * 1000) / tookMs < SLOW_RATE
}

export function judgePace(family: Family, [usual, slow]: Pace, { novel }: Sight): PatternFinding | undefined {
  const { pattern, answers, examples } = family
  if (family.slow < ANSWERS || family.slow * 5 < answers * 4 || !hasRest(novel, family.kinds)) return undefined
  const usualElsewhere = usual - (answers - family.slow)
  const slowElsewhere = slow - family.slow
  if (usualElsewhere <= slowElsewhere) return undefined
  const evidence = `${family.slow} of ${answers} answers took over ${SLOW_MS / 1000} s at under ${SLOW_RATE} bytes a second; elsewhere on the site ${slowElsewhere} of ${usualElsewhere + slowElsewhere}`
  return { rule: 'drip-feed', proof: 'pace', pattern, evidence, examples }
}
