/** From the two keys of a URL to its text. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'

/** Site and key as the tables hold them (signed). The frontier knows more URLs than pages were made of: assemble joins the two. */
export type UrlText = (tx: Tx, site: bigint, key: bigint) => string | undefined

export const textOfPage: UrlText = (tx, site, key) =>
  sqliteTx(tx).get<{ url: string }>('SELECT url FROM page WHERE site = ? AND key = ?', site, key)?.url

/** The first that knows. */
export function firstOf(...texts: readonly UrlText[]): UrlText {
  return (tx, site, key) => {
    for (const text of texts) {
      const found = text(tx, site, key)
      if (found !== undefined) return found
    }
    return undefined
  }
}
