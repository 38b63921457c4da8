/**
 * Links from the sites of one bucket to those of another. If the transaction that applies a report admitted them, it
 * would lock sites all over the frontier until its end: with eight links per page, five of six transactions waited for
 * each other. Therefore it only stores them, with the report. The holder of the lock of the bucket that they lead to
 * admits them, half a second of many reports together.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import { tryBucket } from '../../collection/bucket.ts'
import { decodeLinks } from '../../contracts/decode-report.ts'
import { encodeLinks } from '../../contracts/encode-report.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import { beginInTurns } from '../../database/postgres/by-bucket.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { LoopYield } from '../../frontier/loop-yield.ts'
import type { IntakeTools } from '../intake.ts'
import { bisect, isTemporary } from './bisect.ts'
import type { BucketTasks } from './bucket-tasks.ts'
import { waitingIn } from './inbox.ts'

export const ADD_CROSS_SITE = 'INSERT INTO cross_site_link (bucket, links) VALUES ($1, $2)'
/** Removes the oldest, in the transaction that admits them. */
export const TAKE_CROSS_SITE = `
  DELETE FROM cross_site_link WHERE bucket = $1 AND id = ANY (ARRAY(
    SELECT id FROM cross_site_link WHERE bucket = $1 AND corrupt IS NULL ORDER BY id LIMIT $2)) RETURNING bucket, id, links`
const QUARANTINE = 'UPDATE cross_site_link SET corrupt = $3 WHERE bucket = $1 AND id = $2'
/** A row is little work: this many rows equal the parts that may wait. */
export const CROSS_SITE = waitingIn('cross_site_link', 'corrupt IS NULL', 50_000)

const bucketOfSite = (site: string): number => bucketOf('postgres', siteKeyOf(site))

/** The report without links to other buckets. */
export function staying(bucket: number, report: VisitReport): VisitReport {
  return { ...report, crossSite: report.crossSite.filter(({ site }) => bucketOfSite(site) === bucket) }
}

/** The links to other buckets. */
export function leaving(bucket: number, { crossSite }: VisitReport): Link[] {
  return crossSite.filter(({ site }) => bucketOfSite(site) !== bucket)
}

/** One statement per bucket, answered in one trip: it only adds rows, so no lock is waited for. Returns the buckets. */
export async function addCrossSite(db: PostgresTx, clock: Clock, links: readonly Link[]): Promise<number[]> {
  const buckets = [...Map.groupBy(links, ({ site }) => bucketOfSite(site))].sort(([one], [other]) => one - other)
  const loopYield = new LoopYield(clock)
  const add = ([bucket, some]: [number, Link[]]) => db.run(ADD_CROSS_SITE, bucket, encodeLinks(some))
  await Promise.all(await beginInTurns(() => loopYield.take(), buckets, add))
  return buckets.map(([bucket]) => bucket)
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

interface AdmitterTools extends Pick<IntakeTools, 'database' | 'ledger' | 'journal'> {
  tasks: BucketTasks
  /** Nothing may begin any more. */
  isOver(): boolean
}

/** Admits stored links to the frontier, those of many buckets together. */
export class LinkAdmitter {
  readonly #tools: AdmitterTools
  readonly #waiting: ReturnType<BucketTasks['kind']>

  constructor(tools: AdmitterTools) {
    this.#tools = tools
    this.#waiting = tools.tasks.kind(AT_ONCE, MAX_BUCKETS, (buckets) => this.#admit(buckets))
  }

  get buckets(): number {
    return this.#waiting.waiting
  }

  /** Links were stored for these. */
  note(buckets: Iterable<number>): void {
    this.#waiting.add(buckets, GATHER)
  }

  /** Without the delay. */
  now(buckets: Iterable<number>): void {
    this.#waiting.add(buckets)
  }

  async #admit(buckets: readonly number[]): Promise<void> {
    try {
      try {
        this.#admitted(await admitLinks(this.#tools, buckets, MAX_ROWS))
      } catch (error) {
        if (isTemporary(error) || this.#tools.isOver()) throw error
        // A row of one of them is at fault: each alone, until it is found.
        for (const bucket of buckets) await this.#admitAlone(bucket)
      }
    } catch (error) {
      this.#waiting.add(buckets, RETRY_AFTER)
      const what = `cross-site links cannot be admitted for now: ${reasonOf(error)}`
      this.#tools.journal.record({ kind: 'trouble', what })
    }
  }

  async #admitAlone(bucket: number): Promise<void> {
    const { database, journal, isOver } = this.#tools
    const admitted = await bisect<CrossSiteRow, Admitted>(
      MAX_ROWS,
      (atMost, taken) => admitLinks(this.#tools, [bucket], atMost, taken),
      async ({ id }, why) => {
        await database.transact((tx) => postgresTx(tx).run(QUARANTINE, bucket, id, why))
        journal.record({ kind: 'trouble', what: `cross-site links cannot be admitted (${why}): quarantined` })
      },
      isOver,
    )
    this.#admitted(admitted ?? { elsewhere: [], full: [bucket] })
  }

  #admitted({ elsewhere, full }: Admitted): void {
    this.note(elsewhere)
    this.now(full)
  }
}

interface Admitted {
  /** Buckets that another transaction has. */
  elsewhere: readonly number[]
  /** Buckets in which there may be more. */
  full: readonly number[]
}

/**
 * Admits the oldest stored links of some buckets in one transaction, under the locks that applying reports takes: so neither
 * waits for a site that the other has. `taken` receives the rows that the transaction works on, also if it fails.
 */
async function admitLinks(
  { database, ledger }: Pick<AdmitterTools, 'database' | 'ledger'>,
  buckets: readonly number[],
  rowsPerBucket: number,
  taken: (rows: readonly CrossSiteRow[]) => void = () => {},
): Promise<Admitted> {
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
