/** Text to bytes in the charsets of old pages. Single-byte tables are turned round from the platform's own decoders. */

export type Charset = 'utf-8' | 'utf-16le' | 'iso-8859-1' | 'iso-8859-7' | 'windows-1251' | 'koi8-r'

/** Stands for letters that the charset has not. */
const QUESTION = 0x3f

const encoder = new TextEncoder()
const tables = new Map<Charset, Uint8Array>()

export function encodeText(text: string, charset: Charset): Uint8Array<ArrayBuffer> {
  switch (charset) {
    case 'utf-8':
      return encoder.encode(text)
    case 'iso-8859-1':
      return own(Buffer.from(text, 'latin1'))
    case 'utf-16le':
      return own(Buffer.from('\ufeff' + text, 'utf16le'))
    default:
      return encodeSingleByte(text, tableOf(charset))
  }
}

/** True when every letter of the text exists in the charset. */
export function canEncode(text: string, charset: Charset): boolean {
  if (charset === 'utf-8' || charset === 'utf-16le') return true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    if (charset === 'iso-8859-1' ? code < 0xa0 || code > 0xff : tableOf(charset)[code] === QUESTION) return false
  }
  return true
}

/** By way of UTF-16, which the platform writes at once: three times as fast as asking for letters one by one. */
function encodeSingleByte(text: string, table: Uint8Array): Uint8Array<ArrayBuffer> {
  const letters = new Uint16Array(text.length)
  Buffer.from(letters.buffer).write(text, 'utf16le')
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < letters.length; i++) bytes[i] = table[letters[i]]
  return bytes
}

function tableOf(charset: Charset): Uint8Array {
  let table = tables.get(charset)
  if (table === undefined) {
    table = new Uint8Array(0x10000).fill(QUESTION)
    for (let i = 0; i < 128; i++) table[i] = i
    const letters = new TextDecoder(charset).decode(Uint8Array.from({ length: 128 }, (_, i) => i + 128))
    for (let i = 0; i < 128; i++) {
      const code = letters.charCodeAt(i)
      if (code !== 0xfffd) table[code] = i + 128
    }
    tables.set(charset, table)
  }
  return table
}

/** Buffers from the pool share memory with strangers; an exchange is handed on and kept, so it gets its own. */
function own(buffer: Buffer): Uint8Array<ArrayBuffer> {
  if (buffer.byteLength === buffer.buffer.byteLength) return buffer as Uint8Array<ArrayBuffer>
  const bytes = new Uint8Array(buffer.length)
  bytes.set(buffer)
  return bytes
}
