/**
 * A role that one process holds at a time: an advisory lock of the database on a connection of its own. It ends with that
 * connection, so no stale lock is ever left behind. A holder that is cut off may act for some seconds longer, so work that must
 * not happen twice is also guarded by its own transaction.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { Database, Tx } from '../database.ts'
import { queries } from '../queries.ts'
import type { PostgresDatabase } from './open.ts'

export interface HeldRole {
  /** Aborted when the role is lost or released. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

const keyOf = (role: string): string => String(signed64(hash64(`orbweaver role ${role}`)))

const HELD = `
  SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
    AND ((l.classid::bigint << 32) | l.objid::bigint) = ANY(?::bigint[])
  LIMIT 1`

/** Whether some process holds one of these roles now. */
export async function isRoleHeld(tx: Tx, roles: readonly string[]): Promise<boolean> {
  return (await queries(tx).get(HELD, `{${roles.map(keyOf).join(',')}}`)) !== undefined
}

/** Undefined when another process holds it. */
export async function tryRole(database: PostgresDatabase, name: string): Promise<HeldRole | undefined> {
  const session = await database.session()
  const key = keyOf(name)
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

/** Work that one of all processes does: on PostgreSQL the one that holds the role, on SQLite the only one. */
export interface SharedRole {
  /** Takes the role if it is free. Ask before each round of work. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** How often a process without the role asks for it: when its holder is killed, the work is not done for this long. */
const ASK_EVERY: Millis = 5_000

export function sharedRole(database: Database, clock: Clock, name: string): SharedRole {
  if (database.dialect === 'sqlite') return { isOurs: async () => true, release: async () => {} }
  let role: HeldRole | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    async isOurs() {
      if (role !== undefined && !role.lost.aborted) return true
      if (clock.elapsed() - askedAt < ASK_EVERY) return false
      askedAt = clock.elapsed()
      role = await tryRole(database as PostgresDatabase, name).catch(() => undefined)
      return role !== undefined
    },
    async release() {
      await role?.release()
      role = undefined
    },
  }
}
