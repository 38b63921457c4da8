import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { checkRules, RULES_RECORD, readerOf, recordOf } from '../recorded-rules.ts'
import { READ_META, WRITE_META } from './recover.ts'

export function agreeOnUrlRules(tx: SqliteTx, urls: UrlReader): void {
  const recorded = readMeta(tx)
  checkRules(recorded, tx.get(READ_META, 'opened_at') === undefined, urls)
  if (recorded === undefined) tx.run(WRITE_META, RULES_RECORD, recordOf(urls.rules))
}

/** For whoever looks up what is there. */
export function recordedUrls(tx: SqliteTx): UrlReader {
  return readerOf(readMeta(tx))
}

const agreed = new WeakMap<SqliteTx, UrlReader>()

/** For whoever writes, all the time: what is recorded is so for ever, and is read once. */
export function agreedUrls(tx: SqliteTx): UrlReader {
  const known = agreed.get(tx)
  if (known !== undefined) return known
  const recorded = readMeta(tx)
  const urls = readerOf(recorded)
  if (recorded !== undefined) agreed.set(tx, urls)
  return urls
}

function readMeta(tx: SqliteTx): string | undefined {
  return tx.get<{ value: string }>(READ_META, RULES_RECORD)?.value
}
