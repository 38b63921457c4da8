/** Enters links that were written down for some buckets, at whatever sites they lead to, in one transaction. */
import { tryBucket } from '../../collection/postgres/bucket-lock.ts'
import { decodeLinks } from '../../contracts/decode-report.ts'
import type { Database } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import { type AbroadRow, takeAbroad } from './abroad.ts'

export interface Entered {
  /** Others have them. */
  elsewhere: number[]
  /** Of these there may be more. */
  full: number[]
}

/**
 * With the locks of those who apply their reports: so nobody waits for a site that the other has. `taken` is told what the
 * transaction works on, also if it fails.
 */
export async function enterLinks(
  { database, ledger }: { database: Database; ledger: Pick<Ledger, 'admit'> },
  buckets: readonly number[],
  rowsEach: number,
  taken: (rows: readonly AbroadRow[]) => void,
): Promise<Entered> {
  return database.transact(async (tx) => {
    const db = postgresTx(tx)
    const locked = await Promise.all(buckets.map((bucket) => tryBucket(db, bucket)))
    const mine = buckets.filter((_, at) => locked[at])
    const { rows, full } = await takeAbroad(db, mine, rowsEach)
    taken(rows)
    const links = rows.flatMap((row) => decodeLinks(row.links))
    if (links.length > 0) await ledger.admit(tx, links)
    return { elsewhere: buckets.filter((_, at) => !locked[at]), full }
  })
}
