/** What every operation needs to know, beside the transaction. */
import type { FrontierOptions } from '../house.ts'
import { type HouseRules, houseRules } from '../house-rules.ts'
import { KnownTexts } from '../known-texts.ts'
import { AliasBook } from './alias-book.ts'
import { StrangerBook } from './strangers.ts'

export interface Rules extends HouseRules {
  aliases: AliasBook
  strangers: StrangerBook
  texts: KnownTexts
}

export function rulesOf(options: FrontierOptions): Rules {
  return {
    ...houseRules(options),
    aliases: new AliasBook(options.urls),
    strangers: new StrangerBook(),
    texts: new KnownTexts(),
  }
}
