/** What every writer of a bucket's catalogue needs on PostgreSQL: its lock, and ids for new rows. */
import type { Tx } from '../database/database.ts'
import { postgresTx } from '../database/postgres/tx.ts'

/** Advisory locks have two numbers: the purpose (the letters `orbA`) and the bucket. */
const APPLYING = 0x6f726241

/**
 * One transaction at a time writes the catalogue of a bucket, on whichever server. So ids appear in order, and the pages it
 * has read cannot change before it writes them. The transaction's end releases the lock. False: another transaction has it.
 * SQLite has one writer.
 */
export async function tryBucket(tx: Tx, bucket: number): Promise<boolean> {
  if (tx.dialect === 'sqlite') return true
  const sql = 'SELECT pg_try_advisory_xact_lock($1, $2) AS mine'
  return (await postgresTx(tx).get<{ mine: boolean }>(sql, APPLYING, bucket))!.mine
}

/** Gives out ids for that many rows of a bucket; the caller holds its lock. Unused ids do no harm. SQLite gives its own: null. */
export async function reserveRows(tx: Tx, bucket: number, rows: number): Promise<() => number | null> {
  if (tx.dialect === 'sqlite') return () => null
  const sql = 'UPDATE catalogue_row SET last = last + $2 WHERE bucket = $1 RETURNING last'
  const { last } = (await postgresTx(tx).get<{ last: number }>(sql, bucket, rows))!
  let given = last - rows
  return () => {
    if (given >= last) throw new RangeError('more rows than ids were reserved for')
    return ++given
  }
}
