/**
 * A pooler between us and the server (PgBouncer and the like) must give each of our connections a server connection of its
 * own for as long as it lasts. One that gives another for each transaction mixes what belongs to a session: prepared
 * statements, settings, listening, locks. That shows late and badly, so it is looked for before any session is told
 * anything: what we set there would be set for others.
 */
import { Problem } from '../../base/errors.ts'
import type { PostgresAddress } from './address.ts'
import { type Connection, connectBare, type SessionSettings } from './connection.ts'

/** Hosts that cannot be asked are passed over: whoever connects next says why. */
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
    // No pooler: the process that let us in is the one that works for us.
    if (backend === one.backend) return false
    // We ask for nothing meanwhile: whoever worked for us works for him too, or somebody else for us when we ask again.
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
