/** The call log (W3): buffered, written in groups, deleted when old. */
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type Queries, queries } from '../../database/queries.ts'

export interface CallNote {
  at: Instant
  worker: string
  call: string
  visit?: string
  /** `ok`, a word of the answer, or an error's code. */
  result: string
  /** Visits granted, parts stored, digests looked up. */
  items: number
  bytes: number
  tookMs: Millis
}

/** While the database is unreachable, log entries are dropped first. */
const MAX_WAITING = 20_000
/** Rows per statement. */
const ROWS = 50
const FORGET_AT_ONCE = 5000

const COLUMNS = 'at, worker, call, visit, result, items, bytes, took_ms'
const PLACES = '(?, ?, ?, ?, ?, ?, ?, ?)'
const insertOf = (rows: number) =>
  `INSERT INTO worker_call (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => PLACES).join(', ')}`

export function callLog(database: Database, clock: Clock, keepFor: Millis) {
  let waiting: CallNote[] = []
  /** Dropped entries since the last `flush`. */
  let dropped = 0
  return {
    note(call: CallNote): void {
      if (waiting.length < MAX_WAITING) waiting.push(call)
      else dropped++
    },
    /** Writes the buffer; returns how many entries were dropped since the last time. */
    async flush(): Promise<number> {
      const notes = waiting
      waiting = []
      try {
        if (notes.length > 0) await database.transact((tx) => write(queries(tx), notes))
      } catch (error) {
        const room = MAX_WAITING - waiting.length
        dropped += Math.max(0, notes.length - room)
        waiting = [...notes.slice(-room), ...waiting]
        throw error
      }
      const lost = dropped
      dropped = 0
      return lost
    },
    /** Deletes some old entries; true when there are more. */
    forget: () => forgetCalls(database, clock.now() - keepFor),
  }
}

const FORGET = 'DELETE FROM worker_call WHERE id IN (SELECT id FROM worker_call WHERE at < ? ORDER BY at LIMIT ?)'

/** Deletes some entries from before then; true when there are more. */
export async function forgetCalls(database: Database, before: Instant): Promise<boolean> {
  return (await database.transact((tx) => queries(tx).run(FORGET, before, FORGET_AT_ONCE))) === FORGET_AT_ONCE
}

async function write(sql: Queries, notes: readonly CallNote[]): Promise<void> {
  for (let at = 0; at < notes.length; at += ROWS) {
    const some = notes.slice(at, at + ROWS)
    await sql.run(insertOf(some.length), ...some.flatMap(valuesOf))
  }
}

const FIELDS = ['at', 'worker', 'call', 'visit', 'result', 'items', 'bytes', 'tookMs'] as const
const valuesOf = (note: CallNote) => FIELDS.map((field) => note[field] ?? null)

export interface CallQuestion {
  worker?: string
  since: Instant
  atMost: number
  /** Only entries earlier than this one, the last of the page before. */
  before?: { at: Instant; id: number }
}

export type LoggedCall = CallNote & { id: number }

/** Latest first. */
export function readCalls(tx: Tx, { worker, since, atMost, before }: CallQuestion): Promise<LoggedCall[]> {
  const conditions = ['at >= ?']
  const values: (string | number)[] = [since]
  if (worker !== undefined) {
    conditions.push('worker = ?')
    values.push(worker)
  }
  if (before !== undefined) {
    conditions.push('at <= ? AND (at < ? OR id < ?)')
    values.push(before.at, before.at, before.id)
  }
  return queries(tx).all<LoggedCall>(
    `SELECT id, at, worker, call, visit, result, items, bytes, took_ms AS "tookMs" FROM worker_call
     WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`,
    ...values,
    atMost,
  )
}
