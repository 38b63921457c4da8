import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { AwaitedCapture } from '../awaited-capture.ts'

export const READ_AWAITED = `
  SELECT site, key, first_worker, digest, text_digest, simhash FROM recheck
  WHERE bucket = $1 AND site = ANY($2::bigint[]) AND comparison IS NULL`

/** What is to be compared, of many sites at once. */
export async function readAwaited(tx: Tx, sites: readonly bigint[]): Promise<AwaitedCapture[]> {
  const db = postgresTx(tx)
  const buckets = Map.groupBy(sites, (site) => bucketOf('postgres', site))
  return (
    await Promise.all([...buckets].map(([bucket, some]) => db.allExact<AwaitedCapture>(READ_AWAITED, bucket, some)))
  ).flat()
}
