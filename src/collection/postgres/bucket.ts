/** What every writer of a bucket's catalogue needs: its lock, and ids for new rows. */
import type { PostgresTx } from '../../database/postgres/tx.ts'

/** Advisory locks have two numbers: the purpose (the letters `orbA`) and the bucket. */
const APPLYING = 0x6f726241

/**
 * One transaction at a time writes the catalogue of a bucket, on whichever server. So ids appear in order, and the pages it
 * has read cannot change before it writes them. The transaction's end releases the lock. False: another transaction has it.
 */
export async function tryBucket(tx: PostgresTx, bucket: number): Promise<boolean> {
  const row = await tx.get<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1, $2) AS mine', APPLYING, bucket)
  return row!.mine
}

/** Gives out ids for that many rows of a bucket; the caller holds its lock. Unused ids do no harm. */
export async function reserveRows(tx: PostgresTx, bucket: number, rows: number): Promise<() => number> {
  const sql = 'UPDATE catalogue_row SET last = last + $2 WHERE bucket = $1 RETURNING last'
  const { last } = (await tx.get<{ last: number }>(sql, bucket, rows))!
  let given = last - rows
  return () => {
    if (given >= last) throw new RangeError('more rows than ids were reserved for')
    return ++given
  }
}
