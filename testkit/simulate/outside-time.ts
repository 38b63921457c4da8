/** A real database under a virtual clock: no time passes while it works. */

import type { Database } from '../../src/database/database.ts'
import type { Connection } from '../../src/database/postgres/connection.ts'
import type { PostgresDatabase } from '../../src/database/postgres/open.ts'
import type { VirtualClock } from '../virtual-clock.ts'

export function outsideTime(database: Database, clock: VirtualClock): Database {
  const outside: Database = {
    dialect: database.dialect,
    transact: (work) => clock.during(() => database.transact(work)),
    read: (work) => clock.during(() => database.read(work)),
    close: () => database.close(),
  }
  return !hasSessions(database) ? outside : withSessions(outside, () => clock.during(() => opened(database, clock)))
}

async function opened(database: PostgresDatabase, clock: VirtualClock): Promise<Connection> {
  const session = await database.session()
  return Object.assign(Object.create(session), {
    query: (...asked: Parameters<Connection['query']>) => clock.during(() => session.query(...asked)),
    end: () => clock.during(() => session.end()),
  }) as Connection
}

/** Sessions hold the roles of servers: who wraps a database passes them on. */
export function hasSessions(database: Database): database is PostgresDatabase {
  return 'session' in database
}

export function withSessions(database: Database, session: PostgresDatabase['session']): PostgresDatabase {
  return { ...database, dialect: 'postgres', session }
}
