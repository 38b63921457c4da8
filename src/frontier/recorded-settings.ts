/**
 * The settings of the last start of a shared crawl, recorded in its database. Commands on a machine without a server's folder
 * go by these instead of the defaults.
 */
import type { Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

const NAME = 'settings'

/** `text`: as in `orbweaver.yaml`, without secrets. */
export async function recordSettings(tx: Tx, text: string): Promise<void> {
  const sql = `INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  await queries(tx).run(sql, NAME, text)
}

export async function recordedSettings(tx: Tx): Promise<string | undefined> {
  return (await queries(tx).get<{ value: string }>('SELECT value FROM frontier_meta WHERE name = ?', NAME))?.value
}
