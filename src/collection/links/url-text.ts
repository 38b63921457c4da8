/** From the two keys of a URL (signed, as the tables hold them) to its text: a page's, or one that the frontier knows. */
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { siteAt } from '../site-key.ts'

export async function urlText(tx: Tx, site: bigint, key: bigint): Promise<string | undefined> {
  const row = await queries(tx).get<{ url: string }>(
    `SELECT url FROM page WHERE bucket = ?1 AND site = ?2 AND key = ?3
     UNION ALL SELECT url FROM url WHERE bucket = ?1 AND site = ?2 AND key = ?3 LIMIT 1`,
    ...siteAt(tx.dialect, site),
    key,
  )
  return row?.url
}
