/**
 * Intake on PostgreSQL, for any number of servers at once. A part is acknowledged when it is in the inbox. The server that
 * gets the lock of its bucket applies it, some buckets at a time. Each server looks once a second for parts that another
 * left behind, because it is slow or gone, so servers need not notify each other.
 */

import type { Millis } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import { CrawlLog } from '../../collection/crawl-log/crawl-log.ts'
import { VolumeIds } from '../../collection/postgres/write-captures.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { type SealedPart, seal } from '../../contracts/sealed-part.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit } from '../../frontier/ledger.ts'
import { bucketsOfEndedLeases } from '../../frontier/postgres/leases.ts'
import type { Intake, IntakeTools } from '../intake.ts'
import { partsWaiting } from '../report-parts.ts'
import { type ApplyTools, applyBucket } from './apply.ts'
import { crossSiteUpTo, isTemporary, LinkAdmitter, newestCrossSite } from './cross-site.ts'
import {
  makeAllReady,
  newestPart,
  type PartName,
  quarantine,
  quietBuckets,
  readyUpTo,
  storeParts,
  type Waiting,
} from './inbox.ts'
import { Storing } from './storing.ts'

/** While one waits for the database, another is read and packed. On two cores 4 did 1.3 times the work of 2, and 2 twice that of 1. */
const BUCKETS_AT_ONCE = 4
const MAX_PARTS = 500
/** About 100 pages: this thread needs 10 ms to read and pack them, and as much again for the statements. */
const MAX_BYTES = 512 * 1024

const LOOK_EVERY: Millis = 1000
/** Parts out of order are tried again after so many looks, because their visit may be over. */
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
  /** Buckets in which parts wait, the longest first; and those that this process works on. */
  readonly #due = new Set<number>()
  readonly #busy = new Map<number, Promise<void>>()
  readonly #admitter: LinkAdmitter
  /** The number of parts that the next transaction of a bucket takes, if the last one failed. */
  readonly #smaller = new Map<number, number>()
  /** Parts that can be applied, and rows of cross-site links, of all servers as far as this one knows. */
  #waiting = 0
  #links = 0
  #applying = 0
  #applies = 0
  #looks = 0
  #failures = 0
  #stopLooking: (() => void) | undefined
  #failure: { error: unknown } | undefined
  #closing: Promise<void> | undefined

  private constructor(tools: ApplyTools) {
    this.#tools = { ...tools, journal: this.#stoppedBy(tools.journal) }
    this.#storing = new Storing((parts) => this.#storeNow(parts))
    this.#admitter = new LinkAdmitter({
      ...this.#tools,
      busy: this.#busy,
      freed: () => this.#begin(),
      isOver: () => this.#failure !== undefined || this.#closing !== undefined,
    })
  }

  static async open(tools: IntakeTools): Promise<PostgresIntake> {
    const { database, disk, logPath, node = 'server' } = tools
    const log = await CrawlLog.open(database, disk, logPath, node)
    const intake = new PostgresIntake({ ...tools, log, volumes: new VolumeIds() })
    intake.#waiting = (await database.read((tx) => readyUpTo(tx))).rows
    return intake
  }

  async checkIn(_worker: WorkerId, parts: VisitReport[]): Promise<void> {
    await this.store(parts.map(seal))
  }

  async store(parts: readonly SealedPart[]): Promise<void> {
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
    const newest = await database.read(newestPart)
    await this.#until(
      (tx) => readyUpTo(tx, newest),
      (buckets) => this.#wake(...buckets),
    )
    // After the parts, because they bring links.
    const newestLinks = await database.read(newestCrossSite)
    await this.#until(
      (tx) => crossSiteUpTo(tx, newestLinks),
      (buckets) => this.#admitter.now(buckets),
    )
  }

  /** Until nothing waits. */
  async #until(read: (tx: Tx) => Promise<Waiting>, wake: (buckets: readonly number[]) => void): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      await this.#applied()
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
      const ended = await bucketsOfEndedLeases(postgresTx(tx), clock.now())
      return ledger.reap(tx, undefined, await quietBuckets(tx, ended))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopLooking?.()
    this.#admitter.stop()
    await this.#storing.idle()
    await this.#applied()
    await this.#tools.log.close()
  }

  async #storeNow(given: readonly SealedPart[]): Promise<void> {
    const { database, ledger, journal } = this.#tools
    const stored = await database.transact((tx) => storeParts(tx, ledger, given))
    const parts = [...stored.values()].reduce((sum, count) => sum + count, 0)
    journal.record({ kind: 'inbox-stored', parts })
    this.#waiting += parts
    for (const [bucket, count] of stored) if (count > 0) this.#wake(bucket)
  }

  #wake(...buckets: number[]): void {
    for (const bucket of buckets) this.#due.add(bucket)
    this.#begin()
  }

  #begin(): void {
    if (this.#failure !== undefined || this.#closing !== undefined) return
    for (const bucket of this.#due) {
      if (this.#applying >= BUCKETS_AT_ONCE) return
      if (this.#busy.has(bucket)) continue
      this.#due.delete(bucket)
      this.#applying++
      const over = () => {
        this.#applying--
        this.#busy.delete(bucket)
        this.#begin()
      }
      // Only a reader of the journal can still throw, and `#failure` has that error.
      const applying = this.#apply(bucket).then(over, over)
      this.#busy.set(bucket, applying)
    }
  }

  async #applied(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values())
  }

  async #apply(bucket: number): Promise<void> {
    let taken: readonly PartName[] = []
    try {
      const size = { parts: this.#smaller.get(bucket) ?? MAX_PARTS, bytes: MAX_BYTES }
      const applied = await applyBucket(this.#tools, bucket, size, (parts) => {
        taken = parts
      })
      this.#failures = 0
      if (applied === undefined) return this.#wakeLater(bucket, TRY_AGAIN)
      this.#smaller.delete(bucket)
      this.#waiting += applied.madeReady - applied.parts - applied.setAside
      this.#admitter.note(applied.crossSite)
      if (applied.isFull || applied.madeReady > 0) this.#due.add(bucket)
      if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
    } catch (error) {
      await this.#failed(bucket, taken, error).catch((another) => this.#retryLater(bucket, another))
    }
  }

  /**
   * The inbox is safe. A failure of the database may pass. Any other is the fault of a part: half of the parts are tried,
   * then half of these, until one fails alone, twice. It is quarantined.
   */
  async #failed(bucket: number, taken: readonly PartName[], error: unknown): Promise<void> {
    if (this.#failure !== undefined) return
    if (isTemporary(error) || taken.length === 0) return this.#retryLater(bucket, error)
    const isFound = taken.length === 1 && this.#smaller.get(bucket) === 1
    this.#due.add(bucket)
    this.#smaller.set(bucket, Math.max(1, taken.length >> 1))
    if (!isFound) return
    const why = reasonOf(error)
    await this.#tools.database.transact((tx) => quarantine(postgresTx(tx), bucket, [{ ...taken[0], why }]))
    this.#waiting--
    this.#smaller.delete(bucket)
    this.#tools.journal.record({
      kind: 'trouble',
      what: `a report part cannot be applied (${why}): quarantined in the inbox`,
    })
  }

  #retryLater(bucket: number, error: unknown): void {
    if (this.#failure !== undefined) return
    this.#tools.journal.record({ kind: 'trouble', what: `reports cannot be applied for now: ${String(error)}` })
    this.#wakeLater(bucket, Math.min(LONGEST_RETRY, LOOK_EVERY * 2 ** Math.min(16, this.#failures++)))
  }

  #wakeLater(bucket: number, ms: Millis): void {
    this.#tools.clock.after(ms, () => {
      if (this.#closing === undefined) this.#wake(bucket)
    })
  }

  #lookLater(): void {
    if (this.#closing !== undefined || this.#failure !== undefined) return
    this.#stopLooking = this.#tools.clock.after(LOOK_EVERY, () => {
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
      const [ready, links] = await Promise.all([readyUpTo(tx), crossSiteUpTo(tx)])
      return { ready, links }
    })
    this.#waiting = ready.rows
    this.#links = links.rows
    this.#wake(...ready.buckets)
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
