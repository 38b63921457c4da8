import type { PostgresTx } from '../../database/postgres/tx.ts'

export const READ_META = `SELECT value FROM frontier_meta WHERE name = $1`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
export const RECORD_ONCE = `INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`

export async function readMeta(tx: PostgresTx, name: string): Promise<string | undefined> {
  return (await tx.get<{ value: string }>(READ_META, name))?.value
}
