/** The frontier on PostgreSQL, as a server of a cluster has it. */
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { familyMicroseconds } from '../measure/family-cpu.ts'
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
