import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const READ_META = `SELECT value FROM frontier_meta WHERE name = ?`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
export const RECORD_ONCE = `INSERT OR IGNORE INTO frontier_meta (name, value) VALUES (?, ?)`

export function readMeta(tx: SqliteTx, name: string): string | undefined {
  return tx.get<{ value: string }>(READ_META, name)?.value
}
