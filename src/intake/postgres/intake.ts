/**
 * Intake on PostgreSQL, for any number of servers at once. A part is acknowledged when it is in the inbox. The server that
 * gets the lock of its bucket applies it, some buckets at a time. Each server looks once a second for parts that another
 * left behind, because it is slow or gone, so servers need not notify each other.
 */
import type { Millis } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import { noteLost } from '../../collection/counters/last-visits.ts'
import { openCrawlLog } from '../../collection/crawl-log/crawl-log.ts'
import type { Event } from '../../contracts/events.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit } from '../../frontier/contract.ts'
import type { ApplyTools } from '../apply.ts'
import type { Intake, IntakeTools } from '../intake.ts'
import { partsWaiting } from '../report-parts.ts'
import { type Applied, applyBucket } from './apply.ts'
import { bisect } from './bisect.ts'
import { type BucketTasks, bucketTasks } from './bucket-tasks.ts'
import { CROSS_SITE, LinkAdmitter } from './cross-site.ts'
import { makeAllReady, type PartName, quarantine, READY, settledSites, storeParts, type Waiting } from './inbox.ts'
import { type Storing, storing } from './storing.ts'

/** While one waits for the database, another is read and packed. On two cores 4 did 1.3 times the work of 2, and 2 twice that of 1. */
const BUCKETS_AT_ONCE = 4
const MAX_PARTS = 500

const LOOK_EVERY: Millis = 1000
/** Parts out of order are tried again after this many checks, because their visit may be over. */
const LOOKS_PER_RETRY = 60
/** Another server has the bucket, and may not have seen the newest part. */
const TRY_AGAIN: Millis = 100
const LONGEST_RETRY: Millis = 30_000
/** As much work as one part. */
const LINK_ROWS_PER_PART = 20
/** Transactions between two syncs of the log. Until a sync the database holds the log's last lines as well. */
const APPLIES_PER_SYNC = 100

export class PostgresIntake implements Intake {
  readonly #tools: ApplyTools
  readonly #storing: Storing
  readonly #tasks: BucketTasks
  /** Buckets in which parts wait. */
  readonly #due: ReturnType<BucketTasks['kind']>
  readonly #admitter: LinkAdmitter
  /** Parts that can be applied, and rows of cross-site links, of all servers as far as this one knows. */
  #waiting = 0
  #links = 0
  #applies = 0
  #looks = 0
  #failures = 0
  #stopLooking: (() => void) | undefined
  #failure: { error: unknown } | undefined
  #closing: Promise<void> | undefined

  private constructor(tools: ApplyTools) {
    this.#tools = { ...tools, journal: this.#stoppedBy(tools.journal) }
    this.#storing = storing((parts) => this.#storeNow(parts))
    const isOver = () => this.#isOver
    this.#tasks = bucketTasks(tools.clock, isOver)
    this.#due = this.#tasks.kind(BUCKETS_AT_ONCE, 1, ([bucket]) => this.#apply(bucket))
    this.#admitter = new LinkAdmitter({ ...this.#tools, tasks: this.#tasks, isOver })
  }

  static async open(tools: IntakeTools): Promise<PostgresIntake> {
    const { database, disk, logPath, node = 'server' } = tools
    const log = await openCrawlLog(database, disk, logPath, node)
    const intake = new PostgresIntake({ ...tools, log })
    intake.#waiting = (await database.read((tx) => READY.upTo(tx))).rows
    return intake
  }

  async accept(parts: readonly SealedPart[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (parts.length > 0) await this.#storing.add(parts)
  }

  pending(): number {
    const links = Math.max(this.#admitter.buckets > 0 ? 1 : 0, Math.round(this.#links / LINK_ROWS_PER_PART))
    return this.#storing.parts + Math.max(0, this.#waiting) + links
  }

  async isSettled(): Promise<boolean> {
    return this.#storing.parts === 0 && (await this.#tools.database.read(partsWaiting)) === 0
  }

  /** Does not wait for parts that other servers store meanwhile. */
  async idle(): Promise<void> {
    await this.#storing.idle()
    const { database } = this.#tools
    const newest = await database.read(READY.newest)
    await this.#until(
      (tx) => READY.upTo(tx, newest),
      (buckets) => this.#due.add(buckets),
    )
    // After the parts, because they bring links.
    const newestLinks = await database.read(CROSS_SITE.newest)
    await this.#until(
      (tx) => CROSS_SITE.upTo(tx, newestLinks),
      (buckets) => this.#admitter.now(buckets),
    )
  }

  /** Until nothing waits. */
  async #until(read: (tx: Tx) => Promise<Waiting>, wake: (buckets: readonly number[]) => void): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      await this.#tasks.idle()
      if (this.#failure !== undefined) throw this.#failure.error
      const { buckets, rows } = await this.#tools.database.read(read)
      if (buckets.length === 0) return
      // Another server has them, the database fails, or there are more than are counted.
      if (rows >= before) await this.#tools.clock.sleep(TRY_AGAIN)
      before = rows
      wake(buckets)
    }
  }

  async drain(): Promise<void> {
    await this.#tools.database.transact(makeAllReady)
    await this.idle()
    await this.#tools.log.sync()
    if (this.#stopLooking === undefined) this.#lookLater()
  }

  async reap(): Promise<LostVisit[]> {
    const { database, ledger, clock } = this.#tools
    return database.transact(async (tx) => {
      const lost = await ledger.reap(tx, undefined, (sites) => settledSites(tx, sites))
      await noteLost(tx, lost, clock.now())
      return lost
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopLooking?.()
    this.#tasks.stop()
    await this.#storing.idle()
    await this.#tasks.idle()
    await this.#tools.log.close()
  }

  async #storeNow(given: readonly SealedPart[]): Promise<void> {
    const { database, ledger, journal } = this.#tools
    const stored = await database.transact((tx) => storeParts(tx, ledger, given))
    const parts = [...stored.values()].reduce((sum, count) => sum + count, 0)
    journal.record({ kind: 'inbox-stored', parts })
    this.#waiting += parts
    this.#due.add([...stored].flatMap(([bucket, count]) => (count > 0 ? [bucket] : [])))
  }

  /** Nothing may begin any more. */
  get #isOver(): boolean {
    return this.#failure !== undefined || this.#closing !== undefined
  }

  async #apply(bucket: number): Promise<void> {
    try {
      const applied = await bisect<PartName, Applied | 'busy'>(
        MAX_PARTS,
        async (atMost, taken) => (await applyBucket(this.#tools, bucket, atMost, taken)) ?? 'busy',
        (part, why) => this.#quarantine(bucket, part, why),
        () => this.#isOver,
      )
      this.#failures = 0
      if (applied === 'busy') return this.#due.add([bucket], TRY_AGAIN)
      // The others follow a quarantined part.
      if (applied === undefined || applied.isFull || applied.madeReady > 0) this.#due.add([bucket])
      if (applied === undefined) return
      this.#waiting += applied.madeReady - applied.parts - applied.setAside
      this.#admitter.note(applied.crossSite)
      if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
    } catch (error) {
      // The inbox is safe, and a failure of the database may pass.
      if (!this.#isOver) this.#retryLater(bucket, error)
    }
  }

  async #quarantine(bucket: number, part: PartName, why: string): Promise<void> {
    await this.#tools.database.transact((tx) => quarantine(postgresTx(tx), bucket, [{ ...part, why }]))
    this.#waiting--
    this.#tools.journal.record({
      kind: 'trouble',
      what: `a report part cannot be applied (${why}): quarantined in the inbox`,
    })
  }

  #retryLater(bucket: number, error: unknown): void {
    if (this.#failure !== undefined) return
    this.#tools.journal.record({ kind: 'trouble', what: `reports cannot be applied for now: ${String(error)}` })
    this.#due.add([bucket], Math.min(LONGEST_RETRY, LOOK_EVERY * 2 ** Math.min(16, this.#failures++)))
  }

  #lookLater(): void {
    if (this.#isOver) return
    this.#stopLooking = this.#tools.clock.after(this.#tools.lookEvery ?? LOOK_EVERY, () => {
      const next = () => this.#lookLater()
      this.#look()
        .catch((error) => this.#tools.journal.record({ kind: 'trouble', what: String(error) }))
        .then(next, next)
    })
  }

  /** For parts and links that other servers have stored or left. */
  async #look(): Promise<void> {
    const { database } = this.#tools
    if (++this.#looks % LOOKS_PER_RETRY === 0) await database.transact(makeAllReady)
    const { ready, links } = await database.read(async (tx) => {
      const [ready, links] = await Promise.all([READY.upTo(tx), CROSS_SITE.upTo(tx)])
      return { ready, links }
    })
    this.#waiting = ready.rows
    this.#links = links.rows
    this.#due.add(ready.buckets)
    this.#admitter.note(links.buckets)
  }

  /** Tests end a process by throwing from a reader of the journal: after that nothing more is stored or applied. */
  #stoppedBy(journal: Journal<Event>): Journal<Event> {
    return {
      record: (event) => {
        try {
          journal.record(event)
        } catch (error) {
          this.#failure ??= { error }
          throw error
        }
      },
    }
  }
}
