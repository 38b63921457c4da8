/**
 * Links from the sites of one bucket to those of another. If the transaction that applies a report admitted them, it would
 * lock sites all over the frontier until its end: with eight links per page, five of six transactions waited for each other.
 * So it only stores them, with the report. The holder of the lock of the bucket that they lead to admits them, half a second
 * of many reports together.
 */
import type { Millis } from '../../base/clock.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import { tryBucket } from '../../collection/postgres/bucket.ts'
import { siteKeyOf } from '../../collection/row-id.ts'
import { decodeLinks } from '../../contracts/decode-report.ts'
import { encodeLinks } from '../../contracts/encode-report.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { retryKind } from '../../database/postgres/errors.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { IntakeTools } from '../intake.ts'
import { type Waiting, waitingBy } from './inbox.ts'

export const ADD_CROSS_SITE = 'INSERT INTO cross_site_link (bucket, links) VALUES ($1, $2)'
/** Removes the oldest, in the transaction that admits them. */
export const TAKE_CROSS_SITE = `
  DELETE FROM cross_site_link WHERE bucket = $1 AND id = ANY (ARRAY(
    SELECT id FROM cross_site_link WHERE bucket = $1 AND corrupt IS NULL ORDER BY id LIMIT $2)) RETURNING bucket, id, links`
const QUARANTINE = 'UPDATE cross_site_link SET corrupt = $3 WHERE bucket = $1 AND id = $2'
const READ_BUCKETS = `
  SELECT b.bucket FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT FROM cross_site_link a WHERE a.bucket = b.bucket AND a.corrupt IS NULL AND a.id <= $1 LIMIT 1) found
  ORDER BY b.bucket`
const COUNT = `
  SELECT count(*) AS parts FROM (SELECT id FROM cross_site_link WHERE corrupt IS NULL AND id <= $1 LIMIT $2) AS counted`
/** A row is little work: this many are as much as the parts that may wait. */
const MAX_COUNTED = 50_000
const READ_NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM cross_site_link'

const bucketOfSite = (site: string): number => bucketOf('postgres', siteKeyOf(site))

/** The report without links to other buckets. */
export function staying(bucket: number, report: VisitReport): VisitReport {
  return { ...report, crossSite: report.crossSite.filter(({ site }) => bucketOfSite(site) === bucket) }
}

/** The links to other buckets. */
export function leaving(bucket: number, { crossSite }: VisitReport): Link[] {
  return crossSite.filter(({ site }) => bucketOfSite(site) !== bucket)
}

/** One statement per bucket, sent at once: it only adds rows, so no lock is waited for. Returns the buckets. */
export async function addCrossSite(db: PostgresTx, links: readonly Link[]): Promise<number[]> {
  const buckets = [...Map.groupBy(links, ({ site }) => bucketOfSite(site))].sort(([one], [other]) => one - other)
  await Promise.all(buckets.map(([bucket, members]) => db.run(ADD_CROSS_SITE, bucket, encodeLinks(members))))
  return buckets.map(([bucket]) => bucket)
}

/** Rows stored up to `newest`. */
export function crossSiteUpTo(tx: Tx, newest = Number.MAX_SAFE_INTEGER): Promise<Waiting> {
  return waitingBy(tx, READ_BUCKETS, COUNT, newest, MAX_COUNTED)
}

export async function newestCrossSite(tx: Tx): Promise<number> {
  return (await postgresTx(tx).get<{ id: number }>(READ_NEWEST))!.id
}

/** The database may come back, and a conflicting transaction may end. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Problem || retryKind(error, false) !== 'no'
}

/** Links gathered for half a second are admitted together; the delay costs a crawl nothing. */
const GATHER: Millis = 500
const AT_ONCE = 2
const MAX_BUCKETS = 32
const MAX_ROWS = 64
const RETRY_AFTER: Millis = 1000

interface CrossSiteRow {
  bucket: number
  id: number
  links: Uint8Array
}

interface AdmitterTools extends Pick<IntakeTools, 'database' | 'ledger' | 'clock' | 'journal'> {
  /** Buckets that this process works on: one task each. */
  busy: Map<number, Promise<void>>
  /** Some are free again. */
  freed(): void
  /** Nothing may begin any more. */
  isOver(): boolean
}

/** Admits stored links to the frontier, those of many buckets together. */
export class LinkAdmitter {
  readonly #tools: AdmitterTools
  /** Buckets for which links wait, with the time when they are due: the oldest first. */
  readonly #due = new Map<number, Millis>()
  /** After a failure one bucket, then half of its rows, and so on, until the row is found. */
  #size = { buckets: MAX_BUCKETS, rows: MAX_ROWS }
  #running = 0
  #stopWaiting: (() => void) | undefined

  constructor(tools: AdmitterTools) {
    this.#tools = tools
  }

  get buckets(): number {
    return this.#due.size
  }

  /** Links were stored for these. */
  note(buckets: Iterable<number>): void {
    const at = this.#tools.clock.elapsed() + GATHER
    for (const bucket of buckets) if (!this.#due.has(bucket)) this.#due.set(bucket, at)
    this.#begin()
  }

  /** Without the delay. */
  now(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#due.set(bucket, Number.NEGATIVE_INFINITY)
    this.#begin()
  }

  stop(): void {
    this.#stopWaiting?.()
  }

  #begin(): void {
    const { clock, busy, isOver } = this.#tools
    // One at a time while the faulty row is searched for.
    const atOnce = this.#size.buckets < MAX_BUCKETS ? 1 : AT_ONCE
    if (this.#running >= atOnce || this.#due.size === 0 || isOver()) return
    const now = clock.elapsed()
    const free = [...this.#due].filter(([bucket]) => !busy.has(bucket))
    const ready = free.filter(([, at]) => at <= now).map(([bucket]) => bucket)
    this.#stopWaiting?.()
    if (ready.length > 0) {
      this.#run(ready.slice(0, this.#size.buckets))
      this.#begin()
    } else {
      const next = Math.min(now + GATHER, ...free.map(([, at]) => at))
      this.#stopWaiting = clock.after(next - now, () => this.#begin())
    }
  }

  #run(buckets: readonly number[]): void {
    this.#running++
    for (const bucket of buckets) this.#due.delete(bucket)
    const over = () => {
      this.#running--
      for (const bucket of buckets) this.#tools.busy.delete(bucket)
      this.#tools.freed()
      this.#begin()
    }
    const running = this.#admit(buckets).then(over, over)
    for (const bucket of buckets) this.#tools.busy.set(bucket, running)
  }

  async #admit(buckets: readonly number[]): Promise<void> {
    let taken: readonly CrossSiteRow[] = []
    try {
      const { elsewhere, full } = await admitLinks(this.#tools, buckets, this.#size.rows, (rows) => {
        taken = rows
      })
      this.#size = { buckets: MAX_BUCKETS, rows: MAX_ROWS }
      this.note(elsewhere)
      this.now(full)
    } catch (error) {
      const at = this.#tools.clock.elapsed()
      // Before the others: the faulty row is among these.
      const others = [...this.#due]
      this.#due.clear()
      for (const bucket of buckets) this.#due.set(bucket, isTemporary(error) ? at + RETRY_AFTER : at)
      for (const [bucket, due] of others) this.#due.set(bucket, due)
      await this.#failed(taken, error)
    }
  }

  /** A failure of the database may pass; any other is the fault of a row. */
  async #failed(taken: readonly CrossSiteRow[], error: unknown): Promise<void> {
    const { database, journal } = this.#tools
    const why = reasonOf(error)
    if (isTemporary(error))
      return journal.record({ kind: 'trouble', what: `cross-site links cannot be admitted for now: ${why}` })
    const isFound = taken.length === 1 && this.#size.rows === 1
    if (this.#size.buckets > 1) this.#size = { ...this.#size, buckets: 1 }
    else if (!isFound) this.#size = { buckets: 1, rows: Math.max(1, this.#size.rows >> 1) }
    else {
      this.#size = { buckets: 1, rows: MAX_ROWS }
      const { bucket, id } = taken[0]
      await database.transact((tx) => postgresTx(tx).run(QUARANTINE, bucket, id, why))
      journal.record({ kind: 'trouble', what: `cross-site links cannot be admitted (${why}): quarantined` })
    }
  }
}

/**
 * Admits the oldest stored links of some buckets in one transaction, under the locks that applying reports takes: so neither
 * waits for a site that the other has. `taken` receives the rows that the transaction works on, also if it fails.
 */
async function admitLinks(
  { database, ledger }: Pick<AdmitterTools, 'database' | 'ledger'>,
  buckets: readonly number[],
  rowsPerBucket: number,
  taken: (rows: readonly CrossSiteRow[]) => void,
): Promise<{ elsewhere: number[]; full: number[] }> {
  return database.transact(async (tx) => {
    const db = postgresTx(tx)
    const locked = await Promise.all(buckets.map((bucket) => tryBucket(db, bucket)))
    const mine = buckets.filter((_, at) => locked[at])
    const found = await Promise.all(mine.map((bucket) => db.all<CrossSiteRow>(TAKE_CROSS_SITE, bucket, rowsPerBucket)))
    const rows = found.flatMap((some) => some.sort((a, b) => a.id - b.id))
    taken(rows)
    const links = rows.flatMap((row) => decodeLinks(row.links))
    if (links.length > 0) await ledger.admit(tx, links)
    return {
      elsewhere: buckets.filter((_, at) => !locked[at]),
      full: mine.filter((_, at) => found[at].length >= rowsPerBucket),
    }
  })
}
