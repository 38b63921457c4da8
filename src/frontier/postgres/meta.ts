import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { RULES_RECORD, readerOf } from '../recorded-rules.ts'

export const READ_META = `SELECT value FROM frontier_meta WHERE name = $1`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
export const RECORD_ONCE = `INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`

/** Reads URLs by the rules that the collection was made with. Writers have agreed on them when they began. */
export async function recordedUrls(tx: PostgresTx): Promise<UrlReader> {
  return readerOf(await readMeta(tx, RULES_RECORD))
}

export async function readMeta(tx: PostgresTx, name: string): Promise<string | undefined> {
  return (await tx.get<{ value: string }>(READ_META, name))?.value
}
