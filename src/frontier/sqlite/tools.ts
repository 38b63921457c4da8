/** What every operation needs to know, beside the transaction. */

import { KnownTexts } from '../known-texts.ts'
import type { FrontierOptions } from '../options.ts'
import { type SharedTools, sharedTools } from '../tools.ts'
import { AliasBook } from './aliases.ts'
import { UnendorsedSites } from './domains.ts'

export interface FrontierTools extends SharedTools {
  aliases: AliasBook
  unendorsed: UnendorsedSites
  texts: KnownTexts
}

export function rulesOf(options: FrontierOptions): FrontierTools {
  return {
    ...sharedTools(options),
    aliases: new AliasBook(options.urls),
    unendorsed: new UnendorsedSites(),
    texts: new KnownTexts(),
  }
}
