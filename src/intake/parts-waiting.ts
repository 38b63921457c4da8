/** How much is durable and not applied yet, whoever looks. */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

/** Without what was set aside for good. */
export async function partsWaiting(tx: Tx): Promise<number> {
  const row = await queries(tx).get<{ n: number }>('SELECT count(*) AS n FROM inbox WHERE spoilt IS NULL')
  return row!.n
}
