/** A page's out-links as they are read: packed (`contracts/adjacency.ts` unpacks them). */
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { placeOf } from '../row-id.ts'

export async function linksOfPage(tx: Tx, page: number): Promise<Uint8Array | undefined> {
  const sql = 'SELECT links FROM page_links WHERE bucket = ? AND page = ?'
  return (await queries(tx).get<{ links: Uint8Array }>(sql, ...placeOf(page)))?.links
}
