/**
 * A role that one process holds at a time: an advisory lock of the database on a connection of its own. It ends with that
 * connection, so no stale lock is ever left behind. A holder that is cut off may act for some seconds longer, so work that must
 * not happen twice is also guarded by its own transaction.
 */
import { hash64, signed64 } from '../../base/digest.ts'
import type { PostgresDatabase } from './open.ts'

export interface HeldRole {
  /** Aborted when the role is lost or released. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/** Undefined when another process holds it. */
export async function tryRole(database: PostgresDatabase, name: string): Promise<HeldRole | undefined> {
  const session = await database.session()
  const key = String(signed64(hash64(`orbweaver role ${name}`)))
  const taken = await session.query('SELECT pg_try_advisory_lock($1::bigint) AS taken', [key]).catch(async (error) => {
    await session.end()
    throw error
  })
  const [{ taken: isOurs }] = taken.rows as { taken: boolean }[]
  if (!isOurs) {
    await session.end()
    return undefined
  }
  const over = new AbortController()
  session.onLost(() => over.abort())
  if (session.isLost) over.abort()
  return {
    lost: over.signal,
    async release() {
      over.abort()
      await session.end()
    },
  }
}
