/**
 * Intake on PostgreSQL, for any number of servers at once. A part is acknowledged when it lies in the inbox; afterwards it
 * is applied by whichever server gets the lock of its bucket, some buckets at a time. What one server leaves behind, by
 * dying or by being slow, another finds when it looks once a second: so nobody is told, and nobody waits to be told.
 */
import type { Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import { PostgresCrawlLog } from '../../collection/postgres/crawl-log.ts'
import { VolumeIds } from '../../collection/postgres/volume-ids.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { type SealedPart, seal } from '../../contracts/sealed-part.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { again } from '../../database/postgres/troubles.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit } from '../../frontier/ledger.ts'
import { bucketsOfEndedLeases } from '../../frontier/postgres/leases.ts'
import type { Intake, IntakeTools } from '../intake.ts'
import { partsWaiting } from '../parts-waiting.ts'
import { type ApplyTools, applyBucket } from './apply.ts'
import { crossSiteUpTo, newestCrossSite } from './cross-site.ts'
import { Entering } from './entering.ts'
import {
  makeAllReady,
  newestPart,
  type PartName,
  quietBuckets,
  readyUpTo,
  setAside,
  storeParts,
  type Waiting,
} from './inbox.ts'
import { Storing } from './storing.ts'

/**
 * Buckets that this process applies at once: while one waits for the database, or for a site that another has links to,
 * a third is read and packed. On two cores 4 did 1.3 times the work of 2, and 2 twice that of 1.
 */
const BUCKETS_AT_ONCE = 4
const MAX_PARTS = 500
/** Some 100 pages: 10 ms of this thread to read and pack them, and as much again for the journeys of a transaction. */
const MAX_BYTES = 512 * 1024

const LOOK_EVERY: Millis = 1000
/** Parts that wait for one that never comes are looked at again, for their visit may be over. */
const LOOKS_AT_EARLY = 60
/** Another server has the bucket, and may not have seen what was stored last. */
const TRY_AGAIN: Millis = 100
const LONGEST_TROUBLE: Millis = 30_000
/** About as much work. */
const LINK_ROWS_A_PART = 20
/** Transactions between two syncs of the log: until then the database holds the log's last lines as well. */
const APPLIES_PER_SYNC = 100

export class PostgresIntake implements Intake {
  readonly #tools: IntakeTools & ApplyTools
  readonly #storing: Storing
  /** Buckets in which parts wait, the one that has waited longest first; and those at which this process works. */
  readonly #due = new Set<number>()
  readonly #busy = new Map<number, Promise<void>>()
  readonly #entering: Entering
  /** Of a bucket whose last transaction failed: how many parts the next one takes. */
  readonly #smaller = new Map<number, number>()
  /** Parts in the inbox that can be applied, and rows of links, over all servers, as far as this one knows. */
  #waiting = 0
  #links = 0
  #applying = 0
  #applies = 0
  #looks = 0
  #troubles = 0
  #stopLooking: (() => void) | undefined
  #failure: { error: unknown } | undefined
  #closing: Promise<void> | undefined

  private constructor(tools: IntakeTools & ApplyTools) {
    this.#tools = { ...tools, journal: this.#listening(tools.journal) }
    this.#storing = new Storing((parts) => this.#storeNow(parts))
    this.#entering = new Entering({
      ...this.#tools,
      busy: this.#busy,
      freed: () => this.#begin(),
      isOver: () => this.#failure !== undefined || this.#closing !== undefined,
    })
  }

  static async open(tools: IntakeTools): Promise<PostgresIntake> {
    const { database, disk, logPath, node = 'house' } = tools
    const log = await PostgresCrawlLog.open(database, disk, logPath, node)
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
    const links = Math.max(this.#entering.buckets > 0 ? 1 : 0, Math.round(this.#links / LINK_ROWS_A_PART))
    return this.#storing.parts + Math.max(0, this.#waiting) + links
  }

  async isSettled(): Promise<boolean> {
    return this.#storing.parts === 0 && (await this.#tools.database.read(partsWaiting)) === 0
  }

  /** What comes to other servers meanwhile is not waited for. */
  async idle(): Promise<void> {
    await this.#storing.idle()
    const { database } = this.#tools
    const newest = await database.read(newestPart)
    await this.#until(
      (tx) => readyUpTo(tx, newest),
      (buckets) => this.#wake(...buckets),
    )
    // Among them those that these parts have brought.
    const newestLinks = await database.read(newestCrossSite)
    await this.#until(
      (tx) => crossSiteUpTo(tx, newestLinks),
      (buckets) => this.#entering.now(buckets),
    )
  }

  /** Until nothing is left. */
  async #until(read: (tx: Tx) => Promise<Waiting>, wake: (buckets: readonly number[]) => void): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      await this.#applied()
      if (this.#failure !== undefined) throw this.#failure.error
      const { buckets, rows } = await this.#tools.database.read(read)
      if (buckets.length === 0) return
      // Another server has them, the database has troubles, or there are more than are counted.
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
    this.#entering.stop()
    await this.#storing.idle()
    await this.#applied()
    await this.#tools.log.close()
  }

  async #storeNow(given: readonly SealedPart[]): Promise<void> {
    const { database, ledger, journal } = this.#tools
    const stored = await database.transact((tx) => storeParts(tx, ledger, given))
    const parts = [...stored.values()].reduce((sum, count) => sum + count, 0)
    journal.tell({ kind: 'inbox-stored', parts })
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
      // All that can still be thrown is a reader's end of this life, which is noted.
      const applying = this.#apply(bucket).then(over, over)
      this.#busy.set(bucket, applying)
    }
  }

  /** What is under way has ended. */
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
      this.#troubles = 0
      if (applied.kind === 'elsewhere') return this.#wakeLater(bucket, TRY_AGAIN)
      this.#smaller.delete(bucket)
      this.#waiting += applied.madeReady - applied.parts - applied.aside
      this.#entering.note(applied.crossSite)
      if (applied.isFull || applied.madeReady > 0) this.#due.add(bucket)
      if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
    } catch (error) {
      await this.#failed(bucket, taken, error).catch((another) => this.#inTrouble(bucket, another))
    }
  }

  /**
   * What is in the inbox is safe there. A database that cannot be reached or is full may recover, and whoever is in the way
   * may go. Anything else is the fault of a part: the half of them is tried, and so on, until the one is found. When that
   * fails by itself, and not for the first time, it is set aside.
   */
  async #failed(bucket: number, taken: readonly PartName[], error: unknown): Promise<void> {
    if (this.#failure !== undefined) return
    const mayPass = error instanceof Problem || again(error, false) !== 'no'
    if (mayPass || taken.length === 0) return this.#inTrouble(bucket, error)
    const isSuspect = taken.length === 1 && this.#smaller.get(bucket) === 1
    this.#due.add(bucket)
    this.#smaller.set(bucket, Math.max(1, taken.length >> 1))
    if (!isSuspect) return
    const why = error instanceof Error ? error.message : String(error)
    await this.#tools.database.transact((tx) => setAside(postgresTx(tx), bucket, [{ ...taken[0], why }]))
    this.#waiting--
    this.#smaller.delete(bucket)
    this.#tools.journal.tell({
      kind: 'trouble',
      what: `a report part cannot be applied (${why}): set aside in the inbox`,
    })
  }

  #inTrouble(bucket: number, error: unknown): void {
    if (this.#failure !== undefined) return
    this.#tools.journal.tell({ kind: 'trouble', what: `reports cannot be applied for now: ${String(error)}` })
    this.#wakeLater(bucket, Math.min(LONGEST_TROUBLE, LOOK_EVERY * 2 ** Math.min(16, this.#troubles++)))
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
        .catch((error) => this.#tools.journal.tell({ kind: 'trouble', what: String(error) }))
        .then(next, next)
    })
  }

  /** What other servers have stored, or left. */
  async #look(): Promise<void> {
    const { database } = this.#tools
    if (++this.#looks % LOOKS_AT_EARLY === 0) await database.transact(makeAllReady)
    const { ready, links } = await database.read(async (tx) => {
      const [ready, links] = await Promise.all([readyUpTo(tx), crossSiteUpTo(tx)])
      return { ready, links }
    })
    this.#waiting = ready.rows
    this.#links = links.rows
    this.#wake(...ready.buckets)
    this.#entering.note(links.buckets)
  }

  /** A reader throws only in tests, to end this life at the moment it heard of: nothing more is taken in or applied. */
  #listening(journal: Journal<Event>): Journal<Event> {
    return {
      tell: (event) => {
        try {
          journal.tell(event)
        } catch (error) {
          this.#failure ??= { error }
          throw error
        }
      },
    }
  }
}
