/**
 * One transaction at a time writes the catalogue of a bucket, whichever server runs it: so ids appear in their order, and
 * what it reads of the bucket's pages cannot change before it writes. Held until the transaction ends, however it ends.
 */
import type { PostgresTx } from '../../database/postgres/tx.ts'

/** Advisory locks go by two numbers: what for (the letters `orbA`), and the bucket. */
const APPLYING = 0x6f726241

/** False: another transaction has it. */
export async function tryBucket(tx: PostgresTx, bucket: number): Promise<boolean> {
  const row = await tx.get<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1, $2) AS mine', APPLYING, bucket)
  return row!.mine
}
