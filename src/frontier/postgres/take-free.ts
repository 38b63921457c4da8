import type { Instant, Millis } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { PgValue } from '../../database/postgres/values.ts'
import type { RecheckExclusion } from '../rules/check-out.ts'
import type { DueCache } from './due-cache.ts'
import { type SharedSite, SITE_COLUMNS } from './site-rows.ts'

/** The transition `due` of `../rules/site.ts`, for many sites at once; their ranks were written when they began to wait. */
export const PROMOTE = `
  UPDATE site SET state = 'free' WHERE bucket = $1 AND key IN (
    SELECT key FROM site WHERE bucket = $1 AND state = 'waiting' AND not_before <= $2 ORDER BY not_before LIMIT $3
    FOR UPDATE SKIP LOCKED)`
/**
 * Those that another check-out has locked are skipped. Ordered by the table's columns: the selected expressions are in no
 * index.
 */
export const TAKE_FREE = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND state = 'free' AND holder = $2
    AND ${notForOthers('$4', '$5', '$6')}
  ORDER BY site.losses, site.deferral, site.rank LIMIT $3 FOR UPDATE SKIP LOCKED`
/** They are due, but not for all workers yet: those that are not granted to their process stay as they are. */
export const TAKE_LEANING = `
  SELECT ${SITE_COLUMNS} FROM site WHERE bucket = $1 AND state = 'waiting' AND region = $2 AND not_before <= $3
    AND ${notForOthers('$5', '$6', '$7')}
  ORDER BY site.not_before LIMIT $4 FOR UPDATE SKIP LOCKED`

/** Rows that one check-out promotes, for each site that it wants. */
const PROMOTED_EACH = 4
/** Extra rows to lock, where a bucket has more than its share of the first sites. */
const SPARE = 2

export interface Taken {
  /** Due and locked, in order: never lost (V9), least deferred, whose turn it is, by rank, due for longest. */
  sites: SharedSite[]
  /** Buckets that may have more free sites, and more that lean to this worker. */
  more: Set<number>
  moreLeaning: Set<number>
}

export interface Taking {
  worker: WorkerId
  party: RecheckExclusion
  now: Instant
  /** Sites that lean to others are taken when they are due since then. */
  overdue: Instant
  /** How much later a site may be due that goes before another because of its rank, of those that lean to the worker. */
  windowMs: Millis
  /** The regions whose sites of a bucket lean to this worker. */
  leaningIn(bucket: number): readonly string[]
}

/**
 * Sites reserved for this worker, those that lean to it and those for any worker, of some buckets: enough of each, when all
 * have some.
 */
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
  /** A statement that finds nothing costs as much as one that does: only what the cache knows of is read. */
  const take = (sql: string, ...values: PgValue[]) =>
    tx.allExact<SharedSite>(sql, ...values, party.name, party.from, party.to)
  await Promise.all(
    buckets.map(async (bucket) => {
      const regions = dueCache.isDue(bucket, now) ? leaningIn(bucket) : []
      const hasOwn = dueCache.hasReservedIn(bucket, worker)
      const [promoted, own, unreserved, ...leaning] = await Promise.all([
        dueCache.isDue(bucket, overdue) ? tx.run(PROMOTE, bucket, overdue, promotions) : 0,
        hasOwn ? take(TAKE_FREE, bucket, worker, max) : [],
        take(TAKE_FREE, bucket, '', max),
        ...regions.map((region) => take(TAKE_LEANING, bucket, region, now, max)),
      ])
      sites.push(...own, ...unreserved, ...leaning.flat())
      // Only if it was read: sites may have been reserved meanwhile.
      if (hasOwn && own.length === 0) dueCache.nothingReserved(bucket, worker)
      if (promoted === promotions || unreserved.length === max || own.length === max) more.add(bucket)
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
 * Sites that lean to the worker are read by age. One that the order puts last would be read each time, and those behind it in
 * its bucket never. So its turn comes when all are granted that became due within a window of it.
 */
function turnsOf(sites: readonly SharedSite[], windowMs: Millis): (site: SharedSite) => number {
  const latest =
    windowMs +
    sites.reduce((min, site) => (isLeaning(site) ? Math.min(min, site.not_before) : min), Number.POSITIVE_INFINITY)
  return (site) => (isLeaning(site) && site.not_before > latest ? 1 : 0)
}

const isLeaning = ({ state }: SharedSite): boolean => state === 'waiting'

/**
 * Of sites of bucket `$1`, those that may go to a process: see `RecheckExclusion`. Where several captures wait for others, the first one
 * decides: otherwise two workers could wait for each other.
 */
export function notForOthers(party: string, from: string, to: string): string {
  const open = (name: string, until: string) =>
    `${name}.bucket = $1 AND ${name}.site = site.key AND ${name}.comparison IS NULL AND ${name}.first_at BETWEEN ${from} AND ${until}`
  return `NOT EXISTS (
    SELECT FROM recheck r WHERE ${open('r', to)} AND r.first_worker = ${party} AND NOT EXISTS (
      SELECT FROM recheck o WHERE ${open('o', 'r.first_at')} AND o.first_worker <> r.first_worker))`
}

export const READ_NEXT_DUE = `
  SELECT NULL AS region,
    (SELECT not_before FROM site WHERE bucket = $1 AND state = 'waiting' ORDER BY not_before LIMIT 1)::float8 AS due
  UNION ALL
  SELECT n.region, (
    SELECT not_before FROM site WHERE bucket = $1 AND state = 'waiting' AND site.region = n.region
      AND ${notForOthers('$3', '$4', '$5')}
    ORDER BY not_before LIMIT 1)::float8 AS due
  FROM unnest($2::text[]) AS n (region)`

export interface NextDue {
  waits: Instant
  /** By region, of those that lean to it. */
  leaning: [region: string, at: Instant][]
}

/**
 * When the first waiting site of a bucket is due, and the first that leans to some regions and may go to the process. One
 * that may not would be the first for minutes, and keep it from helping others.
 */
export async function readNextDue(
  tx: PostgresTx,
  bucket: number,
  regions: readonly string[],
  { name, from, to }: RecheckExclusion,
): Promise<NextDue> {
  const next: NextDue = { waits: NEVER, leaning: [] }
  const rows = await tx.all<{ region: string | null; due: number | null }>(
    READ_NEXT_DUE,
    bucket,
    regions,
    name,
    from,
    to,
  )
  for (const { region, due } of rows)
    if (region === null) next.waits = due ?? NEVER
    else next.leaning.push([region, due ?? NEVER])
  return next
}

const NEVER = Number.POSITIVE_INFINITY

/** Buckets per query, a statement each. Where fewer have something, the order is as if they were one. */
export const MAX_BUCKETS = 16
/** Where more have something, a worker that wants few sites reads few: for one site, 12 statements instead of 24. */
const MIN_BUCKETS = 4
/** The share of those that lean to the worker. The others are those not read for longest, so that none is forgotten. */
const FAVOURITES = 3 / 4

export interface Chosen {
  buckets: number[]
  /** Sites of a worse class than this wait: there are better ones in the buckets that are read next. */
  worst: number
}

/** The buckets with something due that are read next, the best first. `done`: those that have nothing more. */
export function chooseBuckets(
  dueCache: DueCache,
  worker: WorkerId,
  now: Instant,
  done: ReadonlySet<number>,
  wanted: number,
): Chosen {
  const due = dueCache.dueBuckets(worker, now).filter((bucket) => !done.has(bucket))
  if (due.length <= MAX_BUCKETS) return { buckets: due, worst: Number.POSITIVE_INFINITY }
  const count = Math.min(MAX_BUCKETS, Math.max(MIN_BUCKETS, wanted))
  const ranks = new Map([...preference(dueCache, worker, now, due, count)].map((bucket, rank) => [bucket, rank]))
  const rankOf = (bucket: number) => ranks.get(bucket) ?? due.length
  due.sort((a, b) => dueCache.bestOf(a) - dueCache.bestOf(b) || rankOf(a) - rankOf(b))
  return {
    buckets: due.slice(0, count).sort((a, b) => a - b),
    worst: dueCache.bestOf(due[count]),
  }
}

/** The worker's preferred buckets, then those not read for longest, then the rest. */
function preference(
  dueCache: DueCache,
  worker: WorkerId,
  now: Instant,
  due: readonly number[],
  count: number,
): Set<number> {
  const favourites = dueCache.favouritesOf(worker, due, now).slice(0, count * FAVOURITES)
  const neglected = [...due].sort((a, b) => dueCache.lastAsked(a) - dueCache.lastAsked(b))
  return new Set([...favourites, ...neglected])
}
