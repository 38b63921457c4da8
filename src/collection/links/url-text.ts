/** From the two keys of a URL (signed, as the tables hold them) to its text: a page's, or one that the frontier knows. */
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'

export function urlText(tx: Tx, site: bigint, key: bigint): string | undefined {
  const row = sqliteTx(tx).get<{ url: string }>(
    `SELECT url FROM page WHERE site = ?1 AND key = ?2
     UNION ALL SELECT url FROM url WHERE site = ?1 AND key = ?2 LIMIT 1`,
    site,
    key,
  )
  return row?.url
}
