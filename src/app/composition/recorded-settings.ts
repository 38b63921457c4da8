/**
 * What a shared crawl was last started with, as its database records it: whoever asks the database from a machine without
 * the folder of a server should judge by the settings of the crawl, not by the defaults.
 */
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'

const NAME = 'settings'

/** `text`: as `orbweaver.yaml` has it, without secrets. */
export async function recordSettings(tx: Tx, text: string): Promise<void> {
  const sql = `INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  await queries(tx).run(sql, NAME, text)
}

export async function recordedSettings(tx: Tx): Promise<string | undefined> {
  return (await queries(tx).get<{ value: string }>('SELECT value FROM frontier_meta WHERE name = ?', NAME))?.value
}
