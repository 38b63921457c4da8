/**
 * Workers are trusted, and checked: a small share of captures is fetched again through another worker, and the two are
 * compared. Applying a part draws them, with a salt that no worker knows. The URL is scheduled like any other, so it is one
 * more request under the ordinary politeness. The second capture is kept as a request of the coordinator's own: the page
 * stays as the first worker reported it, and nothing is counted twice.
 */
import type { Clock } from '../base/clock.ts'
import { hash64, signed64, unsigned64 } from '../base/digest.ts'
import { bitsApart } from '../collection/pages/page-row.ts'
import { siteAt } from '../collection/row-id.ts'
import { countLabel } from '../contracts/counts.ts'
import type { PageReport, VisitReport } from '../contracts/report.ts'
import { type PageMemory, type SiteName, siteKeyOf, type WorkerId } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Tx } from '../database/database.ts'
import { postgresTx } from '../database/postgres/tx.ts'
import { queries } from '../database/queries.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { Ledger, PartResult, ScheduledUrl } from '../frontier/contract.ts'
import { ASKED_AGAIN_AFTER } from '../frontier/rules/check-out.ts'

export interface RecheckTools {
  /** Of captures: 0.001 is one in a thousand. 0 draws none; those drawn before are still compared. */
  share: number
  /** Of this process, so that no worker can predict the draw. */
  salt: string
  clock: Clock
  schedule: Ledger['schedule']
}

/** A capture that waits to be compared with what another worker brings. */
interface AwaitedCapture {
  site: bigint
  key: bigint
  first_worker: string
  digest: string
  text_digest: bigint
  simhash: bigint
}

const SELECT_AWAITED = 'SELECT site, key, first_worker, digest, text_digest, simhash FROM recheck'
const SQLITE_AWAITED = `${SELECT_AWAITED} WHERE site = ? AND comparison IS NULL`
export const READ_AWAITED = `${SELECT_AWAITED} WHERE bucket = $1 AND site = ANY($2::bigint[]) AND comparison IS NULL`
const SQLITE_WORKER = 'SELECT key, worker FROM site WHERE key = ?'
export const READ_WORKERS = 'SELECT key, worker FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])'
const WRITE_COMPARISON = `UPDATE recheck SET second_worker = ?, second_at = ?, comparison = ?
  WHERE bucket = ? AND site = ? AND key = ? AND comparison IS NULL`

interface Found {
  report: VisitReport
  page: PageReport
  awaited: AwaitedCapture | undefined
}

export class Rechecks {
  readonly #tools: RecheckTools

  constructor(tools: RecheckTools) {
    this.#tools = tools
  }

  /** The reports of one transaction. Call before the ledger applies them: the end of a visit removes the name of its worker. */
  async check(tx: Tx, reports: readonly VisitReport[]) {
    const awaited = await readAwaited(tx, reports)
    const found = reports.flatMap((report) => {
      const site = siteKeyOf(report.site)
      return report.pages.flatMap((page): Found[] => {
        if (page.ownRequest) return []
        const wanted = awaited.get(`${site} ${signed64(page.key)}`)
        return wanted !== undefined || this.#isDrawn(report, page) ? [{ report, page, awaited: wanted }] : []
      })
    })
    if (found.length === 0) return undefined
    const workers = await workersAt(tx, new Set(found.map(({ report }) => report.site)))
    const rechecked = new Set(found.flatMap(({ page, awaited }) => (awaited === undefined ? [] : page)))
    return {
      /** As the frontier and the catalogue should see them, in the order given. */
      forFrontier: reports.map((report) => seenByFrontier(report, rechecked)),
      forCatalogue: (report: VisitReport) => seenByCatalogue(report, rechecked),
      /** Compares and draws, for the parts that the ledger has applied. */
      applied: async (results: readonly PartResult[]) => {
        const counting = new Set(reports.filter((_, at) => results[at] === 'applied'))
        const dueAt = this.#tools.clock.now() + ASKED_AGAIN_AFTER
        const scheduled: ScheduledUrl[] = []
        for (const one of found) {
          // A worker's threads (`id.thread`) count as one.
          const worker = workers.get(one.report.site)?.split('.')[0]
          if (worker === undefined || !counting.has(one.report)) continue
          if (one.awaited !== undefined) await compare(tx, one.page, one.awaited, worker)
          else if (await draw(tx, one, worker)) scheduled.push({ url: one.page.url, dueAt })
        }
        if (scheduled.length > 0) await this.#tools.schedule(tx, scheduled)
      },
    }
  }

  #isDrawn({ visit }: VisitReport, { url, outcome, memory, capture }: PageReport): boolean {
    const { share, salt } = this.#tools
    if (share === 0 || outcome.kind !== 'kept' || memory === undefined || capture === undefined) return false
    return Number(hash64(`${salt} ${visit} ${url}`)) < share * 2 ** 64
  }
}

/** By site and key. */
async function readAwaited(tx: Tx, reports: readonly VisitReport[]): Promise<Map<string, AwaitedCapture>> {
  const sites = [...new Set(reports.map(({ site }) => siteKeyOf(site)))]
  const rows = await ofSites<AwaitedCapture>(tx, sites, SQLITE_AWAITED, READ_AWAITED)
  return new Map(rows.map((row) => [`${row.site} ${row.key}`, row]))
}

/** Rows of some sites: on SQLite site by site, on PostgreSQL all of a bucket together. */
async function ofSites<Row extends object>(tx: Tx, sites: readonly bigint[], sqlite: string, postgres: string) {
  if (tx.dialect === 'sqlite') return sites.flatMap((site) => sqliteTx(tx).allExact<Row>(sqlite, site))
  const buckets = [...Map.groupBy(sites, (site) => bucketOf('postgres', site))]
  return (
    await Promise.all(buckets.map(([bucket, some]) => postgresTx(tx).allExact<Row>(postgres, bucket, some)))
  ).flat()
}

/** Who visits these sites now; a lost visit has no worker. */
export async function workersAt(tx: Tx, sites: Iterable<SiteName>): Promise<Map<SiteName, WorkerId>> {
  const names = new Map([...sites].map((site) => [siteKeyOf(site), site]))
  type AtWork = { key: bigint; worker: WorkerId | null }
  const rows = await ofSites<AtWork>(tx, [...names.keys()], SQLITE_WORKER, READ_WORKERS)
  return new Map(rows.flatMap(({ key, worker }) => (worker === null ? [] : [[names.get(key)!, worker]])))
}

/** The page was collected and stays so, whatever the second answer was. */
function seenByFrontier(report: VisitReport, rechecked: ReadonlySet<PageReport>): VisitReport {
  if (!report.pages.some((page) => rechecked.has(page))) return report
  const pages = report.pages.map((page) =>
    rechecked.has(page) && page.outcome.kind !== 'later'
      ? { ...page, outcome: { kind: 'kept' as const, how: 'first' as const } }
      : page,
  )
  return { ...report, pages }
}

function seenByCatalogue(report: VisitReport, rechecked: ReadonlySet<PageReport>): VisitReport {
  if (!report.pages.some((page) => rechecked.has(page))) return report
  const counts = new Map(report.counts)
  const take = (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) - by)
  const pages = report.pages.map((page) => {
    if (!rechecked.has(page)) return page
    if (page.outcome.kind === 'kept') {
      const label = countLabel(page.mediaType)
      take('documents', 1)
      take('bytes', page.bytes)
      take(`type:${label}`, 1)
      take(`typeBytes:${label}`, page.bytes)
      if (page.annotations.includes('dup')) take('duplicates', 1)
    }
    return { ...page, ownRequest: true }
  })
  return { ...report, pages, counts }
}

async function draw(tx: Tx, { report, page }: Found, worker: string): Promise<boolean> {
  const site = siteKeyOf(report.site)
  const { digest, textDigest, simhash } = page.memory!
  const row: [column: string, value: bigint | number | string][] = [
    ['site', site],
    ['key', signed64(page.key)],
    ['url', page.url],
    ['first_worker', worker],
    ['first_at', page.at],
    ['digest', digest],
    ['text_digest', signed64(textDigest)],
    ['simhash', signed64(simhash)],
  ]
  if (tx.dialect === 'postgres') row.push(['bucket', bucketOf(tx.dialect, site)])
  const sql = `INSERT INTO recheck (${row.map(([column]) => column).join(', ')})
    VALUES (${row.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`
  return (await queries(tx).run(sql, ...row.map(([, value]) => value))) === 1
}

async function compare(tx: Tx, page: PageReport, awaited: AwaitedCapture, worker: string): Promise<void> {
  // The failure table says when it is tried again.
  if (page.outcome.kind === 'later') return
  const { site, key, digest } = awaited
  const first: PageMemory = { digest, textDigest: awaited.text_digest, simhash: awaited.simhash }
  const second = page.outcome.kind === 'kept' ? page.memory : undefined
  const comparison =
    worker === awaited.first_worker ? 'unused' : second === undefined ? 'different' : likeness(first, second)
  await queries(tx).run(WRITE_COMPARISON, worker, page.at, comparison, ...siteAt(tx.dialect, site), key)
}

export type Likeness = 'equal' | 'similar' | 'different'

/** Of 64: a page with a clock, a counter or an advertisement differs in few of them, another page in half. */
const MAX_BITS = 8

export function likeness(one: PageMemory, other: PageMemory): Likeness {
  if (one.digest === other.digest) return 'equal'
  if (unsigned64(one.textDigest) === unsigned64(other.textDigest)) return 'similar'
  return bitsApart(one.simhash, other.simhash) <= MAX_BITS ? 'similar' : 'different'
}

export interface RecheckSums {
  checked: number
  equal: number
  similar: number
  different: number
  /** The second fetch came from the same worker. */
  unused: number
  /** Not fetched again yet. */
  open: number
}

export interface WorkerRechecks extends Omit<RecheckSums, 'open' | 'unused'> {
  /** The worker that brought the first capture. */
  worker: string
  name: string | null
}

const SUMS = `count(*) FILTER (WHERE comparison IN ('equal', 'similar', 'different')) AS checked,
  count(*) FILTER (WHERE comparison = 'equal') AS equal, count(*) FILTER (WHERE comparison = 'similar') AS "similar",
  count(*) FILTER (WHERE comparison = 'different') AS different`
const READ_ALL = `SELECT ${SUMS}, count(*) FILTER (WHERE comparison = 'unused') AS unused,
  count(*) FILTER (WHERE comparison IS NULL) AS "open" FROM recheck`
const READ_WORST = `SELECT r.first_worker AS worker, w.name, ${SUMS} FROM recheck r LEFT JOIN worker w ON w.id = r.first_worker
  WHERE comparison IN ('equal', 'similar', 'different') GROUP BY r.first_worker, w.name
  ORDER BY count(*) FILTER (WHERE comparison = 'different') * 1.0 / count(*) DESC, count(*) DESC, r.first_worker LIMIT ?`

/** For `status`; the worker with the largest share of differences first. Undefined when nothing was ever drawn. */
export async function readRechecks(tx: Tx, atMost: number) {
  const sums = (await queries(tx).get<RecheckSums>(READ_ALL))!
  if (sums.checked + sums.unused + sums.open === 0) return undefined
  return { ...sums, byWorker: await queries(tx).all<WorkerRechecks>(READ_WORST, atMost) }
}
