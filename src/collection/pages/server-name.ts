/** From a site's key (signed, as the tables hold it) to its name; undefined when it was never visited. */
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { siteAt } from '../site-key.ts'

export async function serverName(tx: Tx, site: bigint): Promise<string | undefined> {
  const sql = 'SELECT name FROM site_stats WHERE bucket = ? AND site = ?'
  return (await queries(tx).get<{ name: string }>(sql, ...siteAt(tx.dialect, site)))?.name
}
