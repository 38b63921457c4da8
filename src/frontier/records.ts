/**
 * Texts that a process leaves in the database for others, and for its next start: the settings of a shared crawl, a pass
 * over all known pages, the last measure of freshness, the order of sites (`rules/leases.ts` writes it).
 */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

export type RecordName = 'settings' | 'refresh_pass' | 'freshness' | 'mailed_day' | 'order'

export async function writeRecord(tx: Tx, name: RecordName, text: string): Promise<void> {
  const sql = `INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  await queries(tx).run(sql, name, text)
}

export async function readRecord(tx: Tx, name: RecordName): Promise<string | undefined> {
  return (await queries(tx).get<{ value: string }>('SELECT value FROM frontier_meta WHERE name = ?', name))?.value
}

export async function removeRecord(tx: Tx, name: RecordName): Promise<void> {
  await queries(tx).run('DELETE FROM frontier_meta WHERE name = ?', name)
}
