/**
 * A pooler such as PgBouncer must keep one server connection per client connection. One that switches per transaction mixes up
 * what belongs to a session: prepared statements, settings, LISTEN, locks. That shows late and badly, so it is detected before
 * anything is set in a session.
 */
import { Problem } from '../../base/errors.ts'
import type { PostgresAddress } from './address.ts'
import { type Connection, connectBare, type SessionSettings } from './connection.ts'

/** Skips hosts that cannot be reached: the next connection reports why. */
export async function refuseSharedSessions(address: PostgresAddress, settings: SessionSettings): Promise<void> {
  const { urls, where } = address
  const shared = await Promise.all(urls.map((url) => isShared(() => connectBare(url, settings)).catch(() => false)))
  if (shared.includes(true))
    throw new Problem(
      'unfit-database',
      `a pooler at ${where} shares connections between transactions: let it keep one per session (pool_mode = session), or name the server itself`,
    )
}

async function isShared(connect: () => Promise<Connection>): Promise<boolean> {
  const one = await connect()
  try {
    const backend = await backendOf(one)
    // No pooler: the process that announced itself is the one that answers.
    if (backend === one.backend) return false
    // While the first connection is idle, a sharing pooler gives its backend to the second, or another one to the first.
    const other = await connect()
    try {
      return (await backendOf(other)) === backend || (await backendOf(one)) !== backend
    } finally {
      await other.end()
    }
  } finally {
    await one.end()
  }
}

async function backendOf(connection: Connection): Promise<number> {
  const { rows } = await connection.query('SELECT pg_backend_pid() AS backend')
  return (rows as { backend: number }[])[0].backend
}
