/**
 * One SQL text for both databases: SQLite's placeholders (`?`, `?1`) become PostgreSQL's (`$1`). What stands in literals,
 * quoted names and comments is no placeholder.
 */
import { assert } from '../base/assert.ts'

/** Texts are literals of the program, so there are some hundred of them. */
const known = new Map<string, string>()

export function numbered(sql: string): string {
  let text = known.get(sql)
  if (text === undefined) known.set(sql, (text = rewritten(sql)))
  return text
}

/** In this order: whatever begins first swallows the others up to its end. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)|['"$]|\/\*/g

function rewritten(sql: string): string {
  let last = 0
  return sql.replace(TOKEN, (token, number: string | undefined) => {
    if (number !== undefined) {
      // A bare one follows the largest so far, as in SQLite.
      const place = number === '' ? last + 1 : Number(number)
      last = Math.max(last, place)
      return `$${place}`
    }
    assert(token.length > 1 && token !== '/*', `${token} that no text for both databases has: ${sql}`)
    // PostgreSQL's comments nest, SQLite's do not.
    assert(!token.startsWith('/*') || !token.includes('/*', 2), `a comment in a comment: ${sql}`)
    return token
  })
}
