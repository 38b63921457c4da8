/**
 * The door to SQL. What a transaction can do is its dialect's own affair (`sqlite/tx.ts`; PostgreSQL's comes beside it):
 * rooms above hand a `Tx` through, and only the folder named after the dialect opens it. So one transaction can carry
 * the writes of several rooms, and no room above knows on which database it stands.
 */
export type Dialect = 'sqlite'

export interface Tx {
  readonly dialect: Dialect
}

export interface Database {
  readonly dialect: Dialect
  /**
   * All of `work` or nothing; durable when it resolves. Transactions never interleave: the next begins when this one
   * has ended, so `work` must not wait for another transaction of the same database.
   */
  transact<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** One consistent view; writing in it fails. */
  read<T>(work: (tx: Tx) => Promise<T> | T): Promise<T>
  /** Waits for the transaction under way. */
  close(): Promise<void>
}
