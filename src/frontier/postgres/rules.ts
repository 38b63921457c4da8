/** What every operation needs to know, beside the transaction. What is in memory here is never the truth. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import { Affinity } from '../affinity.ts'
import type { FrontierOptions } from '../house.ts'
import { type HouseRules, houseRules } from '../house-rules.ts'
import { sharedTime } from '../house-time.ts'
import { KnownTexts } from '../known-texts.ts'
import { AliasBook } from './alias-book.ts'
import { Hints } from './hints.ts'

export interface Rules extends HouseRules {
  affinity: Affinity
  /** Where something is due, and when. */
  hints: Hints
  aliases: AliasBook
  texts: KnownTexts
  /** Sites, by their names, that are no strangers: they never become any. */
  trusted: KnownTexts
  /** Transactions that have written: what they read may be their own, and never come to be. */
  writers: WeakSet<PostgresTx>
}

/** Of 8 bytes each. */
const MOST_TRUSTED = 2 ** 21

export function rulesOf(options: FrontierOptions): Rules {
  const house = houseRules(options)
  const affinity = new Affinity(options.affinity?.fleet, options.affinity?.windowMs)
  return {
    ...house,
    time: options.leasesOutlive ? sharedTime(options.clock) : house.time,
    affinity,
    hints: new Hints(affinity),
    aliases: new AliasBook(options.urls),
    texts: new KnownTexts(),
    trusted: new KnownTexts(MOST_TRUSTED),
    writers: new WeakSet(),
  }
}
