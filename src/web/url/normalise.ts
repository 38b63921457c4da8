/**
 * The rules by which two spellings of a URL are one (V11). The key for "seen" is made of the normalised spelling; what
 * is asked for stays the site's own. Each rule has a name, so that it can be explained, tested and switched alone.
 * Together they are idempotent: n(n(u)) = n(u), whatever a page's author wrote.
 */

export interface UrlRule {
  readonly name: string
  readonly does: string
  /** Cheap: may the rule change this URL? */
  readonly concerns: (href: string) => boolean
  /** From and to a URL as WHATWG serialises it, without userinfo and fragment. */
  readonly act: (href: string) => string
}

/** Rules 3–7 of V11 are what reading a URL does anyway (`web-url.ts`); a test holds the parser to each of them. */
export const PARSER_RULES = [
  { name: 'host-case', does: 'HTTP://Example.ORG/ → http://example.org/; international names in ASCII' },
  { name: 'dot-segments', does: '/a/./b/../c → /a/c, as RFC 3986 has it; %2e counts as a dot' },
  { name: 'default-port', does: 'http://h:80/ → http://h/, https://h:443/ → https://h/' },
  { name: 'empty-path', does: 'http://h → http://h/' },
  { name: 'fragment', does: 'http://h/a#b → http://h/a; user names and passwords go too' },
] as const

const LOWER_HEX = /%(?:[a-f][0-9a-fA-F]|[0-9A-F][a-f])/
const ESCAPED_UNRESERVED = /%(?:2[dDeE]|3\d|[46][1-9a-fA-F]|[57][\daA]|5[fF]|7[eE])/

/** In this order. A rule added here must keep the whole idempotent (`normalise.test.ts`). */
export const RULES: readonly UrlRule[] = [
  {
    name: 'hex-case',
    does: '%7e → %7E',
    concerns: (href) => href.includes('%') && LOWER_HEX.test(href),
    act: upperHex,
  },
  {
    name: 'unreserved',
    does: '%7E → ~ for letters, digits and -._~',
    concerns: (href) => href.includes('%') && ESCAPED_UNRESERVED.test(href),
    act: decodeUnreserved,
  },
]

export function normalise(href: string): string {
  for (const rule of RULES) if (rule.concerns(href)) href = rule.act(href)
  return href
}

export function upperHex(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (triplet) => triplet.toUpperCase())
}

/**
 * One pass from left to right. A digit that would complete a stray `%` to a new escape stays as it is (`%%32e` does not
 * become `%2e`): else a second pass would decode what the first has made.
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
    } else if (isUnreserved(code) && !(hexValue(code) >= 0 && out.length - stray <= 2)) {
      out += String.fromCharCode(code)
    } else {
      out += text.slice(at, from)
    }
    at = text.indexOf('%', from)
  }
  return out + text.slice(from)
}

function hexPair(text: string, at: number): number {
  if (at + 1 >= text.length) return -1
  const high = hexValue(text.charCodeAt(at))
  const low = hexValue(text.charCodeAt(at + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** -1 when it is no hexadecimal digit. */
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
