/**
 * Durable first (W4): parts lie here from the moment they are acknowledged until the transaction that applies them.
 * Calls that come together are stored together: one commit, one sync of the disk for all of them.
 */
import type { Journal } from '../base/journal.ts'
import type { Database, Tx } from '../database/database.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { Ledger } from '../frontier/ledger.ts'
import type { Event } from '../visit/events.ts'
import type { SealedPart } from '../visit/sealed-part.ts'
import type { VisitId } from '../visit/visit.ts'

export interface WaitingPart {
  id: number
  body: Uint8Array
}

interface Delivery {
  parts: readonly SealedPart[]
  done(stored: number): void
  failed(error: unknown): void
}

export class Inbox {
  readonly #database: Database
  readonly #ledger: Pick<Ledger, 'returning'>
  readonly #journal: Journal<Event>
  #deliveries: Delivery[] = []
  #storing = false

  constructor(database: Database, ledger: Pick<Ledger, 'returning'>, journal: Journal<Event>) {
    this.#database = database
    this.#ledger = ledger
    this.#journal = journal
  }

  /** Resolves when the parts are durable, with the number of those that were not stored before. */
  store(parts: readonly SealedPart[]): Promise<number> {
    return new Promise((done, failed) => {
      this.#deliveries.push({ parts, done, failed })
      if (!this.#storing) void this.#storeAll()
    })
  }

  async #storeAll(): Promise<void> {
    this.#storing = true
    while (this.#deliveries.length > 0) {
      let together: Delivery[] = []
      try {
        const stored = await this.#database.transact((tx) => {
          // Taken only now: who came while another transaction was under way is stored with this one.
          together = this.#deliveries
          this.#deliveries = []
          return this.#write(tx, together)
        })
        this.#journal.tell({ kind: 'inbox-stored', parts: stored.reduce((sum, count) => sum + count, 0) })
        for (const [at, delivery] of together.entries()) delivery.done(stored[at])
      } catch (error) {
        // The transaction may never have begun (a closed database): then those who wait are still in the list.
        if (together.length === 0) together = this.#deliveries.splice(0)
        for (const delivery of together) delivery.failed(error)
      }
    }
    this.#storing = false
  }

  async #write(tx: Tx, deliveries: readonly Delivery[]): Promise<number[]> {
    const db = sqliteTx(tx)
    const fresh: { visit: VisitId; fence: number; last: boolean }[] = []
    const counts: number[] = []
    for (const { parts } of deliveries) {
      let stored = 0
      for (const { visit, fence, part, site, last, body } of parts) {
        const isNew = db.run(
          `INSERT INTO inbox (visit, part, fence, site, last, body) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (visit, part) DO NOTHING`,
          visit,
          part,
          fence,
          site,
          last ? 1 : 0,
          body,
        )
        if (isNew === 0) continue
        stored++
        fresh.push({ visit, fence, last })
      }
      counts.push(stored)
    }
    if (fresh.length > 0) await this.#ledger.returning(tx, fresh)
    return counts
  }
}

/** The oldest after `afterId`, as many as their bytes allow, at least one. */
export function waitingParts(tx: Tx, afterId: number, mostBytes: number): WaitingPart[] {
  const rows = sqliteTx(tx).each<WaitingPart>(
    'SELECT id, body FROM inbox WHERE id > ? AND spoilt IS NULL ORDER BY id',
    afterId,
  )
  const parts: WaitingPart[] = []
  let bytes = 0
  for (const part of rows) {
    parts.push(part)
    bytes += part.body.length
    if (bytes >= mostBytes) break
  }
  return parts
}

export function removeParts(tx: Tx, ids: readonly number[]): void {
  for (const id of ids) sqliteTx(tx).run('DELETE FROM inbox WHERE id = ?', id)
}

/** What cannot be read is set aside: it was acknowledged, so it is never thrown away, and it holds nobody up. */
export function setAside(tx: Tx, id: number, why: string): void {
  sqliteTx(tx).run('UPDATE inbox SET spoilt = ? WHERE id = ?', why, id)
}

export function partsWaiting(tx: Tx): number {
  return sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM inbox WHERE spoilt IS NULL')!.n
}
