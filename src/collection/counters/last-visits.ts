/**
 * The last visits to each site: when they ended and why, who made them, and what they brought. A line has the sums of the site at the
 * visit's end, so that the difference to the line before is the visit's own, however many parts it came in. One row per site is written
 * at the end of a visit, not with its parts.
 */
import type { Instant } from '../../base/clock.ts'
import type { VisitEnd } from '../../contracts/report.ts'
import { type SiteName, siteKeyOf, type WorkerId } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Dialect, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { siteNamed } from '../row-id.ts'

export interface EndedVisit {
  site: SiteName
  at: Instant
  why: VisitEnd | 'lost'
  /** Undefined: it had been given up for lost when its last part came. */
  worker: WorkerId | undefined
}

/** About ten visits. */
const MAX_LENGTH = 700
const MAX_WORKER = 40

const SUMS = `s.requests || ' ' || s.documents || ' ' || s.bytes || ' ' || s.visit_ms`
const KEEP = `DO UPDATE SET visits = substr(excluded.visits || site_visits.visits, 1, ${MAX_LENGTH})`
export const NOTE_VISIT: Record<Dialect, string> = {
  sqlite: `INSERT INTO site_visits (site, visits) SELECT s.site, ?2 || ${SUMS} || char(10) FROM site_stats s WHERE s.site = ?1
    ON CONFLICT (site) ${KEEP}`,
  postgres: `INSERT INTO site_visits (bucket, site, visits)
    SELECT s.bucket, s.site, ended.visit || ${SUMS} || chr(10)
    FROM unnest($2::bigint[], $3::text[]) AS ended (site, visit) JOIN site_stats s ON s.bucket = $1 AND s.site = ended.site
    ON CONFLICT (bucket, site) ${KEEP}`,
}

/** After the sums of their last parts are written. A site that was never counted has none. On PostgreSQL: those of one bucket. */
export async function noteVisits(tx: Tx, bucket: number, ended: readonly EndedVisit[]): Promise<void> {
  if (ended.length === 0) return
  // A site is handed out again only when its last visit is applied, so it is there once; if not, the last one counts.
  const lines = new Map(ended.map(({ site, ...visit }) => [siteKeyOf(site), lineOf(visit)]))
  if (tx.dialect === 'postgres')
    await postgresTx(tx).run(NOTE_VISIT.postgres, bucket, [...lines.keys()], [...lines.values()])
  else for (const [site, line] of lines) sqliteTx(tx).run(NOTE_VISIT.sqlite, site, line)
}

/** Whatever its bucket. */
export async function noteLost(
  tx: Tx,
  lost: readonly { site: SiteName; worker: WorkerId }[],
  at: Instant,
): Promise<void> {
  const ended = lost.map(({ site, worker }): EndedVisit => ({ site, worker, at, why: 'lost' }))
  const buckets = Map.groupBy(ended, ({ site }) => bucketOf(tx.dialect, siteKeyOf(site)))
  // At once, for the round trips: their sites are locked meanwhile.
  await Promise.all([...buckets].map(([bucket, some]) => noteVisits(tx, bucket, some)))
}

const lineOf = ({ at, why, worker = '' }: Omit<EndedVisit, 'site'>) =>
  `${Math.round(at)} ${why} ${worker.replace(/[^\w.-]/g, '').slice(0, MAX_WORKER) || '-'} `

/** A visit that has ended. `at`: its end; of a lost one, when that was noticed: its beginning is not known. */
export type PastVisit = ReturnType<typeof readVisits>[number]

export const READ_VISITS = 'SELECT visits FROM site_visits WHERE bucket = ? AND site = ?'

/** Newest first. */
export async function lastVisits(tx: Tx, site: SiteName): Promise<PastVisit[]> {
  const row = await queries(tx).get<{ visits: string }>(READ_VISITS, ...siteNamed(tx, site))
  return row === undefined ? [] : readVisits(row.visits)
}

/** The oldest line that is kept is only what the next one is compared with, unless it is the first there ever was. */
function readVisits(text: string) {
  // Text after the last line break was cut off.
  const lines = text.split('\n').slice(0, -1)
  const read = lines.map((line) => {
    const [at, why, worker, ...sums] = line.split(' ')
    return { at: Number(at), why: why as EndedVisit['why'], worker, sums: sums.map(Number) }
  })
  const isCut = text.length >= MAX_LENGTH
  return read.flatMap(({ at, why, worker, sums }, nth) => {
    const before = read[nth + 1]?.sums ?? (isCut ? undefined : [0, 0, 0, 0])
    if (before === undefined) return []
    const [requests, documents, bytes, tookMs] = sums.map((sum, i) => Math.max(0, sum - before[i]))
    return [{ at, why, worker: worker === '-' ? undefined : worker, requests, documents, bytes, tookMs }]
  })
}
