/** One connection, one transaction at a time: others wait for their turn, in order of arrival. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { assert } from '../../base/assert.ts'
import { Problem } from '../../base/errors.ts'
import { inOrder } from '../../base/in-order.ts'
import { type Database, noStatements, type Tx } from '../database.ts'
import { type Checkpoints, NO_CHECKPOINTS } from './checkpoints.ts'
import { notSynced, problemOf } from './errors.ts'
import { type LogSync, NO_LOG_SYNC } from './log-sync.ts'
import { statementsOf } from './tx.ts'

export function serialized(
  database: DatabaseSync,
  path: string,
  writable: boolean,
  checkpoints: Checkpoints = NO_CHECKPOINTS,
  log: LogSync = NO_LOG_SYNC,
): Database {
  let takenBack = 0
  const counts = noStatements()
  const reading = statementsOf(database, false, () => 0, counts)
  const writing = statementsOf(database, true, () => takenBack, counts)
  /** Changes that have been committed, and those of them that have been synced. */
  let committed = writing.changes
  let durable = committed
  /** Set by the first failed sync: the system may drop what it could not write, and the next sync would succeed. */
  let lost: Problem | undefined
  const inTurn = inOrder()
  /** The sync the last transaction waits for before it resolves. */
  let syncing: Promise<void> = Promise.resolve()
  let closed = false

  // Prepared once: `exec` parses its text each time.
  const [beginToRead, beginToWrite, commit] = ['BEGIN', 'BEGIN IMMEDIATE', 'COMMIT'].map((sql) => database.prepare(sql))

  const within = async <T>(begin: StatementSync, tx: Tx, work: (tx: Tx) => Promise<T> | T): Promise<T> => {
    if (closed) throw new Problem('database-unreachable', `${path} was closed`)
    /** All changes committed so far, by anyone: the result may depend on them, so it resolves when they are durable. */
    let seen = 0
    const result = await inTurn(async () => {
      try {
        if (lost !== undefined) throw lost
        begin.run()
        const result = await work(tx)
        commit.run()
        if (tx === writing) {
          committed = writing.changes
          checkpoints.committed()
        }
        seen = committed
        return result
      } catch (error) {
        takenBack++
        // On a full disk SQLite may have rolled back by itself.
        if (database.isTransaction) database.exec('ROLLBACK')
        throw problemOf(error, path)
      }
    })
    // The next transaction has its turn meanwhile, and may share the sync.
    syncing = makeDurable(seen)
    await syncing
    return result
  }
  const makeDurable = async (upTo: number) => {
    if (upTo <= durable) return
    try {
      await log.synced()
    } catch (error) {
      lost = notSynced(error, path)
    }
    if (lost !== undefined) throw lost
    durable = Math.max(durable, upTo)
  }

  return {
    dialect: 'sqlite',
    async transact(work) {
      assert(writable, 'a transaction on a database that was opened to read')
      return within(beginToWrite, writing, work)
    },
    read: (work) => within(beginToRead, reading, work),
    statements: () => counts,
    close() {
      if (closed) return inTurn(() => {})
      closed = true
      return inTurn(async () => {
        await checkpoints.close()
        await syncing.catch(() => {})
        log.close()
        database.close()
      })
    },
  }
}
