/** What every operation needs to know, beside the transaction. What is in memory here is never the truth. */
import type { FrontierOptions } from '../house.ts'
import { type HouseRules, houseRules } from '../house-rules.ts'
import { Hints } from './hints.ts'

export interface Rules extends HouseRules {
  /** Where something is due, and when. */
  hints: Hints
}

export function rulesOf(options: FrontierOptions): Rules {
  return { ...houseRules(options), hints: new Hints() }
}
