/** The frontier on PostgreSQL, as a server of a cluster has it. */

import { readFileSync } from 'node:fs'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { fillPostgres } from './fill-postgres.ts'
import { OPTIONS, type OpenedFrontier, ownMicroseconds } from './opened.ts'
import { watched } from './watched.ts'

/** `postmaster`: its process id, when it runs on this machine. */
export async function postgresFrontier(address: string, postmaster: number | undefined): Promise<OpenedFrontier> {
  const database = await openPostgres(address)
  const { database: timed, watch } = watched(database)
  const subject = openFrontier(timed, { ...OPTIONS, leasesOutlive: true })
  return {
    database,
    subject,
    asked: subject,
    async fill(web, say) {
      const filled = await fillPostgres(database, web, say)
      // As autovacuum leaves it; and what is measured does not wait for what filling left to be written.
      const session = await database.session()
      await session.query('SET statement_timeout = 0')
      for (const sql of ['VACUUM ANALYZE', 'CHECKPOINT']) await session.query(sql, [], { unbounded: true })
      await session.end()
      return filled
    },
    bytes: () =>
      database.read(async (tx) => {
        const rows = await postgresTx(tx).all<{ name: string; bytes: number }>(`
          SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
          WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`)
        return new Map(rows.map(({ name, bytes }) => [name, bytes]))
      }),
    cpuMicroseconds: () => ownMicroseconds() + (postmaster === undefined ? 0 : familyMicroseconds(postmaster)),
    watch,
    close: () => database.close(),
  }
}

/** By process, what it had when it was last seen: one that has ended keeps it. */
const seen = new Map<number, number>()

/** CPU time of a process's children, in steps much finer than the ticks of `/proc/PID/stat`. Linux only. */
function familyMicroseconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  for (const child of children) {
    const nanoseconds = spentBy(child)
    if (nanoseconds !== undefined) seen.set(Number(child), nanoseconds)
  }
  return [...seen.values()].reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1000
}

function spentBy(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // It has just ended.
    return undefined
  }
}
