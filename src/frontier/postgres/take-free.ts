import type { Instant } from '../../base/clock.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { WorkerId } from '../../visit/visit.ts'
import type { SiteRow } from '../site-row.ts'
import type { Hints } from './hints.ts'
import { SITE_COLUMNS } from './site-rows.ts'

/** The transition `due` of `../site.ts`, for many sites at once; their ranks were written when they began to wait. */
export const PROMOTE = `
  UPDATE site SET state = 'free' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND state = 'waiting' AND not_before <= $2 ORDER BY not_before LIMIT $3
    FOR UPDATE SKIP LOCKED)`
/** Those that another check-out looks at are passed over. By the columns of the table: what is read of them is in no index. */
export const TAKE_FREE = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND state = 'free' AND holder = $2
  ORDER BY site.losses, site.crowd, site.rank LIMIT $3 FOR UPDATE SKIP LOCKED`
export const READ_NEXT_DUE = `
  SELECT not_before::float8 AS due FROM site WHERE bucket = $1 AND state = 'waiting' ORDER BY not_before LIMIT 1`

/** Rows of housekeeping that one check-out does, for each site that it asks for. */
const PROMOTED_EACH = 4
/** Locked for nothing where the bucket has more than its share of the first. */
const SPARE = 2

export interface Taken {
  /** Free, locked, the first come first: never lost (V9), of small crowds, by rank. */
  sites: SiteRow[]
  /** Buckets that have no more, for this worker. */
  empty: Map<number, Instant>
}

/** Sites set aside for this worker and those for anybody, of some buckets: enough of each, when all have some. */
export async function takeFree(
  tx: PostgresTx,
  hints: Hints,
  worker: WorkerId,
  buckets: readonly number[],
  atMost: number,
  now: Instant,
): Promise<Taken> {
  const share = Math.ceil(atMost / buckets.length)
  const most = Math.min(atMost, share + SPARE)
  const promotions = PROMOTED_EACH * share
  const sites: SiteRow[] = []
  const empty = new Map<number, Instant>()
  await Promise.all(
    buckets.map(async (bucket) => {
      const [promoted, anybodys, own, next] = await Promise.all([
        tx.run(PROMOTE, bucket, now, promotions),
        tx.allExact<SiteRow>(TAKE_FREE, bucket, '', most),
        tx.allExact<SiteRow>(TAKE_FREE, bucket, worker, most),
        tx.get<{ due: number }>(READ_NEXT_DUE, bucket),
      ])
      sites.push(...anybodys, ...own)
      if (own.length === 0) hints.nothingAside(bucket, worker)
      if (promoted === promotions || anybodys.length === most || own.length === most) return
      empty.set(bucket, next?.due ?? Number.POSITIVE_INFINITY)
    }),
  )
  sites.sort((a, b) => a.losses - b.losses || a.crowd - b.crowd || a.rank - b.rank)
  return { sites, empty }
}
