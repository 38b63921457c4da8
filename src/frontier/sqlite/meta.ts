import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { checkRules, RULES_RECORD, recordOf } from '../recorded-rules.ts'

export const READ_META = `SELECT value FROM frontier_meta WHERE name = ?`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

export function agreeOnUrlRules(tx: SqliteTx, urls: UrlReader): void {
  const recorded = readMeta(tx, RULES_RECORD)
  checkRules(recorded, readMeta(tx, 'opened_at') === undefined, urls)
  if (recorded === undefined) tx.run(WRITE_META, RULES_RECORD, recordOf(urls.rules))
}

export function readMeta(tx: SqliteTx, name: string): string | undefined {
  return tx.get<{ value: string }>(READ_META, name)?.value
}
