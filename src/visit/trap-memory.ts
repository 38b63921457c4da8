/**
 * What trap detectors remember of a site between pages, visits and restarts. Plain JSON, at most about 16 KB however large
 * the site is; a field that is missing reads as "nothing seen yet". Written and read by `hazards/` alone.
 */
import type { Instant } from '../base/clock.ts'

/** A pattern of URLs that is followed no more. */
export interface StoppedPattern {
  /** As people read it: `/calendar/#/#`. */
  pattern: string
  rule: string
  evidence: string
  at: Instant
  /** URLs of it that were not asked for since. */
  refused: number
  /** At most three of its URLs. */
  examples: string[]
}

export interface TrapMemory {
  stopped: StoppedPattern[]
}
