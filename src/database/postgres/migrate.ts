/** Whether the database is ours, its schema version, and the migration to the current one. */
import { assert } from '../../base/assert.ts'
import { Problem } from '../../base/errors.ts'
import type { Migration } from '../database.ts'
import type { Connection } from './connection.ts'

/** `Orbw`: the number of the advisory lock held while migrating. */
export const MIGRATING = 0x4f726277
const UNBOUNDED = { unbounded: true }

/** The number of the last step done; 0 for an empty database. Throws for a foreign or a newer one. Writes nothing. */
export async function versionOf(connection: Connection, where: string, steps: readonly Migration[]): Promise<number> {
  const { rows } = await connection.query(`
    SELECT to_regclass('orbweaver_schema') IS NOT NULL AS ours,
           EXISTS (SELECT FROM pg_class c
                   WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                     -- Views that an extension brings (pg_stat_statements) are nobody's tables.
                     AND NOT EXISTS (SELECT FROM pg_depend d
                                     WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')) AS used`)
  const [{ ours, used }] = rows as { ours: boolean; used: boolean }[]
  if (!ours && !used) return 0
  if (!ours)
    throw new Problem('foreign-database', `${where} holds another program's tables: make a database of its own`)
  const { rows: done } = await connection.query(
    'SELECT coalesce(max(number), 0) AS version, min(name) FILTER (WHERE number = 1) AS first FROM orbweaver_schema',
  )
  const [{ version, first }] = done as { version: number; first: string | null }[]
  if (first !== null && first !== steps[0]?.name)
    throw new Problem(
      'foreign-database',
      `${where} was made by an unreleased version of orbweaver and cannot be read: make a new database`,
    )
  if (version > steps.length)
    throw new Problem(
      'newer-database',
      `${where} was written by a newer orbweaver (schema ${version}, ours is ${steps.length}): use that one or a newer`,
    )
  return version
}

/**
 * Runs each step and records its number in one transaction, under a lock. A crash leaves the database before or after a
 * step. Of several servers that start at once, one migrates while the others wait.
 */
export async function bringUpToDate(connection: Connection, where: string, steps: readonly Migration[]): Promise<void> {
  for (const [index, step] of steps.entries())
    assert(step.number === index + 1, `migration ${step.name} is out of order`)
  // When nothing is to do, a server writes nothing and waits for no lock.
  while ((await versionOf(connection, where, steps)) < steps.length) await takeStep(connection, where, steps)
}

async function takeStep(connection: Connection, where: string, steps: readonly Migration[]): Promise<void> {
  await connection.query('BEGIN')
  try {
    // A step, or waiting for another server's step, may take longer than any statement of a crawl.
    await connection.query(`SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${MIGRATING})`, [], UNBOUNDED)
    const version = await versionOf(connection, where, steps)
    const step = steps[version]
    if (version === 0)
      await connection.query(`
        CREATE TABLE IF NOT EXISTS orbweaver_schema (
          number integer PRIMARY KEY,
          name text NOT NULL,
          done_at timestamptz NOT NULL DEFAULT now()
        )`)
    if (step !== undefined) {
      await connection.query(step.sql, [], UNBOUNDED)
      await connection.query('INSERT INTO orbweaver_schema (number, name) VALUES ($1, $2)', [
        String(step.number),
        step.name,
      ])
    }
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {})
    throw error
  }
}
