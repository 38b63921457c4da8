import type { Instant, Millis } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { PgValue } from '../../database/postgres/values.ts'
import type { Party } from '../second-opinion.ts'
import type { DueCache } from './due-cache.ts'
import { notForOthers } from './not-for-others.ts'
import { type SharedSite, SITE_COLUMNS } from './site-rows.ts'

/** The transition `due` of `../site.ts`, for many sites at once; their ranks were written when they began to wait. */
export const PROMOTE = `
  UPDATE site SET state = 'free' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND state = 'waiting' AND not_before <= $2 ORDER BY not_before LIMIT $3
    FOR UPDATE SKIP LOCKED)`
/** Those that another check-out looks at are passed over. By the columns of the table: what is read of them is in no index. */
export const TAKE_FREE = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND state = 'free' AND holder = $2
    AND ${notForOthers('$4', '$5', '$6')}
  ORDER BY site.losses, site.deferral, site.rank LIMIT $3 FOR UPDATE SKIP LOCKED`
/** Their time has come, but not for everybody yet: those that are not given to whom they lean to stay as they are. */
export const TAKE_LEANING = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND state = 'waiting' AND region = $2 AND not_before <= $3
    AND ${notForOthers('$5', '$6', '$7')}
  ORDER BY site.not_before LIMIT $4 FOR UPDATE SKIP LOCKED`

/** Rows of housekeeping that one check-out does, for each site that it asks for. */
const PROMOTED_EACH = 4
/** Locked for nothing where the bucket has more than its share of the first. */
const SPARE = 2

export interface Taken {
  /** Due, locked, the first come first: never lost (V9), of small crowds, whose turn it is, by rank, due for longest. */
  sites: SharedSite[]
  /** Buckets that may have more that is free, and more that leans to this worker. */
  more: Set<number>
  moreLeaning: Set<number>
}

export interface Taking {
  worker: WorkerId
  party: Party
  now: Instant
  /** Sites that others may have are due since then. */
  overdue: Instant
  /** How much later one may be due that goes before another because of its rank, of those that lean to the worker. */
  windowMs: Millis
  /** By bucket, what sites lean to that lean to this worker. */
  leaningIn(bucket: number): readonly string[]
}

/** Sites set aside for this worker, those that lean to it, and those for anybody, of some buckets: enough of each, when all have some. */
export async function takeFree(
  tx: PostgresTx,
  dueCache: DueCache,
  { worker, party, now, overdue, windowMs, leaningIn }: Taking,
  buckets: readonly number[],
  atMost: number,
): Promise<Taken> {
  const share = Math.ceil(atMost / buckets.length)
  const max = Math.min(atMost, share + SPARE)
  const promotions = PROMOTED_EACH * share
  const sites: SharedSite[] = []
  const more = new Set<number>()
  const moreLeaning = new Set<number>()
  /** A statement that finds nothing costs as much as one that does: what is not there by the hints is not asked for. */
  const take = (sql: string, ...values: PgValue[]) =>
    tx.allExact<SharedSite>(sql, ...values, party.name, party.from, party.to)
  await Promise.all(
    buckets.map(async (bucket) => {
      const regions = dueCache.isDue(bucket, now) ? leaningIn(bucket) : []
      const hasOwn = dueCache.hasAsideIn(bucket, worker)
      const [promoted, own, anybodys, ...leaning] = await Promise.all([
        dueCache.isDue(bucket, overdue) ? tx.run(PROMOTE, bucket, overdue, promotions) : 0,
        hasOwn ? take(TAKE_FREE, bucket, worker, max) : [],
        take(TAKE_FREE, bucket, '', max),
        ...regions.map((region) => take(TAKE_LEANING, bucket, region, now, max)),
      ])
      sites.push(...own, ...anybodys, ...leaning.flat())
      // Not of what was not asked for: it may have been set aside meanwhile.
      if (hasOwn && own.length === 0) dueCache.nothingAside(bucket, worker)
      if (promoted === promotions || anybodys.length === max || own.length === max) more.add(bucket)
      if (leaning.some(({ length }) => length === max)) moreLeaning.add(bucket)
    }),
  )
  const turnOf = turnsOf(sites, windowMs)
  sites.sort(
    (a, b) =>
      a.losses - b.losses ||
      a.deferral - b.deferral ||
      turnOf(a) - turnOf(b) ||
      a.rank - b.rank ||
      a.not_before - b.not_before,
  )
  return { sites, more, moreLeaning }
}

/**
 * Those that lean to the worker are met by age: one that the order lets come last would be met each time, and who waits behind
 * it in its bucket never. So its turn comes when all have been given that were due a window after it, or sooner.
 */
function turnsOf(sites: readonly SharedSite[], windowMs: Millis): (site: SharedSite) => number {
  const latest =
    windowMs +
    sites.reduce((min, site) => (isLeaning(site) ? Math.min(min, site.not_before) : min), Number.POSITIVE_INFINITY)
  return (site) => (isLeaning(site) && site.not_before > latest ? 1 : 0)
}

const isLeaning = ({ state }: SharedSite): boolean => state === 'waiting'
