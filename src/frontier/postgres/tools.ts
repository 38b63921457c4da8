/** What every operation needs to know, beside the transaction. What is in memory here is never the truth. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import { Affinity } from '../affinity.ts'
import { KnownTexts } from '../known-texts.ts'
import type { FrontierOptions } from '../options.ts'
import { type SharedTools, sharedTime, sharedTools } from '../tools.ts'
import { AliasBook } from './aliases.ts'
import { DueCache } from './due-cache.ts'

export interface FrontierTools extends SharedTools {
  affinity: Affinity
  /** Where something is due, and when. */
  dueCache: DueCache
  aliases: AliasBook
  texts: KnownTexts
  /** Sites, by their names, that are no strangers: they never become any. */
  trusted: KnownTexts
  /** Transactions that have written: what they read may be their own, and never come to be. */
  writers: WeakSet<PostgresTx>
}

/** Of 8 bytes each. */
const MAX_TRUSTED = 2 ** 21

export function rulesOf(options: FrontierOptions): FrontierTools {
  const opened = sharedTools(options)
  const affinity = new Affinity(options.affinity?.workers, options.affinity?.windowMs)
  return {
    ...opened,
    time: options.leasesOutlive ? sharedTime(options.clock) : opened.time,
    affinity,
    dueCache: new DueCache(affinity),
    aliases: new AliasBook(options.urls),
    texts: new KnownTexts(),
    trusted: new KnownTexts(MAX_TRUSTED),
    writers: new WeakSet(),
  }
}
