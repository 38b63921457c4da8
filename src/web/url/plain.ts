/**
 * Which references need no URL parser: those in which WHATWG's parser leaves every character as it is and no segment
 * begins with a dot, escaped or not. In doubt the parser decides; a property test compares the two.
 */
import { OF_CONCERN } from './normalise.ts'

const PATH = 1
const QUERY = 2
const HOST = 4
const CONCERN = 8

const KIND = new Uint8Array(128)
for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789-') KIND[letter.charCodeAt(0)] = PATH | QUERY | HOST
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ._~!$&()*+,;=:@/%') KIND[letter.charCodeAt(0)] = PATH | QUERY
KIND["'".charCodeAt(0)] = PATH // WHATWG writes it as %27 in queries
KIND['?'.charCodeAt(0)] = QUERY
for (const letter of OF_CONCERN) KIND[letter.charCodeAt(0)] |= CONCERN

const HASH = 0x23
const PERCENT = 0x25
const DASH = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const TWO = 0x32
const QUESTION = 0x3f
const SMALL_A = 0x61
const SMALL_E = 0x65
const LONGEST_HOST = 253
const LONGEST_LABEL = 63

/** The result of the last call. One object for all calls: read it before the next one. */
export const looked = {
  /** Where path and query end: at `#` or at the end of the text. */
  end: 0,
  /** Some letter concerns one of the URL rules (`normalise.ts`). */
  ofConcern: false,
  /** Behind the last slash of the path; where the path begins, when it has none. */
  nameAt: 0,
}

/** Scans path and query from `at` on; false when the parser must. */
export function lookPlain(text: string, at: number): boolean {
  let nameAt = at
  let seen = 0
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? KIND[code] : 0
    if ((kind & PATH) === 0) {
      if (code === HASH) break
      if (code === QUESTION) return lookPlainQuery(text, at + 1)
      return false
    }
    seen |= kind
    if (code === SLASH) nameAt = at + 1
    else if (code === DOT && at === nameAt) return false
    else if (code === PERCENT && isEscapedDot(text, at)) return false
  }
  looked.end = at
  looked.ofConcern = (seen & CONCERN) !== 0
  looked.nameAt = nameAt
  return true
}

function isEscapedDot(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === TWO && (text.charCodeAt(at + 2) | 0x20) === SMALL_E
}

function lookPlainQuery(text: string, at: number): boolean {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === HASH) break
    if (code >= 128 || (KIND[code] & QUERY) === 0) return false
  }
  looked.end = at
  looked.ofConcern = true
  return true
}

/**
 * Where the host from `from` on ends, at the slash that must follow it; -1 when the parser must look: capitals, ports,
 * user names, international names (the parser checks `xn--`), names that may be IPv4 numbers, odd labels.
 */
export function plainHostEnd(text: string, from: number): number {
  let label = from
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT || code === SLASH) {
      if (at === label || at - label > LONGEST_LABEL || isInternational(text, label)) return -1
      if (code === SLASH) return at - from <= LONGEST_HOST && text.charCodeAt(label) >= SMALL_A ? at : -1
      label = at + 1
    } else if (code >= 128 || (KIND[code] & HOST) === 0) return -1
  }
  return -1
}

function isInternational(text: string, label: number): boolean {
  return text.charCodeAt(label + 2) === DASH && text.charCodeAt(label + 3) === DASH
}
