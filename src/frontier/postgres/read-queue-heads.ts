import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'

export const READ_QUEUE_HEADS = `
  SELECT n.site, f.enqueued_at::float8 AS fresh, d.due_at::float8 AS due FROM unnest($2::bigint[]) AS n (site)
  LEFT JOIN LATERAL (
    SELECT enqueued_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1) f ON true
  LEFT JOIN LATERAL (
    SELECT due_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1) d ON true`

export interface QueueHead {
  /** Since when the oldest unmarked URL waits, or will. */
  oldest: Instant
  /** When the first of them may be asked for; 0 is at once. */
  due: Instant
}

interface HeadRow {
  site: bigint
  fresh: number | null
  due: number | null
}

/** Of sites with something to ask. */
export async function readQueueHeads(
  tx: PostgresTx,
  sites: readonly { key: bigint }[],
): Promise<Map<bigint, QueueHead>> {
  const heads = new Map<bigint, QueueHead>()
  await eachBucket(
    byBucket(sites, ({ key }) => key),
    async (bucket, some) => {
      for (const { site, fresh, due } of await tx.allExact<HeadRow>(READ_QUEUE_HEADS, bucket, column(some, 'key'))) {
        if (fresh !== null) heads.set(site, { oldest: Math.min(fresh, due ?? fresh), due: 0 })
        else if (due !== null) heads.set(site, { oldest: due, due })
      }
    },
  )
  return heads
}
