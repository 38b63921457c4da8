/** Percent escapes: the two lossless rules about them (V11, rules 1 and 2). */

export function upperHex(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (triplet) => triplet.toUpperCase())
}

/**
 * One pass from left to right. A digit that would complete a stray `%` to a new escape stays as it is (`%%32e` does not
 * become `%2e`): otherwise a second pass would decode what the first has made.
 */
export function decodeUnreserved(text: string): string {
  let out = ''
  let from = 0
  let stray = -3
  let at = text.indexOf('%')
  while (at >= 0) {
    out += text.slice(from, at)
    const code = hexPair(text, at + 1)
    from = at + (code < 0 ? 1 : 3)
    if (code < 0) {
      stray = out.length
      out += '%'
    } else if (isUnreserved(code) && !(hexValue(code) >= 0 && completes(out, stray))) {
      out += String.fromCharCode(code)
    } else {
      out += text.slice(at, from)
    }
    at = text.indexOf('%', from)
  }
  return out + text.slice(from)
}

/** Whether a hexadecimal digit at the end of the text would complete the escape begun by a stray `%`. */
function completes(text: string, stray: number): boolean {
  const between = text.length - stray - 1
  return between === 0 || (between === 1 && hexValue(text.charCodeAt(stray + 1)) >= 0)
}

function hexPair(text: string, at: number): number {
  if (at + 1 >= text.length) return -1
  const high = hexValue(text.charCodeAt(at))
  const low = hexValue(text.charCodeAt(at + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** -1 when it is not a hexadecimal digit. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function isUnreserved(code: number): boolean {
  const lower = code | 0x20
  if (lower >= 0x61 && lower <= 0x7a) return true
  if (code >= 0x30 && code <= 0x39) return true
  return code === 0x2d || code === 0x2e || code === 0x5f || code === 0x7e
}

/** An escape that was escaped again at least twice: `%252526`. Only a faulty program writes that. */
const NESTED = /%(?:25){2,}(?=[0-9a-f]{2})/gi

/** Down to two levels: `%2526` may be intended (an escape inside a value), `%252526` and more become that. */
export function unnestEscapes(text: string): string {
  return text.includes('%2525') ? text.replace(NESTED, '%25') : text
}

const ENTITY = '(?:amp|%(?:25)*23(?:38|x26))'
const ENTITY_END = '(?:;|%(?:25)*3b)'
/**
 * An ampersand, escaped or not, or the beginning of the query, followed by what is left when the ampersand is written
 * as an entity again and again. No match can begin inside another, so every character is scanned a fixed number of
 * times.
 */
const REPEATED_ENTITY = new RegExp(`([?&]|%(?:25)*26)(?:${ENTITY}${ENTITY_END})+`, 'gi')
const LEADING_ENTITIES = new RegExp(`^(?:${ENTITY}${ENTITY_END})+`, 'i')
const ENTITY_ALONE = new RegExp(`^${ENTITY}$`, 'i')

/** `&amp;amp;` → `&`, `%26amp%3B` → `%26`, `?amp;` → `?`. */
export function collapseEntities(text: string): string {
  return text.includes('&') || text.includes('%') || text.includes('?') ? text.replace(REPEATED_ENTITY, '$1') : text
}

/** For a piece that has moved to the beginning of a parameter, where the rest of an entity does not belong. */
export function withoutLeadingEntities(piece: string): string {
  return piece.replace(LEADING_ENTITIES, '')
}

/** `amp` before a `;`. */
export function isEntity(piece: string): boolean {
  return ENTITY_ALONE.test(piece)
}

/**
 * Queries of links in pages that are not UTF-8. Browsers write a link's query in the page's own encoding (the path
 * always in UTF-8), and servers of such sites expect that. Known here are encodings with one byte per letter; in others
 * (Shift_JIS, GBK …) the query is written in UTF-8.
 */

const SINGLE_BYTE =
  /^(?:ibm866|iso-8859-(?:[2-8]|8-i|1[03-6])|koi8-[ru]|macintosh|windows-(?:874|125[0-8])|x-mac-cyrillic)$/
const LONGEST_LABEL = 40

/** Undefined: as UTF-8. */
export type EncodeQuery = (href: string) => string

const encoders = new Map<string, EncodeQuery>()

export function queryEncoder(charset: string | undefined): EncodeQuery | undefined {
  // Nearly all pages: no look-up needed.
  if (charset === 'utf-8') return undefined
  const name = charset === undefined || charset.length > LONGEST_LABEL ? undefined : encodingOf(charset)
  if (name === undefined || !SINGLE_BYTE.test(name)) return undefined
  let encoder = encoders.get(name)
  if (encoder === undefined) {
    encoder = encoderOf(name)
    encoders.set(name, encoder)
  }
  return encoder
}

/** `latin1` → `windows-1252`, as in the Encoding Standard. */
function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function encoderOf(name: string): EncodeQuery {
  const high = new TextDecoder(name).decode(Uint8Array.from({ length: 128 }, (_, i) => 128 + i))
  const escapes = new Map([...high].map((letter, i) => [letter, `%${(128 + i).toString(16).toUpperCase()}`]))
  escapes.delete('\ufffd')
  // A letter that the encoding lacks is written as a number, as in forms.
  const written = (letter: string) => escapes.get(letter) ?? `%26%23${codeOf(letter)}%3B`
  return (href) => {
    const question = href.indexOf('?')
    const hash = href.indexOf('#')
    if (question < 0 || (hash >= 0 && hash < question)) return href
    const end = hash < 0 ? href.length : hash
    const query = href.slice(question, end)
    if (!/[^\x00-\x7f]/.test(query)) return href
    return href.slice(0, question) + query.replace(/[^\x00-\x7f]/gu, written) + href.slice(end)
  }
}

/** Half a surrogate pair is not a letter. */
function codeOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0xfffd
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
}
