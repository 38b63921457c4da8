/** A server that only migrates, for tests that kill it meanwhile: `node migrate.test-process.ts ADDRESS`. */
import type { Migration } from '../database.ts'
import { openPostgres } from './open.ts'

/** Each step makes a row, then waits for whoever holds the lock of its number. */
export const steps: readonly Migration[] = [1, 2, 3].map((number) => ({
  number,
  name: `step ${number}`,
  sql: `CREATE TABLE step_${number} (); CREATE TABLE IF NOT EXISTS done (number integer);
        INSERT INTO done VALUES (${number}); SELECT pg_advisory_xact_lock(${number})`,
}))

const [address] = process.argv.slice(2)
if (import.meta.main && address !== undefined) await (await openPostgres(address, { steps })).close()
