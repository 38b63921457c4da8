/**
 * Which rule decides about a path: the longest that matches, `Allow` before `Disallow` when they are equally long.
 * Rules without wildcards lie in a map, so that a file of ten thousand costs no more than its different lengths.
 */
import { decodeUnreserved, upperHex } from '../url/normalise.ts'

export interface RobotsRule {
  readonly allow: boolean
  /** `Disallow: /private*`, in ASCII. */
  readonly line: string
}

interface Pattern extends RobotsRule {
  /** Octets of the rule: the longest decides. */
  readonly length: number
  /** What stands between the asterisks. */
  readonly pieces: readonly string[]
  readonly toTheEnd: boolean
}

/**
 * Rules and paths are compared after this: unreserved characters as themselves, everything else that a URL cannot hold
 * escaped, hex digits in capitals. One character is one byte (`decodeRobots`), so a byte is its own escape.
 */
export function comparable(pattern: string): string {
  const escaped = pattern.replace(/[\u0000-\u0020"<>\\^`{|}\u007f-\u00ff]/g, escapeByte)
  return escaped.includes('%') ? decodeUnreserved(upperHex(escaped)) : escaped
}

function escapeByte(letter: string): string {
  return '%' + letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
}

export class RobotsRules {
  readonly #prefixes = new Map<string, Pattern>()
  #lengths: number[] = []
  readonly #wild: Pattern[] = []
  readonly #lines = new Set<string>()

  /** The rules' lines, each once, in the order of the file. */
  get lines(): Iterable<string> {
    return this.#lines
  }

  /** The pattern in its comparable form. False when the same line is there already. */
  add(allow: boolean, pattern: string): boolean {
    const line = `${allow ? 'Allow' : 'Disallow'}: ${pattern}`.trimEnd()
    if (this.#lines.has(line)) return false
    this.#lines.add(line)
    if (pattern === '') return true
    this.#keep(allow, pattern, line)
    // Google's reading: who allows /a/index.html means /a/ too.
    const slash = pattern.lastIndexOf('/')
    if (allow && slash >= 0 && pattern.startsWith('/index.htm', slash)) {
      this.#keep(allow, `${pattern.slice(0, slash + 1)}$`, line)
    }
    return true
  }

  /** To be called once, after the last rule. */
  seal(): void {
    this.#lengths = [...new Set(Array.from(this.#prefixes.keys(), (prefix) => prefix.length))].sort((a, b) => a - b)
    this.#wild.sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow))
  }

  decide(path: string): RobotsRule | undefined {
    const asked = literal(comparable(path))
    let best = this.#longestPrefix(asked)
    for (const rule of this.#wild) {
      if (best !== undefined && rule.length < best.length) break
      if (best !== undefined && rule.length === best.length && (best.allow || !rule.allow)) continue
      if (matches(rule, asked)) best = rule
    }
    return best
  }

  #longestPrefix(path: string): Pattern | undefined {
    let best: Pattern | undefined
    for (const length of this.#lengths) {
      if (length > path.length) break
      const found = this.#prefixes.get(path.slice(0, length))
      if (found === undefined) continue
      // Trailing asterisks count in the rule and not in the map, so the first found is not yet the longest.
      if (best === undefined || found.length > best.length || (found.length === best.length && found.allow))
        best = found
    }
    return best
  }

  #keep(allow: boolean, pattern: string, line: string): void {
    const toTheEnd = pattern.endsWith('$')
    // A trailing asterisk says nothing, but it counts as length, as in Google's parser.
    const body = toTheEnd ? pattern.slice(0, -1) : withoutTrailingStars(pattern)
    const pieces = body.split('*').map(literal)
    const rule: Pattern = { allow, line, length: pattern.length, pieces, toTheEnd }
    if (toTheEnd || pieces.length > 1) this.#wild.push(rule)
    else {
      const known = this.#prefixes.get(pieces[0])
      if (known === undefined || known.length < rule.length || (known.length === rule.length && allow)) {
        this.#prefixes.set(pieces[0], rule)
      }
    }
  }
}

function withoutTrailingStars(pattern: string): string {
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === '*') end--
  return pattern.slice(0, end)
}

/** RFC 9309: an asterisk or a dollar in a URL is compared in its escaped form, so that it is told from the wildcards. */
function literal(text: string): string {
  if (!text.includes('*') && !text.includes('$')) return text
  return text.replaceAll('*', '%2A').replaceAll('$', '%24')
}

/** Piece by piece, each at its first place: no way back is ever needed, so no pattern can make it slow. */
function matches(rule: Pattern, path: string): boolean {
  const { pieces, toTheEnd } = rule
  if (!path.startsWith(pieces[0])) return false
  let at = pieces[0].length
  const last = pieces.length - 1
  if (last === 0) return !toTheEnd || at === path.length
  for (let i = 1; i < last; i++) {
    at = path.indexOf(pieces[i], at)
    if (at < 0) return false
    at += pieces[i].length
  }
  if (toTheEnd) return path.length - pieces[last].length >= at && path.endsWith(pieces[last])
  return path.indexOf(pieces[last], at) >= 0
}
