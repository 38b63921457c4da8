/**
 * By which rules the keys of this collection are made. Written when it is made and the same ever after: under other
 * rules every URL that is known would be news.
 */
import { Problem } from '../../base/errors.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { FIRST_RULES, RULE_NAMES, type RuleName, switchesOf } from '../../web/url/rules.ts'
import { type UrlReader, urlReader } from '../../web/url/web-url.ts'
import { READ_META, WRITE_META } from './recover.ts'

const NAME = 'url_rules'
const NONE = 'none'

export function agreeOnUrlRules(tx: SqliteTx, { rules }: UrlReader): void {
  const isNew = tx.get(READ_META, 'opened_at') === undefined
  const recorded = readMeta(tx)
  const given = written(rules)
  if ((recorded ?? (isNew ? given : written(FIRST_RULES))) !== given) {
    const made = switchesOf(recordedUrls(tx).rules)
    throw new Problem(
      'bad-config',
      `this collection was made with the URL rules ${made}, not with ${switchesOf(rules)}: ` +
        `go on with --url-rules ${made}, or begin another collection`,
    )
  }
  if (recorded === undefined) tx.run(WRITE_META, NAME, given)
}

let last: { text: string; urls: UrlReader } | undefined

/** For whoever looks up what is there. */
export function recordedUrls(tx: SqliteTx): UrlReader {
  return readerOf(readMeta(tx) ?? written(FIRST_RULES))
}

const agreed = new WeakMap<SqliteTx, UrlReader>()

/** For whoever writes, all the time: what is recorded is so for ever, and is read once. */
export function agreedUrls(tx: SqliteTx): UrlReader {
  const known = agreed.get(tx)
  if (known !== undefined) return known
  const recorded = readMeta(tx)
  if (recorded === undefined) return recordedUrls(tx)
  const urls = readerOf(recorded)
  agreed.set(tx, urls)
  return urls
}

function readerOf(text: string): UrlReader {
  if (last?.text === text) return last.urls
  const names = text === NONE ? [] : text.split(',')
  const unknown = names.find((name) => !isRule(name))
  if (unknown !== undefined) {
    throw new Problem('newer-database', `this collection was made with the URL rule '${unknown}' of a later version`)
  }
  last = { text, urls: urlReader(names.filter(isRule)) }
  return last.urls
}

function readMeta(tx: SqliteTx): string | undefined {
  return tx.get<{ value: string }>(READ_META, NAME)?.value
}

function written(rules: readonly RuleName[]): string {
  return rules.length === 0 ? NONE : rules.join(',')
}

function isRule(name: string): name is RuleName {
  return (RULE_NAMES as readonly string[]).includes(name)
}
