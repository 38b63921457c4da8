/**
 * Which rule decides about a path: the longest that matches, `Allow` before `Disallow` at equal length. Rules without
 * wildcards lie in a map, so ten thousand of them cost no more than their different lengths. Those with wildcards are
 * tried one by one; most are ruled out by two letters that the path does not have side by side.
 */
import { decodeUnreserved, upperHex } from '../url/escapes.ts'

/** Where a rule is in the file as the site serves it. */
export interface Place {
  /** The number of its line, 0 when unknown. */
  readonly line: number
  /** The name that its group addresses, as the file spells it: `*`, `Orbweaver/2.0`. */
  readonly group: string
}

export interface RobotsRule {
  readonly allow: boolean
  /** `Disallow: /private*`, in ASCII. */
  readonly text: string
  readonly place: Place
}

interface Pattern extends RobotsRule {
  /** Octets of the rule: the longest decides. */
  readonly length: number
  /** The text between the asterisks. */
  readonly pieces: readonly string[]
  readonly toTheEnd: boolean
}

/**
 * Rules and paths are compared in this form: unreserved characters as themselves, everything else that a URL cannot
 * hold escaped, hex digits in capitals. One character is one byte (`decodeRobots`), so a byte is its own escape.
 */
export function comparable(pattern: string): string {
  const escaped = pattern.replace(/[\u0000-\u0020"<>\\^`{|}\u007f-\u00ff]/g, escapeByte)
  return escaped.includes('%') ? decodeUnreserved(upperHex(escaped)) : escaped
}

function escapeByte(letter: string): string {
  return '%' + letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
}

/**
 * Characters that one decision may scan for the pieces of wildcard rules. 500 KB of hostile rules took 0.5 s per URL
 * without this limit; now 12 ms at most, and no honest file comes near it.
 */
export const MAX_SCANNED = 5_000_000

export interface Effort {
  steps: number
}

/** A path that cannot be decided within the limit is not fetched: some rule may forbid it. */
const UNDECIDED: RobotsRule = {
  allow: false,
  text: 'Disallow: (too many wildcards to decide)',
  place: { line: 0, group: '' },
}

export class RobotsRules {
  readonly #prefixes = new Map<string, Pattern>()
  #lengths: number[] = []
  readonly #wild: Pattern[] = []
  readonly #lines = new Map<string, Place>()

  /** The rules' lines and where each was first, once each, in the order of the file. */
  get lines(): ReadonlyMap<string, Place> {
    return this.#lines
  }

  /** Adds a pattern in its comparable form. False when the same line is there already. */
  add(allow: boolean, pattern: string, place: Place): boolean {
    const text = `${allow ? 'Allow' : 'Disallow'}: ${pattern}`.trimEnd()
    if (this.#lines.has(text)) return false
    this.#lines.set(text, place)
    if (pattern === '') return true
    this.#keep(allow, pattern, text, place)
    // Google's reading: allowing /a/index.html allows /a/ too.
    const slash = pattern.lastIndexOf('/')
    if (allow && slash >= 0 && pattern.startsWith('/index.htm', slash)) {
      this.#keep(allow, `${pattern.slice(0, slash + 1)}$`, text, place)
    }
    return true
  }

  /** Call once, after the last rule. */
  seal(): void {
    this.#lengths = [...new Set(Array.from(this.#prefixes.keys(), (prefix) => prefix.length))].sort((a, b) => a - b)
    this.#wild.sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow))
  }

  /** `effort.steps` grows by the characters of rules and path that are scanned: tests limit it. */
  decide(path: string, effort: Effort = { steps: 0 }): RobotsRule | undefined {
    const asked = literal(comparable(path))
    effort.steps += asked.length
    let best = this.#longestPrefix(asked, effort)
    if (this.#wild.length === 0) return best
    pairs.note(asked)
    let left = MAX_SCANNED
    for (const rule of this.#wild) {
      if (best !== undefined && rule.length < best.length) break
      if (best !== undefined && rule.length === best.length && (best.allow || !rule.allow)) continue
      effort.steps += rule.length
      if (!mayMatch(rule, asked)) continue
      const scanned = scan(rule, asked)
      effort.steps += scanned < 0 ? asked.length : scanned
      if (scanned < 0) best = rule
      else left -= scanned
      if (left < 0) return UNDECIDED
    }
    return best
  }

  #longestPrefix(path: string, effort: Effort): Pattern | undefined {
    let best: Pattern | undefined
    for (const length of this.#lengths) {
      if (length > path.length) break
      effort.steps += length
      const found = this.#prefixes.get(path.slice(0, length))
      if (found === undefined) continue
      // Trailing asterisks count in the rule and not in the map, so the first found may not be the longest.
      if (best === undefined || found.length > best.length || (found.length === best.length && found.allow))
        best = found
    }
    return best
  }

  #keep(allow: boolean, pattern: string, text: string, place: Place): void {
    const toTheEnd = pattern.endsWith('$')
    // A trailing asterisk matches nothing more, but it counts as length, as in Google's parser.
    const body = toTheEnd ? pattern.slice(0, -1) : withoutTrailingStars(pattern)
    const pieces = body.split('*').map(literal)
    const rule: Pattern = { allow, text, place, length: pattern.length, pieces, toTheEnd }
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

/** RFC 9309: an asterisk or a dollar in a URL is compared in its escaped form, to distinguish it from the wildcards. */
function literal(text: string): string {
  if (!text.includes('*') && !text.includes('$')) return text
  return text.replaceAll('*', '%2A').replaceAll('$', '%24')
}

/** Pairs of adjacent letters in the path noted last. Deciding is synchronous, so one table is enough. */
const pairs = {
  seen: new Uint32Array(128 * 128),
  round: 0,

  note(path: string): void {
    if (++this.round === 2 ** 32) {
      this.seen.fill(0)
      this.round = 1
    }
    for (let at = 1; at < path.length; at++) this.seen[pairAt(path, at)] = this.round
  },

  hasAll(piece: string): boolean {
    for (let at = piece.length - 1; at > 0; at--) if (this.seen[pairAt(piece, at)] !== this.round) return false
    return true
  },
}

/** Comparable text is ASCII; other letters may collide here, and the full comparison settles it. */
function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) & 127) << 7) | (text.charCodeAt(at) & 127)
}

/** Everything that can be decided without searching. */
function mayMatch({ pieces, toTheEnd }: Pattern, path: string): boolean {
  if (!path.startsWith(pieces[0])) return false
  const last = pieces.length - 1
  if (toTheEnd && !path.endsWith(pieces[last])) return false
  for (let i = last; i > 0; i--) if (!pairs.hasAll(pieces[i])) return false
  return true
}

/** Piece by piece, without backtracking. -1 when the rule matches; otherwise the characters scanned without a match. */
function scan({ pieces, toTheEnd }: Pattern, path: string): number {
  const first = pieces[0].length
  const last = pieces.length - 1
  if (last === 0) return !toTheEnd || first === path.length ? -1 : 1
  let at = first
  for (let i = 1; i < last || (i === last && !toTheEnd); i++) {
    const found = path.indexOf(pieces[i], at)
    if (found < 0) return path.length - first + pieces.length
    at = found + pieces[i].length
  }
  return !toTheEnd || path.length - pieces[last].length >= at ? -1 : path.length - first + pieces.length
}
