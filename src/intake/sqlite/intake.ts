/**
 * Intake on SQLite. What comes while the coordinator keeps up is applied at once and acknowledged when that is
 * durable; what comes faster is stored in the inbox, acknowledged, and applied afterwards. A few milliseconds at a time,
 * so that the thread stays free for those who ask.
 */
import { turn } from '../../base/clock.ts'
import { CrawlLog } from '../../collection/crawl-log/crawl-log.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { type SealedPart, seal } from '../../contracts/sealed-part.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { LostVisit } from '../../frontier/ledger.ts'
import type { Intake, IntakeTools } from '../intake.ts'
import { partsWaiting } from '../parts-waiting.ts'
import { applyArrived, applyWaiting } from './apply.ts'
import { Arrivals } from './arrivals.ts'
import type { ApplyTools } from './batch.ts'
import { storeParts } from './inbox.ts'
import { Pace } from './pace.ts'

/**
 * Slices of work that may wait in memory, a third of a second: who brought them waits as long. Of more than that the
 * rest goes through the inbox: twice the writing, but one commit for all of it.
 */
const MAX_SLICES = 50

/** Transactions between two syncs of the log: until then the database holds the log's last lines as well. */
const APPLIES_PER_SYNC = 100

export class SqliteIntake implements Intake {
  readonly #tools: IntakeTools & ApplyTools
  readonly #pace = new Pace()
  readonly #arrivals = new Arrivals()
  /** Parts in the inbox; of these, the ones that wait for an earlier one; and the last part that this pass has looked at. */
  #waiting: number
  #early = 0
  #cursor = 0
  /** This pass has applied something. */
  #progress = false
  /** Something may be in the inbox that no pass has looked at yet. */
  #news = false
  #applies = 0
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined
  #closing: Promise<void> | undefined

  private constructor(tools: IntakeTools & ApplyTools, waiting: number) {
    this.#tools = tools
    this.#waiting = waiting
  }

  static async open(tools: IntakeTools): Promise<SqliteIntake> {
    const log = await CrawlLog.open(tools.database, tools.disk, tools.logPath)
    return new SqliteIntake({ ...tools, log }, await tools.database.read(partsWaiting))
  }

  async checkIn(_worker: WorkerId, parts: VisitReport[]): Promise<void> {
    await this.store(parts.map(seal))
  }

  async store(parts: readonly SealedPart[]): Promise<void> {
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
    this.#news = true
    this.#wake()
    await this.idle()
    await this.#tools.log.sync()
  }

  async reap(): Promise<LostVisit[]> {
    // Nothing comes in any more: whoever keeps the coordinator must hear of it, and leases are not lost meanwhile.
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.pending() > 0) return []
    return this.#tools.database.transact((tx) => this.#tools.ledger.reap(tx))
  }

  async isSettled(): Promise<boolean> {
    return this.pending() === 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#tools.log.close()
    return this.#closing
  }

  get #ready(): number {
    return Math.max(0, this.#waiting - this.#early)
  }

  #wake(): void {
    this.#running ??= this.#work()
  }

  async #work(): Promise<void> {
    try {
      for (let first = true; this.#arrivals.parts > 0 || this.#news; first = false) {
        if (!first) await turn()
        if (this.#news) await this.#applySome()
        if (this.#arrivals.parts > 0) await (this.#isBehind ? this.#storeAll() : this.#takeIn())
      }
    } catch (error) {
      // A full disk, a lost database: what is in the inbox is safe there. Nothing more is taken in.
      this.#failure = { error }
      this.#arrivals.fail(error)
    } finally {
      this.#running = undefined
    }
  }

  /** While older parts wait in the inbox, newer ones do too. */
  get #isBehind(): boolean {
    return this.#news || this.#arrivals.bytes > (this.#tools.atOnceBytes ?? MAX_SLICES * this.#pace.bytes)
  }

  async #takeIn(): Promise<void> {
    const applied = await applyArrived(this.#tools, this.#pace, this.#arrivals)
    this.#waiting += applied.stored
    this.#early += applied.stored
    // What was applied may be what an early part waited for.
    if (applied.parts > 0 && this.#early > 0) this.#lookAgain()
    await this.#syncLog()
    if (applied.stored > 0) this.#tools.journal.record({ kind: 'inbox-stored', parts: applied.stored })
    this.#arrivals.durable()
  }

  async #storeAll(): Promise<void> {
    const { database, ledger, journal } = this.#tools
    // Taken only then: who came while another transaction was under way is stored with this one.
    const stored = await database.transact((tx) =>
      storeParts(tx, ledger, this.#arrivals.take(Number.POSITIVE_INFINITY)),
    )
    this.#waiting += stored
    if (stored > 0) this.#news = true
    journal.record({ kind: 'inbox-stored', parts: stored })
    this.#arrivals.durable()
  }

  /** From the oldest part to the newest. */
  async #applySome(): Promise<void> {
    const applied = await applyWaiting(this.#tools, this.#pace, this.#cursor)
    this.#cursor = applied.lastId
    this.#early += applied.early
    this.#waiting -= applied.parts + applied.corrupt
    this.#progress ||= applied.parts > 0
    if (applied.isAll) {
      this.#news = false
      if (this.#progress && this.#early > 0) this.#lookAgain()
      this.#progress = false
    }
    await this.#syncLog()
  }

  /** The early ones once more, for they may be ripe now. */
  #lookAgain(): void {
    this.#cursor = 0
    this.#early = 0
    this.#news = true
  }

  async #syncLog(): Promise<void> {
    if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
  }
}
