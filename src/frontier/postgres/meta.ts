import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { checkRules, RULES_RECORD, recordOf } from '../recorded-rules.ts'

export const READ_META = `SELECT value FROM frontier_meta WHERE name = $1`
export const WRITE_META = `
  INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const RECORD_ONCE = `INSERT INTO frontier_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`

/** Of two servers that begin a collection at once the second waits for the first, and must have the same rules. */
export async function agreeOnUrlRules(tx: PostgresTx, urls: UrlReader): Promise<void> {
  const [before, opened] = await Promise.all([readMeta(tx, RULES_RECORD), readMeta(tx, 'opened_at')])
  checkRules(before, opened === undefined, urls)
  if (before !== undefined) return
  await tx.run(RECORD_ONCE, RULES_RECORD, recordOf(urls.rules))
  checkRules(await readMeta(tx, RULES_RECORD), false, urls)
}

export async function readMeta(tx: PostgresTx, name: string): Promise<string | undefined> {
  return (await tx.get<{ value: string }>(READ_META, name))?.value
}
