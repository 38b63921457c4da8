/**
 * What lies around a deflate stream: a header that says little, and sums that are to agree. Judged as zlib judges it, field by field:
 * what is wrong in a field that is there counts, whatever is missing behind it.
 */
import { crc32 } from 'node:zlib'

/** `early`: the input ends before it is known where the stream begins. */
export type Header = number | 'early' | 'damaged'

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, unknown: 0xe0 } as const
const DEFLATED = 8

/** Where the stream of the member begins that begins at `start`. */
export function gzipHeader(bytes: Uint8Array, start: number): Header {
  const left = bytes.length - start
  if (left < 2) return 'early'
  if (bytes[start] !== 0x1f || bytes[start + 1] !== 0x8b) return 'damaged'
  if (left < 4) return 'early'
  const flags = bytes[start + 3]
  if (bytes[start + 2] !== DEFLATED || flags & FLAG.unknown) return 'damaged'
  let at = start + 10
  if (flags & FLAG.extra) {
    if (at + 2 > bytes.length) return 'early'
    at += 2 + bytes[at] + bytes[at + 1] * 256
  }
  for (const text of [FLAG.name, FLAG.comment]) {
    if (!(flags & text)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return 'early'
    at = end + 1
  }
  if (flags & FLAG.headerCrc) {
    if (at + 2 > bytes.length) return 'early'
    if ((bytes[at] | (bytes[at + 1] << 8)) !== (crc32(bytes.subarray(start, at)) & 0xffff)) return 'damaged'
    at += 2
  }
  return at > bytes.length ? 'early' : at
}

const LARGEST_WINDOW = 7
const NEEDS_DICTIONARY = 0x20

export function zlibHeader(bytes: Uint8Array): Header {
  if (bytes.length < 2) return 'early'
  const [method, flags] = bytes
  if (((method << 8) | flags) % 31 !== 0 || (method & 15) !== DEFLATED || method >> 4 > LARGEST_WINDOW) return 'damaged'
  if (!(flags & NEEDS_DICTIONARY)) return 2
  return bytes.length < 6 ? 'early' : 'damaged'
}
