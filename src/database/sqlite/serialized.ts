/** One connection, one transaction at a time: who comes while one is under way waits for its turn, in order of arrival. */
import type { DatabaseSync } from 'node:sqlite'
import { assert } from '../../base/assert.ts'
import { Problem } from '../../base/errors.ts'
import type { Database, Tx } from '../database.ts'
import { type Checkpoints, NO_CHECKPOINTS } from './checkpoints.ts'
import { type LogSync, NO_LOG_SYNC } from './log-sync.ts'
import { statementsOf } from './statements.ts'
import { notSynced, troubleOf } from './troubles.ts'

export function serialized(
  database: DatabaseSync,
  path: string,
  writable: boolean,
  checkpoints: Checkpoints = NO_CHECKPOINTS,
  log: LogSync = NO_LOG_SYNC,
): Database {
  const reading = statementsOf(database, false)
  let takenBack = 0
  const writing = statementsOf(database, true, () => takenBack)
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  /** After a sync has failed the system may forget what it could not write, and say of the next one that all is well. */
  let lost: Problem | undefined
  const changes = database.prepare('SELECT total_changes() AS count')
  let synced = changesOf()

  function changesOf(): unknown {
    return changes.get()?.count
  }
  const makeDurable = async () => {
    const written = changesOf()
    if (written === synced) return
    try {
      await log.synced()
    } catch (error) {
      lost = notSynced(error, path)
      throw lost
    }
    synced = written
  }
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const within = <T>(begin: string, tx: Tx, work: (tx: Tx) => Promise<T> | T): Promise<T> => {
    if (closed) return Promise.reject(new Problem('database-unreachable', `${path} was closed`))
    return inTurn(async () => {
      try {
        if (lost !== undefined) throw lost
        database.exec(begin)
        const result = await work(tx)
        database.exec('COMMIT')
        if (tx === writing) {
          await makeDurable()
          checkpoints.committed()
        }
        return result
      } catch (error) {
        takenBack++
        // On a full disk SQLite may have rolled back by itself.
        if (database.isTransaction) database.exec('ROLLBACK')
        throw troubleOf(error, path)
      }
    })
  }

  return {
    dialect: 'sqlite',
    transact(work) {
      assert(writable, 'a transaction on a database that was opened to read')
      return within('BEGIN IMMEDIATE', writing, work)
    },
    read: (work) => within('BEGIN', reading, work),
    close() {
      if (closed) return last.then(() => {})
      closed = true
      return inTurn(async () => {
        await checkpoints.close()
        log.close()
        database.close()
      })
    },
  }
}
