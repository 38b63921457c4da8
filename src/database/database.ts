/**
 * The interface to SQL. A `Tx` is opaque: modules pass it on, and only code in a folder named after a dialect opens it
 * (`sqlite/tx.ts`, `postgres/tx.ts`). So one transaction carries the writes of several modules, whatever the database.
 */
export type Dialect = 'sqlite' | 'postgres'

export interface Tx {
  readonly dialect: Dialect
}

/** A period in which the database could not be reached. */
export interface Outage {
  /** What happened, to which database. */
  readonly what: string
  /** On the process's monotonic clock. `until`: set when it is over. */
  readonly since: number
  readonly until?: number
}

export interface Database {
  readonly dialect: Dialect
  /**
   * All of `work` or nothing; durable when it resolves. `work` must not wait for another transaction of the same database.
   *
   * SQLite: transactions never interleave. The next begins when this one is committed, before it is durable and resolves.
   *
   * PostgreSQL: READ COMMITTED; transactions interleave, those of this process too. After a conflict with another, or a
   * lost connection, `work` runs again from its beginning, so it must not change anything outside the database.
   */
  transact<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** One consistent view; writing fails. On PostgreSQL it may run again too, unless the database was opened only to read. */
  read<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** The last outage, for status displays. */
  outage?(): Outage | undefined
  /** Statements so far, by kind. */
  statements?(): StatementCounts
  /** Waits for the transactions under way. */
  close(): Promise<void>
}

export type StatementKind = 'select' | 'insert' | 'update' | 'delete' | 'other'
export type StatementCounts = Record<StatementKind, number>

export const noStatements = (): StatementCounts => ({ select: 0, insert: 0, update: 0, delete: 0, other: 0 })

/** A query with WITH counts as its last statement, if that changes rows. */
export function kindOf(sql: string): StatementKind {
  const [, first = ''] = /^\s*(\w+)/.exec(sql) ?? []
  const word = first.toLowerCase() === 'with' ? (/\b(insert|update|delete)\b/i.exec(sql)?.[1] ?? 'select') : first
  const kind = word.toLowerCase()
  return kind === 'select' || kind === 'insert' || kind === 'update' || kind === 'delete' ? kind : 'other'
}

/** One step of the schema. A released step is never edited: a change is a new step. */
export interface Migration {
  /** 1, 2, 3 …: what the database records when the step is done. */
  readonly number: number
  readonly name: string
  /** Several statements in the database's dialect. They run in one transaction. */
  readonly sql: string
}
