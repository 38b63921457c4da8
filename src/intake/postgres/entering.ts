/** When links between buckets are entered: gathered for a moment, then those of many buckets together. */
import type { Clock, Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import { tryBucket } from '../../collection/postgres/bucket-lock.ts'
import { decodeLinks } from '../../contracts/decode-report.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import { retryKind } from '../../database/postgres/errors.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import { type CrossSiteRow, setAside, takeCrossSite } from './cross-site.ts'

/** What reports bring meanwhile goes together: half a second costs a crawl nothing. */
const GATHER: Millis = 500
const AT_ONCE = 2
const MAX_BUCKETS = 32
const MAX_ROWS = 64
const TROUBLE: Millis = 1000

export interface EnteringTools {
  database: Database
  ledger: Pick<Ledger, 'admit'>
  clock: Clock
  journal: Journal<Event>
  /** Buckets at which this process works: nobody else does meanwhile. */
  busy: Map<number, Promise<void>>
  /** Some are free again. */
  freed(): void
  /** Nothing may begin any more. */
  isOver(): boolean
}

export class Entering {
  readonly #tools: EnteringTools
  /** Buckets for which links wait, by when they are due: the oldest first. */
  readonly #due = new Map<number, Millis>()
  /** After a failure one bucket, then half of its rows, and so on, until the row is found. */
  #size = { buckets: MAX_BUCKETS, rows: MAX_ROWS }
  #running = 0
  #stopWaiting: (() => void) | undefined

  constructor(tools: EnteringTools) {
    this.#tools = tools
  }

  get buckets(): number {
    return this.#due.size
  }

  /** Links were written down for these. */
  note(buckets: Iterable<number>): void {
    const at = this.#tools.clock.elapsed() + GATHER
    for (const bucket of buckets) if (!this.#due.has(bucket)) this.#due.set(bucket, at)
    this.#begin()
  }

  /** Somebody waits for them. */
  now(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#due.set(bucket, Number.NEGATIVE_INFINITY)
    this.#begin()
  }

  stop(): void {
    this.#stopWaiting?.()
  }

  /** While what is at fault is looked for, one. */
  get #atOnce(): number {
    return this.#size.buckets < MAX_BUCKETS ? 1 : AT_ONCE
  }

  #begin(): void {
    const { clock, busy, isOver } = this.#tools
    if (this.#running >= this.#atOnce || this.#due.size === 0 || isOver()) return
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
    const running = this.#enter(buckets).then(over, over)
    for (const bucket of buckets) this.#tools.busy.set(bucket, running)
  }

  async #enter(buckets: readonly number[]): Promise<void> {
    let taken: readonly CrossSiteRow[] = []
    try {
      const { elsewhere, full } = await enterLinks(this.#tools, buckets, this.#size.rows, (rows) => {
        taken = rows
      })
      this.#size = { buckets: MAX_BUCKETS, rows: MAX_ROWS }
      this.note(elsewhere)
      this.now(full)
    } catch (error) {
      const at = this.#tools.clock.elapsed()
      // Ahead of the others: what is at fault must be found among these.
      const others = [...this.#due]
      this.#due.clear()
      for (const bucket of buckets) this.#due.set(bucket, mayPass(error) ? at + TROUBLE : at)
      for (const [bucket, due] of others) this.#due.set(bucket, due)
      await this.#failed(taken, error)
    }
  }

  /** A database in trouble is waited for; anything else is the fault of a row. */
  async #failed(taken: readonly CrossSiteRow[], error: unknown): Promise<void> {
    const { database, journal } = this.#tools
    const why = error instanceof Error ? error.message : String(error)
    if (mayPass(error)) return journal.record({ kind: 'trouble', what: `links cannot be entered for now: ${why}` })
    const isSuspect = taken.length === 1 && this.#size.rows === 1
    if (this.#size.buckets > 1) this.#size = { ...this.#size, buckets: 1 }
    else if (!isSuspect) this.#size = { buckets: 1, rows: Math.max(1, this.#size.rows >> 1) }
    else {
      this.#size = { buckets: 1, rows: MAX_ROWS }
      await database.transact((tx) => setAside(tx, taken[0], why))
      journal.record({ kind: 'trouble', what: `links cannot be entered (${why}): set aside` })
    }
  }
}

/** The database may come back, and whoever is in the way may go. */
function mayPass(error: unknown): boolean {
  return error instanceof Problem || retryKind(error, false) !== 'no'
}

/** Enters links that were written down for some buckets, at whatever sites they lead to, in one transaction. */

interface Entered {
  /** Others have them. */
  elsewhere: number[]
  /** Of these there may be more. */
  full: number[]
}

/**
 * With the locks of those who apply their reports: so nobody waits for a site that the other has. `taken` is told what the
 * transaction works on, also if it fails.
 */
async function enterLinks(
  { database, ledger }: { database: Database; ledger: Pick<Ledger, 'admit'> },
  buckets: readonly number[],
  rowsEach: number,
  taken: (rows: readonly CrossSiteRow[]) => void,
): Promise<Entered> {
  return database.transact(async (tx) => {
    const db = postgresTx(tx)
    const locked = await Promise.all(buckets.map((bucket) => tryBucket(db, bucket)))
    const mine = buckets.filter((_, at) => locked[at])
    const { rows, full } = await takeCrossSite(db, mine, rowsEach)
    taken(rows)
    const links = rows.flatMap((row) => decodeLinks(row.links))
    if (links.length > 0) await ledger.admit(tx, links)
    return { elsewhere: buckets.filter((_, at) => !locked[at]), full }
  })
}
