/** The database of a collection: `collection.db` in its folder, or the one that many machines share. */
import { join } from 'node:path'
import { type Clock, type Millis, realClock } from '../../base/clock.ts'
import { freshSeed, seededRandom } from '../../base/random.ts'
import type { Database } from '../../database/database.ts'
import { isLocked } from '../../database/lock.ts'
import type { Notifications } from '../../database/postgres/notifications.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite, openToRead } from '../../database/sqlite/open.ts'
import type { Settings } from '../config/keys.ts'

/** A report counts whole tables, and `verify` reads a volume between two questions: both may take long. */
const PATIENT = { connections: 2, statementMs: 3_600_000, idleInTransactionMs: 600_000 } as const

/** `address`: postgres://… Throws 'no-collection' when there is none. */
export async function databaseToRead(folder: string, address: string | undefined): Promise<Database> {
  if (address === undefined) return openToRead(join(folder, 'collection.db'))
  // The client is loaded by those who need it: `status` on a file starts at once.
  const { openPostgresToRead } = await import('../../database/postgres/open.ts')
  return openPostgresToRead(address, PATIENT)
}

/** Servers say every ten seconds that they are there. */
const SILENT: Millis = 60_000

/** Whether a crawl has the collection open now: a process here, or a server anywhere that shares its database. */
export async function isRunning(database: Database, folder: string): Promise<boolean> {
  if (database.dialect === 'sqlite') return isLocked(folder)
  const sql = 'SELECT 1 FROM server WHERE seen_at > extract(epoch FROM now()) * 1000 - ? LIMIT 1'
  return (await database.read((tx) => queries(tx).get(sql, SILENT))) !== undefined
}

/** Less than workers wait for an answer: they are told that the database is away, and keep what they have. */
const PATIENCE: Millis = 10_000

export interface WritableDatabase {
  database: Database
  /** The one clock of all who share it. */
  clock: Clock
  /** News of other servers, where there may be any. */
  nudges: Notifications | undefined
  close(): Promise<void>
}

export async function databaseToWrite({ database: address, collection }: Settings): Promise<WritableDatabase> {
  if (address === undefined) {
    const database = openSqlite(join(collection, 'collection.db'))
    return { database, clock: realClock, nudges: undefined, close: () => database.close() }
  }
  const [{ openPostgres }, { databaseClock }, { openNotifications: openNudges }] = await Promise.all([
    import('../../database/postgres/open.ts'),
    import('../../database/postgres/clock.ts'),
    import('../../database/postgres/notifications.ts'),
  ])
  const database = await openPostgres(address, { patienceMs: PATIENCE })
  try {
    const clock = await databaseClock(database, realClock)
    const nudges = openNudges(database, { clock: realClock, random: seededRandom(freshSeed()) })
    return {
      database,
      clock,
      nudges,
      async close() {
        clock.close()
        await nudges.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
