/** Sameness of bytes: which payloads the collection has, and where the first of each lies. */
import { turn } from '../../base/clock.ts'
import type { FindCopy, StoredCopy } from '../../contracts/ports.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { type PayloadLocation, payloadsAfter, payloadsSince, copyOf as postgresTwinOf } from '../postgres/payloads.ts'
import type { DigestFilter } from './digest-filter.ts'

/** Digests read at once while the filter is filled: about a millisecond. */
const PIECE = 2000

/** Of applied reports only, whose volumes were synced before they were sent: a revisit record may refer to it. */
export async function copyOf(tx: Tx, digest: string): Promise<StoredCopy | undefined> {
  if (tx.dialect === 'postgres') return postgresTwinOf(tx, digest)
  const sql = `SELECT url, at FROM capture WHERE digest = ? AND kind = 'response' ORDER BY id LIMIT 1`
  return sqliteTx(tx).get<{ url: string; at: number }>(sql, digest)
}

export function findCopy(database: Database, filter: DigestFilter): FindCopy {
  return async (digest) => {
    if (!filter.mayHave(digest)) return undefined
    return database.read((tx) => copyOf(tx, digest))
  }
}

/** At open, in pieces, so that a large collection starts at once; until it is done the filter says yes to everything. */
export async function fillFilter(database: Database, filter: DigestFilter): Promise<void> {
  const next = database.dialect === 'postgres' ? payloads(database) : responses(database)
  for (let piece = await next(); piece !== undefined; piece = await next()) {
    for (const digest of piece) filter.add(digest)
    await turn()
  }
  filter.markFilled()
}

/** Undefined: there are no more. */
type NextPiece = () => Promise<string[] | undefined>

function responses(database: Database): NextPiece {
  const sql = 'SELECT id, digest, kind FROM capture WHERE id > ? ORDER BY id LIMIT ?'
  let last = 0
  return async () => {
    const rows = await database.read((tx) =>
      sqliteTx(tx).all<{ id: number; digest: string; kind: string }>(sql, last, PIECE),
    )
    last = rows.at(-1)?.id ?? last
    return rows.length === 0 ? undefined : rows.flatMap(({ kind, digest }) => (kind === 'response' ? [digest] : []))
  }
}

function payloads(database: Database): NextPiece {
  let last: PayloadLocation | undefined
  return async () => {
    const rows = await database.read((tx) => payloadsAfter(tx, last, PIECE))
    last = rows.at(-1) ?? last
    return rows.length === 0 ? undefined : rows.map(({ digest }) => digest)
  }
}

/**
 * What other servers have applied since the last call, into the filter: the first is to be made before the filter is
 * filled. Between two calls a payload of theirs may be stored twice, and that is counted. SQLite has no other servers.
 */
export function followOthers(database: Database, filter: DigestFilter): () => Promise<void> {
  let moment: string | undefined
  return async () => {
    if (database.dialect === 'sqlite') return
    moment = await database.read((tx) => payloadsSince(tx, moment, (digest) => filter.add(digest)))
  }
}
