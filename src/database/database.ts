/**
 * The door to SQL. What a transaction can do is its dialect's own affair (`sqlite/tx.ts`, `postgres/tx.ts`): rooms above
 * hand a `Tx` through, and only the folder named after the dialect opens it. So one transaction can carry the writes of
 * several rooms, and no room above knows on which database it stands.
 */
export type Dialect = 'sqlite' | 'postgres'

export interface Tx {
  readonly dialect: Dialect
}

/** A time in which a database could not be reached. */
export interface Outage {
  /** What happened, to which database. */
  readonly what: string
  /** By the process's own elapsed time. `until`: it is over. */
  readonly since: number
  readonly until?: number
}

export interface Database {
  readonly dialect: Dialect
  /**
   * All of `work` or nothing; durable when it resolves. `work` must not wait for another transaction of the same database.
   *
   * SQLite: transactions never interleave: the next begins when this one is committed, which is before it is durable and resolves.
   *
   * PostgreSQL: READ COMMITTED; transactions interleave, those of this process too. After a conflict with another, or a
   * connection lost, `work` is run again from its beginning: whatever it changes outside the database it makes itself, inside.
   */
  transact<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** One consistent view; writing in it fails. On PostgreSQL it too may be run again, unless opened only to read. */
  read<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** The last one, for those who show how things stand; work that waits for its end is not told otherwise. */
  outage?(): Outage | undefined
  /** Waits for the transactions under way. */
  close(): Promise<void>
}

/** One step of the schema. A released step is never edited: a change is a new step. */
export interface Migration {
  /** 1, 2, 3 …: what the database records when the step is done. */
  readonly number: number
  readonly name: string
  /** Several statements in the database's dialect. They run in one transaction. */
  readonly sql: string
}
