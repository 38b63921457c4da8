/** Which payloads the collection has, and where the first capture of each is. */
import type { FindCopy, StoredCopy } from '../../contracts/ports.ts'
import type { Database, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { inPieces } from '../row-id.ts'
import type { DigestFilter } from './digest-filter.ts'
import { responseWith } from './read-captures.ts'

const READ_PAYLOADS = `
  SELECT shard, digest FROM payload WHERE (shard, digest) > ($1, $2) ORDER BY shard, digest LIMIT $3`
const READ_RESPONSES = 'SELECT id, digest, kind FROM capture WHERE id > ? ORDER BY id LIMIT ?'
const READ_SINCE = 'SELECT digest FROM payload WHERE seen >= CAST(CAST(? AS text) AS xid8)'
/** Every transaction before this one has ended. */
const READ_MOMENT = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS moment'

/** Digests read at once while the filter is filled: about a millisecond. */
const PIECE = 2000

export async function copyOf(tx: Tx, digest: string): Promise<StoredCopy | undefined> {
  const found = await responseWith(tx, digest)
  return found && { url: found.url, at: found.at }
}

export function findCopy(database: Database, filter: DigestFilter): FindCopy {
  return async (digest) => {
    if (!filter.mayHave(digest)) return undefined
    return database.read((tx) => copyOf(tx, digest))
  }
}

/** In pieces when a collection opens, so that a large one starts at once; until it is done the filter says yes to all. */
export async function fillFilter(database: Database, filter: DigestFilter): Promise<void> {
  const read = (last?: Digest) => database.read((tx) => digestsAfter(tx, last))
  for await (const piece of inPieces(read)) {
    for (const { digest, kind } of piece) if (kind !== 'revisit') filter.add(digest)
  }
  filter.markFilled()
}

/** Of a capture; on PostgreSQL of a payload. */
type Digest = { digest: string } & Partial<{ id: number; kind: string; shard: number }>

function digestsAfter(tx: Tx, { id = 0, digest, shard = -1 }: Digest = { digest: '' }): Promise<Digest[]> | Digest[] {
  if (tx.dialect === 'postgres') return postgresTx(tx).all<Digest>(READ_PAYLOADS, shard, digest, PIECE)
  return sqliteTx(tx).all<Digest>(READ_RESPONSES, id, PIECE)
}

/**
 * Adds to the filter what other servers have applied since the last call, some of it twice. The first call must come before
 * the filter is filled. Between two calls a payload of theirs may be stored twice; that is counted. SQLite has no other
 * servers.
 */
export function followOthers(database: Database, filter: DigestFilter): () => Promise<void> {
  let moment: string | undefined
  return async () => {
    if (database.dialect === 'sqlite') return
    moment = await database.read(async (tx) => {
      const now = await postgresTx(tx).get<{ moment: string }>(READ_MOMENT)
      if (moment !== undefined)
        for await (const { digest } of queries(tx).each<{ digest: string }>(READ_SINCE, moment)) filter.add(digest)
      return now!.moment
    })
  }
}
