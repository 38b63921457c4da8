/** How much is durable and not applied yet, whoever looks. */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

const COUNT = {
  sqlite: 'SELECT count(*) AS n FROM inbox WHERE corrupt IS NULL',
  postgres: `SELECT (SELECT count(*) FROM inbox WHERE corrupt IS NULL) + (SELECT count(*) FROM cross_site_link WHERE corrupt IS NULL) AS n`,
}

/** Parts, and links on their way to another bucket; without what was set aside for good. */
export async function partsWaiting(tx: Tx): Promise<number> {
  return (await queries(tx).get<{ n: number }>(COUNT[tx.dialect]))!.n
}
