/** What operations need beside the transaction. What is in memory here is only a cache. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { FrontierOptions } from '../contract.ts'
import { KnownTexts } from '../known-url-cache.ts'
import { type SharedTools, sharedTools } from '../tools.ts'
import { Affinity } from './affinity.ts'
import { AliasTable } from './aliases.ts'
import { DueCache } from './due-cache.ts'

export interface FrontierTools extends SharedTools {
  affinity: Affinity
  dueCache: DueCache
  aliases: AliasTable
  texts: KnownTexts
  /** Sites, by their names, that are endorsed: that never changes. */
  trusted: KnownTexts
  /** Transactions that have written: what they read may be their own, and be rolled back. */
  writers: WeakSet<PostgresTx>
}

/** 8 bytes each. */
const MAX_TRUSTED = 2 ** 21

export function toolsOf(options: FrontierOptions): FrontierTools {
  const affinity = new Affinity(options.affinity?.workers, options.affinity?.windowMs)
  return {
    ...sharedTools(options, true),
    affinity,
    dueCache: new DueCache(affinity),
    aliases: new AliasTable(options.urls),
    texts: new KnownTexts(),
    trusted: new KnownTexts(MAX_TRUSTED),
    writers: new WeakSet(),
  }
}
