/**
 * The charset of the bytes, and their text: BOM, then the HTTP header, then what the page declares, then what the bytes
 * look like. Labels are those of the Encoding Standard; unknown ones are ignored.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { byteOrderMark } from '../../base/bytes.ts'
import { detectCharset, isIso2022Jp, utf16WithoutBom } from './detect-charset.ts'
import { decoderOf, encodingOf } from './encodings.ts'
import { isSpace } from './letters.ts'
import { tagNamed } from './tags.ts'
import { TOKEN, Tokenizer } from './tokenizer.ts'

export type CharsetSource = 'bom' | 'header' | 'declared' | 'bytes'

export interface Decoded {
  text: string
  /** As the Encoding Standard names it, in lower case. */
  charset: string
  source: CharsetSource
}

export function decode(bytes: Uint8Array, headerCharset: string | undefined): Decoded {
  const { charset, source } = charsetOf(bytes, headerCharset)
  return { text: decoderOf(charset).decode(bytes), charset, source }
}

export function charsetOf(
  bytes: Uint8Array,
  headerCharset: string | undefined,
): { charset: string; source: CharsetSource } {
  const marked = byteOrderMark(bytes)
  if (marked !== undefined) return { charset: marked, source: 'bom' }
  const fromHeader = headerCharset === undefined ? undefined : encodingOf(headerCharset)
  if (fromHeader !== undefined) return { charset: fromHeader, source: 'header' }
  const declared = declaredCharset(bytes, PRESCAN_BYTES)
  if (declared !== undefined) return { charset: declared, source: 'declared' }
  const wide = utf16WithoutBom(bytes)
  if (wide !== undefined) return { charset: wide, source: 'bytes' }
  if (looksLikeUtf8(bytes)) return { charset: isIso2022Jp(bytes) ? 'iso-2022-jp' : 'utf-8', source: 'bytes' }
  // Browsers start again when a declaration comes late; it is still better evidence than statistics.
  const late = declaredCharset(bytes, LATE_BYTES)
  if (late !== undefined) return { charset: late, source: 'declared' }
  return { charset: detectCharset(bytes) ?? 'windows-1252', source: 'bytes' }
}

/** A page cut by a limit may end inside a character; if it holds others, it is still UTF-8. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true
  const whole = withoutTornEnd(bytes)
  return whole.length < bytes.length && isUtf8(whole) && !isAscii(whole)
}

function withoutTornEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]
    if (byte < 0x80) return bytes
    if (byte < 0xc0) continue
    const needs = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return needs > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/**
 * The charset that a page declares near its beginning: the standard's prescan, made with our tokenizer (which, like the
 * prescan, sees tags inside scripts unless told otherwise).
 */

/** How far the standard looks. */
export const PRESCAN_BYTES = 1024
/** How far we look before guessing. */
export const LATE_BYTES = 64 * 1024

const META = tagNamed('meta')

export function declaredCharset(bytes: Uint8Array, limit: number): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, limit)).toString('latin1')
  const tokens = new Tokenizer(head)
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return xmlCharset(head)
    if (token !== TOKEN.startTag || tokens.tag !== META) continue
    const label = metaLabel(tokens)
    const encoding = label === undefined ? undefined : encodingOf(label)
    if (encoding !== undefined) return readable(encoding)
  }
}

/** A readable declaration is not UTF-16; and no one means x-user-defined. */
function readable(encoding: string): string {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return 'utf-8'
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding
}

function metaLabel(tokens: Tokenizer): string | undefined {
  const charset = tokens.attribute('charset')
  if (charset !== undefined) return charset
  if (tokens.attribute('http-equiv')?.toLowerCase() !== 'content-type') return undefined
  return charsetInContent(tokens.attribute('content') ?? '')
}

/** `text/html; charset=…`, as the standard extracts it. */
export function charsetInContent(content: string): string | undefined {
  const lower = content.toLowerCase()
  for (let at = 0; ; ) {
    at = lower.indexOf('charset', at)
    if (at < 0) return undefined
    at = skipSpace(content, at + 7)
    if (content[at] !== '=') continue
    at = skipSpace(content, at + 1)
    const quote = content[at]
    if (quote === '"' || quote === "'") {
      const end = content.indexOf(quote, at + 1)
      return end < 0 ? undefined : content.slice(at + 1, end)
    }
    let end = at
    while (end < content.length && content[end] !== ';' && !isSpace(content.charCodeAt(end))) end++
    return content.slice(at, end)
  }
}

/** `<?xml … encoding="…"?>`, where nothing else is said. */
function xmlCharset(head: string): string | undefined {
  if (!head.startsWith('<?xml')) return undefined
  const end = head.indexOf('>')
  const label = end < 0 ? undefined : /\sencoding\s?=\s?["']([^"']{1,64})["']/.exec(head.slice(0, end))?.[1]
  const encoding = label === undefined ? undefined : encodingOf(label)
  return encoding === undefined ? undefined : readable(encoding)
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}
