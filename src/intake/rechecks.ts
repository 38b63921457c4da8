/**
 * A worker is trusted with what it brings, and checked: a small share of captures is asked for again through another worker, and
 * the two are compared. Which ones is drawn when a part is applied, with a salt that no worker knows. The URL is wished for like any
 * other, so it is one more request within the ordinary courtesy. What the second brings is an errand of the coordinator: its capture is kept,
 * the page stays as the first told it, and nothing is counted twice.
 */
import type { Clock } from '../base/clock.ts'
import { hash64, signed64, unsigned64 } from '../base/digest.ts'
import { siteKeyOf } from '../collection/site-key.ts'
import { countLabel } from '../contracts/counts.ts'
import type { PageReport, VisitReport } from '../contracts/report.ts'
import type { PageMemory, WorkerId } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { Ledger, PartResult, ScheduledUrl } from '../frontier/ledger.ts'
import { ASKED_AGAIN_AFTER } from '../frontier/rules/check-out.ts'
import type { AwaitedCapture } from './awaited-capture.ts'
import { readAwaited as readAwaitedOf } from './postgres/read-awaited.ts'

export interface RecheckTools {
  /** Of captures: 0.001 is one in a thousand. 0 draws none; what was drawn before is still compared. */
  share: number
  /** Of this process: who draws is not to be foreseen. */
  salt: string
  clock: Clock
  schedule: Ledger['schedule']
}

/** SQLite. */
const READ_AWAITED = `SELECT site, key, first_worker, digest, text_digest, simhash FROM recheck
  WHERE site = ? AND comparison IS NULL`
const READ_WORKER = 'SELECT worker FROM site WHERE bucket = ? AND key = ?'
const columnsOf = (tx: Tx) => (tx.dialect === 'postgres' ? ['bucket, ', '?, '] : ['', ''])
const JUDGE = `UPDATE recheck SET second_worker = ?, second_at = ?, comparison = ?
  WHERE bucket = ? AND site = ? AND key = ? AND comparison IS NULL`

/** What one transaction applies, as the frontier and the catalogue are to see it. */
export interface LookedOver {
  /** In the order given: for the ledger. */
  readonly forFrontier: readonly VisitReport[]
  /** As the catalogue and the counters see a report. */
  forCatalogue(report: VisitReport): VisitReport
  /** The ledger has said which count. */
  settled(results: readonly PartResult[]): Promise<void>
}

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

  /** Before they are settled: the end of a visit forgets whose it was. */
  async look(tx: Tx, reports: readonly VisitReport[]): Promise<LookedOver> {
    const awaited = await readAwaited(tx, reports)
    const found = reports.flatMap((report) => {
      const site = siteKeyOf(report.site)
      return report.pages.flatMap((page): Found[] => {
        if (page.ownRequest) return []
        const wanted = awaited.get(placeOf(site, signed64(page.key)))
        return wanted !== undefined || this.#isDrawn(report, page) ? [{ report, page, awaited: wanted }] : []
      })
    })
    if (found.length === 0) return { forFrontier: reports, forCatalogue: (report) => report, settled: async () => {} }
    const workers = await readWorkers(tx, found)
    const rechecked = new Set(found.flatMap(({ page, awaited }) => (awaited === undefined ? [] : page)))
    const changed = new Map(reports.map((report) => [report, seenByFrontier(report, rechecked)]))
    return {
      forFrontier: [...changed.values()],
      forCatalogue: (report) => seenByCatalogue(report, rechecked),
      settled: async (results) => {
        const counting = new Set(reports.filter((_, at) => results[at] === 'applied'))
        const scheduled: ScheduledUrl[] = []
        for (const one of found) {
          const worker = workers.get(one.report.site)
          if (worker === undefined || !counting.has(one.report)) continue
          if (one.awaited !== undefined) await judge(tx, one.page, one.awaited, worker)
          else if (await draw(tx, one, worker))
            scheduled.push({ url: one.page.url, dueAt: this.#tools.clock.now() + ASKED_AGAIN_AFTER })
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

const placeOf = (site: bigint, key: bigint): string => `${site} ${key}`

/** A worker's threads are one party: `id.thread`. */
const partyOf = (worker: WorkerId): string => worker.split('.')[0]

async function readAwaited(tx: Tx, reports: readonly VisitReport[]): Promise<Map<string, AwaitedCapture>> {
  const sites = [...new Set(reports.map(({ site }) => siteKeyOf(site)))]
  const rows =
    tx.dialect === 'postgres'
      ? await readAwaitedOf(tx, sites)
      : sites.flatMap((site) => sqliteTx(tx).allExact<AwaitedCapture>(READ_AWAITED, site))
  return new Map(rows.map((row) => [placeOf(row.site, row.key), row]))
}

/** Of visits that were given up for lost nobody knows whose they were. */
async function readWorkers(tx: Tx, found: readonly Found[]): Promise<Map<string, WorkerId>> {
  const workers = new Map<string, WorkerId>()
  for (const name of new Set(found.map(({ report }) => report.site))) {
    const key = siteKeyOf(name)
    const row = await queries(tx).get<{ worker: string | null }>(READ_WORKER, bucketOf(tx.dialect, key), key)
    if (row?.worker != null) workers.set(name, partyOf(row.worker))
  }
  return workers
}

/** It was collected, and stays so, whatever the second answer was. */
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
  const [column, place] = columnsOf(tx)
  const site = siteKeyOf(report.site)
  const { digest, textDigest, simhash } = page.memory!
  const sql = `INSERT INTO recheck (${column}site, key, url, first_worker, first_at, digest, text_digest, simhash)
    VALUES (${place}?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  const values = [site, signed64(page.key), page.url, worker, page.at, digest, signed64(textDigest), signed64(simhash)]
  const bucket = tx.dialect === 'postgres' ? [bucketOf(tx.dialect, site)] : []
  return (await queries(tx).run(sql, ...bucket, ...values)) === 1
}

async function judge(tx: Tx, page: PageReport, awaited: AwaitedCapture, worker: string): Promise<void> {
  // Tried again, by the table of failures.
  if (page.outcome.kind === 'later') return
  const { site, key, digest } = awaited
  const first: PageMemory = { digest, textDigest: awaited.text_digest, simhash: awaited.simhash }
  const second = page.outcome.kind === 'kept' ? page.memory : undefined
  const comparison =
    worker === awaited.first_worker ? 'unused' : second === undefined ? 'different' : likeness(first, second)
  await queries(tx).run(JUDGE, worker, page.at, comparison, bucketOf(tx.dialect, site), site, key)
}

/** Whether two answers to the same question are the same, near enough, or not. */

export type Likeness = 'equal' | 'similar' | 'different'

/** Of 64: a page with a clock, a counter or an advertisement differs in few of them, another page in half. */
const MAX_BITS = 8

export function likeness(one: PageMemory, other: PageMemory): Likeness {
  if (one.digest === other.digest) return 'equal'
  if (unsigned64(one.textDigest) === unsigned64(other.textDigest)) return 'similar'
  return bitsApart(one.simhash, other.simhash) <= MAX_BITS ? 'similar' : 'different'
}

function bitsApart(one: bigint, other: bigint): number {
  let bits = 0
  for (let left = unsigned64(one ^ other); left > 0n; left &= left - 1n) bits++
  return bits
}
