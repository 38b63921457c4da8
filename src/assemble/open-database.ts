/** The database of a collection, opened to look: `collection.db` in its folder, or the one that many machines share. */
import { join } from 'node:path'
import type { Millis } from '../base/clock.ts'
import type { Database } from '../database/database.ts'
import { isLocked } from '../database/lock.ts'
import { queries } from '../database/queries.ts'
import { openToRead } from '../database/sqlite/open.ts'

/** A report counts whole tables, and `verify` reads a volume between two questions: both may take long. */
const PATIENT = { connections: 2, statementMs: 3_600_000, idleInTransactionMs: 600_000 } as const

/** `address`: postgres://… Throws 'no-collection' when there is none. */
export async function databaseToRead(folder: string, address: string | undefined): Promise<Database> {
  if (address === undefined) return openToRead(join(folder, 'collection.db'))
  // The client is loaded by those who need it: `status` on a file starts at once.
  const { openPostgresToRead } = await import('../database/postgres/open.ts')
  return openPostgresToRead(address, PATIENT)
}

/** Servers say every ten seconds that they are there. */
const SILENT: Millis = 60_000

/** Whether a crawl has the collection open now: a process here, or a server anywhere that shares its database. */
export async function isRunning(database: Database, folder: string): Promise<boolean> {
  if (database.dialect === 'sqlite') return isLocked(folder)
  const sql = 'SELECT 1 FROM house WHERE seen_at > extract(epoch FROM now()) * 1000 - ? LIMIT 1'
  return (await database.read((tx) => queries(tx).get(sql, SILENT))) !== undefined
}
