/** The lines of a robots.txt, read with the tolerance that Google's published parser has for their authors. */

export type LineKind = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'other'

export interface RobotsLine {
  kind: LineKind
  value: string
  /** 1 for the first, as an editor counts: CR, LF and the two together each end one line. */
  number: number
  /** What stands after the `#`; undefined when there is none. */
  comment: string | undefined
}

/** RFC 9309 asks for 500 KiB at least. */
export const PARSED_BYTES = 512 * 1024
/** Google's bound on a line: the longest URL that browsers take, every letter in eight. */
export const LONGEST_LINE = 2083 * 8

/** In this order; a key need only begin so. The misspellings are those seen most often. */
const KEYS: readonly (readonly [LineKind, RegExp])[] = [
  ['user-agent', /^user[- ]?agent/i],
  ['allow', /^allow/i],
  ['disallow', /^(disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i],
  ['sitemap', /^site-?map/i],
  ['crawl-delay', /^crawl[- ]?delay/i],
]

/**
 * The text as one character a byte, so that a pattern in an unknown encoding keeps its bytes. Whole lines of the first
 * 512 KiB; without the byte order mark or the part of one that is there, and without NULs: no text has any, and UTF-16
 * without its mark is readable without them.
 */
export function decodeRobots(bytes: Uint8Array): string {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : ''
  if (utf16 !== '') {
    // Against RFC 9309, but it happens, and its author meant it.
    const text = new TextDecoder(utf16).decode(bytes.subarray(0, 2 * PARSED_BYTES))
    return decodeRobots(new TextEncoder().encode(text))
  }
  let from = 0
  for (const byte of [0xef, 0xbb, 0xbf])
    if (bytes[from] === byte) from++
    else break
  // Whoever fetches it stops at the same length: a last line of just that many bytes may be half a line.
  const end = bytes.length < PARSED_BYTES ? bytes.length : lineBorder(bytes, Math.min(bytes.length, PARSED_BYTES))
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from)
    .toString('latin1')
    .replaceAll('\0', '')
}

/** After the last line end before `limit`; a single endless line is cut where it is. */
function lineBorder(bytes: Uint8Array, limit: number): number {
  for (let at = limit; at > 0; at--) if (bytes[at - 1] === 10 || bytes[at - 1] === 13) return at
  return limit
}

/** Lines that say nothing but a comment, and empty ones, left out. */
export function* readLines(text: string, longest = LONGEST_LINE): Generator<RobotsLine> {
  let from = 0
  for (let number = 1; from < text.length; number++) {
    let end = from
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++
    const line = readLine(text.slice(from, Math.min(end, from + longest)), number)
    if (line !== undefined) yield line
    from = end + (text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? 2 : 1)
  }
}

function readLine(raw: string, number: number): RobotsLine | undefined {
  const hash = raw.indexOf('#')
  const line = trim(hash < 0 ? raw : raw.slice(0, hash))
  if (line === '') return undefined
  const comment = hash < 0 ? undefined : raw.slice(hash + 1)
  const colon = line.indexOf(':')
  if (colon >= 0) {
    return { kind: kindOf(trim(line.slice(0, colon))), value: trim(line.slice(colon + 1)), number, comment }
  }
  // `Disallow /private`: exactly two words, else it may be anything.
  const space = /[ \t]+/.exec(line)
  const value = space === null ? '' : line.slice(space.index + space[0].length)
  if (space === null || /[ \t]/.test(value)) return { kind: 'other', value: line, number, comment }
  return { kind: kindOf(line.slice(0, space.index)), value, number, comment }
}

function kindOf(key: string): LineKind {
  for (const [kind, pattern] of KEYS) if (pattern.test(key)) return kind
  return 'other'
}

/** White space of ASCII only: a byte 0xA0 is part of some letter. */
function trim(text: string): string {
  let from = 0
  let end = text.length
  while (from < end && isSpace(text.charCodeAt(from))) from++
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(from, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
