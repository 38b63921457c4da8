/**
 * The rules by which the keys of a collection are made, as its database records them. They are written when it is made and
 * never change: under other rules every known URL would be new.
 */
import { Problem } from '../base/errors.ts'
import { FIRST_RULES, RULE_NAMES, type RuleName, switchesOf } from '../web/url/rules.ts'
import { type UrlReader, urlReader } from '../web/url/web-url.ts'

/** The name of the row in `frontier_meta`. */
export const RULES_RECORD = 'url_rules'

const NONE = 'none'

export function recordOf(rules: readonly RuleName[]): string {
  return rules.length === 0 ? NONE : rules.join(',')
}

/** Throws when a collection with that record, or with none, was not made with these rules. A new one has no record yet. */
export function checkRules(recorded: string | undefined, isNew: boolean, { rules }: UrlReader): void {
  const given = recordOf(rules)
  if ((recorded ?? (isNew ? given : recordOf(FIRST_RULES))) === given) return
  const made = switchesOf(readerOf(recorded).rules)
  throw new Problem(
    'bad-config',
    `this collection was made with the URL rules ${made}, not with ${switchesOf(rules)}: ` +
      `go on with --url-rules ${made}, or begin another collection`,
  )
}

let last: { text: string; urls: UrlReader } | undefined

/** A collection without a record was made with the first rules. */
export function readerOf(recorded: string | undefined): UrlReader {
  const text = recorded ?? recordOf(FIRST_RULES)
  if (last?.text === text) return last.urls
  const names = text === NONE ? [] : text.split(',')
  const unknown = names.find((name) => !isRule(name))
  if (unknown !== undefined) {
    throw new Problem(
      'newer-database',
      `this collection was made with the URL rule '${unknown}' of a later version: use that version`,
    )
  }
  last = { text, urls: urlReader(names.filter(isRule)) }
  return last.urls
}

function isRule(name: string): name is RuleName {
  return (RULE_NAMES as readonly string[]).includes(name)
}
