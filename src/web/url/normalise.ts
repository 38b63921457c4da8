/**
 * Carries the rules of `rules.ts` out, in one order that makes the whole idempotent for every set of rules,
 * n(n(u)) = n(u): first what loses nothing (escapes), then text (nested escapes, entities), then the path, then the
 * query. No step makes work for one before it. Nothing ever gets longer. A property test holds it to all of this.
 */
import { collapseEntities, decodeUnreserved, unnestEscapes, upperHex } from './escapes.ts'
import { endsInIndex, isIndex, pathRules } from './path-rules.ts'
import { queryRules } from './query-rules.ts'
import { RULES, type RuleName } from './rules.ts'

/** Path and query in, path and query out. */
export interface Normaliser {
  /** The rules that lose nothing: both spellings are the same URL by the standards. */
  exact(path: string): string
  /** All others, of what `exact` has made. When it changes anything, two pages may have become one. */
  loose(path: string): string
  /** Of a text whose path has no letter of `OF_CONCERN`, what both make of it. Its last name begins at `nameAt`. */
  plain(text: string, nameAt: number): string
}

const LOWER_HEX = /%(?:[a-f][0-9a-fA-F]|[0-9A-F][a-f])/
const ESCAPED_UNRESERVED = /%(?:2[dDeE]|3\d|[46][1-9a-fA-F]|[57][\daA]|5[fF]|7[eE])/
/** Letters: most links have none of these, and no rule but those of index files has anything to do. */
export const OF_CONCERN = '%;?&('
const ANY_OF_CONCERN = new RegExp(`[${OF_CONCERN}]`)

export function normaliser(names: readonly RuleName[]): Normaliser {
  const on: ReadonlySet<RuleName> = new Set(names)
  const upper = on.has('hex-case')
  const unreserved = on.has('unreserved')
  const nested = on.has('nested-escapes')
  const entities = on.has('entities')
  const files = on.has('index-files')
  const scripts = on.has('index-scripts')
  const ofPath = pathRules(on)
  const ofQuery = queryRules(on)
  const anyLoose = RULES.some(({ name, lossy }) => lossy && on.has(name))
  return {
    exact(path) {
      if (!path.includes('%')) return path
      const cased = upper && LOWER_HEX.test(path) ? upperHex(path) : path
      return unreserved && ESCAPED_UNRESERVED.test(cased) ? decodeUnreserved(cased) : cased
    },
    loose(given) {
      if (!anyLoose || (!isOfConcern(given) && !endsInIndex(given, files, scripts))) return given
      let text = nested ? unnestEscapes(given) : given
      if (entities) text = collapseEntities(text)
      const question = text.indexOf('?')
      if (question < 0) return ofPath(text)
      const path = ofPath(text.slice(0, question))
      const query = ofQuery(text.slice(question + 1), path)
      return query === undefined ? path : `${path}?${query}`
    },
    plain: (text, nameAt) => (isIndex(text, nameAt, files, scripts) ? text.slice(0, nameAt) : text),
  }
}

export function isOfConcern(path: string): boolean {
  return ANY_OF_CONCERN.test(path)
}

const spelling = normaliser(['hex-case', 'unreserved'])

/** Path and query with every escape in its one spelling, whatever the rules of the crawl. */
export function exactSpelling(path: string): string {
  return spelling.exact(path)
}
