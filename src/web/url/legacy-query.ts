/**
 * Queries of links in pages that are not UTF-8. Browsers write the letters of a link's query in the page's own encoding
 * (the path always in UTF-8), and servers of such sites expect that. Encodings with one byte a letter are known here; in
 * others (Shift_JIS, GBK …) the query is written in UTF-8.
 */

const SINGLE_BYTE =
  /^(?:ibm866|iso-8859-(?:[2-8]|8-i|1[03-6])|koi8-[ru]|macintosh|windows-(?:874|125[0-8])|x-mac-cyrillic)$/
const LONGEST_LABEL = 40

/** Undefined: as UTF-8. */
export type EncodeQuery = (href: string) => string

const encoders = new Map<string, EncodeQuery>()

export function queryEncoder(charset: string | undefined): EncodeQuery | undefined {
  // Nearly all pages: it need not be looked up.
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

/** `latin1` → `windows-1252`, as the encoding standard has it. */
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
  // What the encoding has no byte for is written as a number, as in forms.
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

/** Half a pair is no letter. */
function codeOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0xfffd
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
}
