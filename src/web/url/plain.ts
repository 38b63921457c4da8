/**
 * Which references need no URL parser: those in which every character is one that WHATWG's parser leaves as it is and
 * no segment begins with a dot, escaped or not. A doubt sends the reference to the parser; a property test compares the two.
 */

const PATH = 1
const QUERY = 2
const HOST = 4

const KIND = new Uint8Array(128)
for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789-') KIND[letter.charCodeAt(0)] = PATH | QUERY | HOST
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ._~!$&()*+,;=:@/%') KIND[letter.charCodeAt(0)] = PATH | QUERY
KIND["'".charCodeAt(0)] = PATH // WHATWG writes it as %27 in queries
KIND['?'.charCodeAt(0)] = QUERY

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

/** Where path and query from `at` on end (at `#` or the end of the text), or -1 when the parser must look. */
export function plainPathEnd(text: string, at: number): number {
  let beginsSegment = true
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === HASH) return at
    if (code === QUESTION) return plainQueryEnd(text, at + 1)
    if (code >= 128 || (KIND[code] & PATH) === 0) return -1
    if (code === DOT && beginsSegment) return -1
    if (code === PERCENT && isEscapedDot(text, at)) return -1
    beginsSegment = code === SLASH
  }
  return at
}

function isEscapedDot(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === TWO && (text.charCodeAt(at + 2) | 0x20) === SMALL_E
}

function plainQueryEnd(text: string, at: number): number {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === HASH) return at
    if (code >= 128 || (KIND[code] & QUERY) === 0) return -1
  }
  return at
}

/**
 * Where the host from `from` on ends, at the slash that must follow it; -1 when the parser must look: capitals, ports,
 * user names, international names (`xn--` is checked by the parser), names that may be numbers (IPv4), odd labels.
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
