/** Which payloads the collection has, on PostgreSQL: by a table of their own, whose rows belong to no bucket. */

import type { StoredCopy } from '../../contracts/ports.ts'
import { shardOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'

export const READ_PAYLOAD = 'SELECT bucket, capture FROM payload WHERE shard = $1 AND digest = $2'
export const READ_TWIN = 'SELECT url, at FROM capture WHERE bucket = $1 AND id = $2'
const READ_PIECE = `
  SELECT shard, digest FROM payload WHERE (shard, digest) > ($1, $2) ORDER BY shard, digest LIMIT $3`
const READ_NEWS = 'SELECT digest FROM payload WHERE seen >= CAST(CAST(? AS text) AS xid8)'
/** Every transaction before this one has ended. */
const READ_MOMENT = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS moment'

/** Two questions, for the two rows may lie on two machines. */
export async function copyOf(tx: Tx, digest: string): Promise<StoredCopy | undefined> {
  const db = postgresTx(tx)
  const payload = await db.get<{ bucket: number; capture: number }>(READ_PAYLOAD, shardOf(digest), digest)
  return payload === undefined ? undefined : db.get<StoredCopy>(READ_TWIN, payload.bucket, payload.capture)
}

export interface PayloadLocation {
  shard: number
  digest: string
}

/** In the order of their key; `after` undefined: from the beginning. */
export function payloadsAfter(tx: Tx, after: PayloadLocation | undefined, atMost: number): Promise<PayloadLocation[]> {
  return postgresTx(tx).all<PayloadLocation>(READ_PIECE, after?.shard ?? -1, after?.digest ?? '', atMost)
}

/** What was applied since, by whichever server, one by one; some of it twice, none of it never. */
export async function payloadsSince(
  tx: Tx,
  moment: string | undefined,
  take: (digest: string) => void,
): Promise<string> {
  const now = await postgresTx(tx).get<{ moment: string }>(READ_MOMENT)
  if (moment !== undefined)
    for await (const { digest } of queries(tx).each<{ digest: string }>(READ_NEWS, moment)) take(digest)
  return now!.moment
}
