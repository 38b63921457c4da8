/** Workers and servers that were silent for very long, and calls that nobody keeps. */
import type { Instant } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { MAX_OF_A_KIND, type Orphan } from './orphan.ts'

/**
 * Not those that were barred: that is to be remembered. Nor those with volumes of their own: in a folder of their machine, or
 * nobody knows where (their names have the worker's first letters), or not wholly sent.
 */
const IDLE = `state <> 'barred' AND seen_at < ?
  AND NOT EXISTS (SELECT 1 FROM volume_location p WHERE p.worker = worker.id AND (p.sealed = 0 OR p.node LIKE 'dir:%'))
  AND NOT EXISTS (SELECT 1 FROM volume v WHERE v.name LIKE '%-' || substr(worker.id, 1, 8) || '%'
    AND NOT EXISTS (SELECT 1 FROM volume_location p WHERE p.name = v.name))`
const READ_WORKERS = `SELECT id, name, seen_at AS "seenAt" FROM worker WHERE ${IDLE} ORDER BY seen_at LIMIT ?`
const REMOVE_WORKER = `DELETE FROM worker WHERE ${IDLE} AND id = ?`
const READ_SERVERS = `SELECT id, url AS name, seen_at AS "seenAt" FROM server WHERE seen_at < ? ORDER BY seen_at LIMIT ?`
const REMOVE_SERVER = 'DELETE FROM server WHERE seen_at < ? AND id = ?'
const COUNT_CALLS = 'SELECT count(*) AS n FROM worker_call WHERE at < ?'
const FORGET_CALLS = `
  DELETE FROM worker_call WHERE id IN (SELECT id FROM worker_call WHERE at < ? ORDER BY at LIMIT ?)`
const CALLS_AT_ONCE = 5000

interface Member {
  id: string
  name: string
  seenAt: Instant
}

export async function silentMembers(database: Database, silentSince: Instant): Promise<Orphan[]> {
  const members = async (kind: 'worker' | 'server', read: string, remove: string): Promise<Orphan[]> => {
    const rows = await database.read((tx) => queries(tx).all<Member>(read, silentSince, MAX_OF_A_KIND))
    return rows.map(({ id, name, seenAt }) => ({
      kind,
      name: `${name} (${id})`,
      why: `seen last ${new Date(seenAt).toISOString()}`,
      remove: () => database.transact(async (tx) => (await queries(tx).run(remove, silentSince, id)) > 0),
    }))
  }
  return [
    ...(await members('worker', READ_WORKERS, REMOVE_WORKER)),
    ...(await members('server', READ_SERVERS, REMOVE_SERVER)),
  ]
}

/** One orphan for all of them. */
export async function oldCalls(database: Database, before: Instant): Promise<Orphan[]> {
  const { n } = (await database.read((tx) => queries(tx).get<{ n: number }>(COUNT_CALLS, before)))!
  if (n === 0) return []
  return [
    {
      kind: 'calls',
      name: 'calls of workers',
      why: `made before ${new Date(before).toISOString()}, and not to be kept`,
      count: n,
      async remove() {
        for (;;) {
          const gone = await database.transact((tx) => queries(tx).run(FORGET_CALLS, before, CALLS_AT_ONCE))
          if (gone < CALLS_AT_ONCE) return true
        }
      },
    },
  ]
}
