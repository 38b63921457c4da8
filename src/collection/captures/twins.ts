/** Sameness of bytes: which payloads the collection has, and where the first of each lies. */
import { turn } from '../../base/clock.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { FindTwin, Twin } from '../../visit/ports.ts'
import type { DigestFilter } from './digest-filter.ts'

/** Digests read at once while the filter is filled: about a millisecond. */
const PIECE = 2000

/** Of applied reports only, whose volumes were synced before they were sent: a revisit record may refer to it. */
export function twinOf(tx: Tx, digest: string): Twin | undefined {
  const sql = `SELECT url, at FROM capture WHERE digest = ? AND kind = 'response' ORDER BY id LIMIT 1`
  return sqliteTx(tx).get<{ url: string; at: number }>(sql, digest)
}

export function findTwin(database: Database, filter: DigestFilter): FindTwin {
  return async (digest) => {
    if (!filter.mayHave(digest)) return undefined
    return database.read((tx) => twinOf(tx, digest))
  }
}

/** At open, in pieces, so that a large collection starts at once; until it is done the filter says yes to everything. */
export async function fillFilter(database: Database, filter: DigestFilter): Promise<void> {
  let last = 0
  for (;;) {
    const rows = await database.read((tx) =>
      sqliteTx(tx).all<{ id: number; digest: string; kind: string }>(
        'SELECT id, digest, kind FROM capture WHERE id > ? ORDER BY id LIMIT ?',
        last,
        PIECE,
      ),
    )
    for (const row of rows) if (row.kind === 'response') filter.add(row.digest)
    if (rows.length < PIECE) break
    last = rows[rows.length - 1].id
    await turn()
  }
  filter.markFilled()
}
