/**
 * By which rules the keys of a collection are made, as its database records them: written when it is made and the same
 * ever after, for under other rules every URL that is known would be news.
 */
import { Problem } from '../base/errors.ts'
import { RULE_NAMES, type RuleName, switchesOf, USUAL_RULES } from '../web/url/rules.ts'
import { type UrlReader, urlReader } from '../web/url/web-url.ts'

/** Of the row in `frontier_meta`. */
export const RULES_RECORD = 'url_rules'

const NONE = 'none'

export function recordOf(rules: readonly RuleName[]): string {
  return rules.length === 0 ? NONE : rules.join(',')
}

/** Throws when the collection was made with other rules. A new one has no record yet. */
export function checkRules(recorded: string | undefined, { rules }: UrlReader): void {
  if (recorded === undefined || recorded === recordOf(rules)) return
  const made = switchesOf(readerOf(recorded).rules)
  throw new Problem(
    'bad-config',
    `this collection was made with the URL rules ${made}, not with ${switchesOf(rules)}: ` +
      `go on with --url-rules ${made}, or begin another collection`,
  )
}

let last: { text: string; urls: UrlReader } | undefined

/** A collection without a record is empty: nothing depends on its rules yet. */
export function readerOf(recorded: string | undefined): UrlReader {
  const text = recorded ?? recordOf(USUAL_RULES)
  if (last?.text === text) return last.urls
  const names = text === NONE ? [] : text.split(',')
  const unknown = names.find((name) => !isRule(name))
  if (unknown !== undefined) {
    throw new Problem('newer-database', `this collection was made with the URL rule '${unknown}' of a later version`)
  }
  last = { text, urls: urlReader(names.filter(isRule)) }
  return last.urls
}

function isRule(name: string): name is RuleName {
  return (RULE_NAMES as readonly string[]).includes(name)
}
