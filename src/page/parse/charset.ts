/**
 * Which charset the bytes are in, and the text they hold: BOM, then the HTTP header, then what the page declares, then
 * what the bytes look like. Labels are those of the Encoding Standard; one that it does not know is as if not there.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { detectCharset, isIso2022Jp, utf16WithoutBom } from './detect-charset.ts'
import { declaredCharset, LATE_BYTES, PRESCAN_BYTES } from './meta-prescan.ts'

export type CharsetSource = 'bom' | 'header' | 'declared' | 'bytes'

export interface Decoded {
  text: string
  /** As the Encoding Standard names it, in lower case. */
  charset: string
  source: CharsetSource
}

/** Labels come from outside: remembered up to here, then looked up anew. The standard has some 220. */
const MAX_LABELS = 400
const encodings = new Map<string, string | undefined>()
const decoders = new Map<string, TextDecoder>()

/** The encoding of a label, or undefined when there is none (or only the "replacement" one, which decodes nothing). */
export function encodingOf(label: string): string | undefined {
  if (label.length > 64) return undefined
  if (encodings.has(label)) return encodings.get(label)
  const encoding = findEncoding(label)
  if (encodings.size < MAX_LABELS) encodings.set(label, encoding)
  return encoding
}

function findEncoding(label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label)
    decoders.set(decoder.encoding, decoder)
    return decoder.encoding
  } catch {
    return undefined
  }
}

export function decode(bytes: Uint8Array, headerCharset: string | undefined): Decoded {
  const { charset, source } = charsetOf(bytes, headerCharset)
  encodingOf(charset)
  const decoder = decoders.get(charset) ?? new TextDecoder(charset)
  return { text: decoder.decode(bytes), charset, source }
}

export function charsetOf(
  bytes: Uint8Array,
  headerCharset: string | undefined,
): { charset: string; source: CharsetSource } {
  const marked = byteOrderMark(bytes)
  if (marked !== undefined) return { charset: marked, source: 'bom' }
  const told = headerCharset === undefined ? undefined : encodingOf(headerCharset)
  if (told !== undefined) return { charset: told, source: 'header' }
  const declared = declaredCharset(bytes, PRESCAN_BYTES, encodingOf)
  if (declared !== undefined) return { charset: declared, source: 'declared' }
  const wide = utf16WithoutBom(bytes)
  if (wide !== undefined) return { charset: wide, source: 'bytes' }
  if (looksLikeUtf8(bytes)) return { charset: isIso2022Jp(bytes) ? 'iso-2022-jp' : 'utf-8', source: 'bytes' }
  // Browsers start again when a declaration comes late; it is still a better witness than statistics.
  const late = declaredCharset(bytes, LATE_BYTES, encodingOf)
  if (late !== undefined) return { charset: late, source: 'declared' }
  return { charset: detectCharset(bytes, encodingOf) ?? 'windows-1252', source: 'bytes' }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

/** A page cut by a limit may end inside a character; if it holds others, that makes it no less UTF-8. */
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
