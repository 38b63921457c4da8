/**
 * Intake on SQLite. While the coordinator keeps up, parts are applied at once and acknowledged when that is durable. Parts
 * that come faster are stored in the inbox, acknowledged, and applied afterwards. All of it runs in pieces of a few
 * milliseconds, so that the thread stays free for requests.
 */
import { turn } from '../../base/clock.ts'
import { noteLost } from '../../collection/counters/last-visits.ts'
import { openCrawlLog } from '../../collection/crawl-log/crawl-log.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { LostVisit } from '../../frontier/contract.ts'
import type { ApplyTools } from '../apply.ts'
import { Arrivals, type Taken } from '../arrivals.ts'
import type { Intake, IntakeTools } from '../intake.ts'
import { partsWaiting } from '../report-parts.ts'
import { applyArrived, applyWaiting, Pace } from './apply.ts'
import { storeParts } from './inbox.ts'

/**
 * Slices of work that may wait in memory: a third of a second, in which their senders wait. Beyond that everything goes
 * through the inbox, which writes twice as much, but in one commit.
 */
const MAX_SLICES = 50

/** Transactions between two syncs of the log. Until a sync the database holds the log's last lines as well. */
const APPLIES_PER_SYNC = 100

export class SqliteIntake implements Intake {
  readonly #tools: ApplyTools
  readonly #pace = new Pace()
  readonly #arrivals = new Arrivals()
  /** By the transaction that runs. */
  #taken: Taken[] = []
  /** Parts in the inbox; those of them that are out of order; and the last part that this pass has read. */
  #waiting: number
  #outOfOrder = 0
  #cursor = 0
  /** This pass has applied something. */
  #progress = false
  /** The inbox may hold parts that no pass has read yet. */
  #unread = false
  #applies = 0
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined
  #closing: Promise<void> | undefined

  private constructor(tools: ApplyTools, waiting: number) {
    this.#tools = tools
    this.#waiting = waiting
  }

  static async open(tools: IntakeTools): Promise<SqliteIntake> {
    const log = await openCrawlLog(tools.database, tools.disk, tools.logPath, '')
    return new SqliteIntake({ ...tools, log }, await tools.database.read(partsWaiting))
  }

  async accept(parts: readonly SealedPart[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (parts.length === 0) return
    const stored = this.#arrivals.add(parts)
    this.#wake()
    await stored
  }

  pending(): number {
    return this.#arrivals.parts + this.#arrivals.underWay + this.#ready
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async drain(): Promise<void> {
    this.#unread = true
    this.#wake()
    await this.idle()
    await this.#tools.log.sync()
  }

  async reap(): Promise<LostVisit[]> {
    // Nothing more can be stored: the coordinator must stop, and no lease ends meanwhile.
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.pending() > 0) return []
    return this.#tools.database.transact(async (tx) => {
      const lost = await this.#tools.ledger.reap(tx)
      await noteLost(tx, lost, this.#tools.clock.now())
      return lost
    })
  }

  async isSettled(): Promise<boolean> {
    return this.pending() === 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#tools.log.close()
    return this.#closing
  }

  get #ready(): number {
    return Math.max(0, this.#waiting - this.#outOfOrder)
  }

  #wake(): void {
    this.#running ??= this.#work()
  }

  async #work(): Promise<void> {
    try {
      for (let first = true; this.#arrivals.parts > 0 || this.#unread; first = false) {
        if (!first) await turn()
        if (this.#unread) await this.#applyWaiting()
        if (this.#arrivals.parts > 0) await (this.#isBehind ? this.#storeAll() : this.#applyArrived())
      }
    } catch (error) {
      // A full disk, a lost database: the inbox is safe, and nothing more is accepted.
      this.#failure = { error }
      for (const taken of this.#taken.splice(0)) taken.failed(error)
      this.#arrivals.fail(error)
    } finally {
      this.#running = undefined
    }
  }

  /** While older parts wait in the inbox, newer ones do too. */
  get #isBehind(): boolean {
    return this.#unread || this.#arrivals.bytes > (this.#tools.atOnceBytes ?? MAX_SLICES * this.#pace.bytes)
  }

  async #applyArrived(): Promise<void> {
    const applied = await applyArrived(this.#tools, this.#pace, this.#arrivals, this.#taken)
    this.#waiting += applied.stored
    this.#outOfOrder += applied.stored
    if (applied.parts > 0 && this.#outOfOrder > 0) this.#readAgain()
    if (applied.stored > 0) this.#tools.journal.record({ kind: 'inbox-stored', parts: applied.stored })
    // Durable before the log's own transaction: no sender waits for that.
    this.#durable()
    await this.#syncLog()
  }

  async #storeAll(): Promise<void> {
    const { database, ledger, journal } = this.#tools
    // Taken inside the transaction, so that parts which came while it waited to begin are stored with it.
    const stored = await database.transact((tx) => {
      this.#taken = [this.#arrivals.take(Number.POSITIVE_INFINITY)]
      return storeParts(tx, ledger, this.#taken[0].parts)
    })
    this.#waiting += stored
    if (stored > 0) this.#unread = true
    journal.record({ kind: 'inbox-stored', parts: stored })
    this.#durable()
  }

  #durable(): void {
    for (const taken of this.#taken) taken.durable()
    this.#taken = []
  }

  /** From the oldest part to the newest. */
  async #applyWaiting(): Promise<void> {
    const applied = await applyWaiting(this.#tools, this.#pace, this.#cursor)
    this.#cursor = applied.lastId
    this.#outOfOrder += applied.outOfOrder
    this.#waiting -= applied.parts + applied.corrupt
    this.#progress ||= applied.parts > 0
    if (applied.isAll) {
      this.#unread = false
      if (this.#progress && this.#outOfOrder > 0) this.#readAgain()
      this.#progress = false
    }
    await this.#syncLog()
  }

  /** Parts out of order may be ready now. */
  #readAgain(): void {
    this.#cursor = 0
    this.#outOfOrder = 0
    this.#unread = true
  }

  async #syncLog(): Promise<void> {
    if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
  }
}
