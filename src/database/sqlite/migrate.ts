/** Whether the database is ours, its schema version, and the migration to the current one. */
import type { DatabaseSync } from 'node:sqlite'
import { assert } from '../../base/assert.ts'
import { Problem } from '../../base/errors.ts'
import type { Migration } from '../database.ts'

/** `Orb3`, in SQLite's header: identifies our databases, also to the `file` command. */
export const APPLICATION_ID = 0x4f726233

/** Throws for a foreign or a newer database. Writes nothing. */
export function checkOurs(database: DatabaseSync, path: string, steps: readonly Migration[]): { version: number } {
  const application = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n
  if (application === 0 && version === 0 && tables === 0) return { version: 0 }
  if (application !== APPLICATION_ID)
    throw new Problem(
      'foreign-database',
      `${path} belongs to another program: choose another folder for the collection`,
    )
  if (version > steps.length)
    throw new Problem(
      'newer-database',
      `${path} was written by a newer orbweaver (schema ${version}, ours is ${steps.length}): use that one or a newer`,
    )
  return { version }
}

/**
 * Runs each step and records its number in one transaction: a crash leaves the database before or after a step. A new database
 * takes all steps in one transaction, because every commit waits for the disk.
 */
export function bringUpToDate(database: DatabaseSync, steps: readonly Migration[]): void {
  for (const [index, step] of steps.entries())
    assert(step.number === index + 1, `migration ${step.name} is out of order`)
  const version = pragma(database, 'user_version')
  for (const together of version === 0 ? [steps] : steps.slice(version).map((step) => [step])) {
    database.exec('BEGIN IMMEDIATE')
    try {
      for (const step of together) {
        database.exec(step.sql)
        database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${step.number}`)
      }
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}
