/** The numbers behind `--limits`. */
import type { Millis } from '../../base/clock.ts'
import { UNLIMITED } from './limits.ts'

export interface LimitPreset {
  maxDepth: number
  urlsPerSite: number
  duplicatesPerSite: number
  maxUrlLength: number
  /** Of a body of any type. */
  maxBytes: number
  exchangeMs: Millis
}

/** A site of 20,000 honest pages is collected whole; only what no reader would ever reach is left out. */
export const GENEROUS: LimitPreset = {
  maxDepth: 1_000,
  urlsPerSite: 100_000,
  duplicatesPerSite: UNLIMITED,
  maxUrlLength: 2_000,
  maxBytes: 10_000_000,
  exchangeMs: 60_000,
}

/**
 * The thresholds of the Viúva Negra paper (§6.1). Its own review (§6.4) found that depth 5 stopped 11.3 % of the sites
 * without any hazard there, and that 60 s is too long: a preset, not the default.
 */
export const VN: LimitPreset = {
  maxDepth: 5,
  urlsPerSite: 5_000,
  duplicatesPerSite: 10,
  maxUrlLength: 200,
  maxBytes: 2_000_000,
  exchangeMs: 60_000,
}
