/**
 * The block of a response or revisit record: how its head is stored and parsed. Our own records hold the payload
 * without transfer coding (docs/decisions/0002-payload-digest.md); those of others may hold chunks.
 */
import { sha1 } from '../../base/digest.ts'

export interface HttpBlock {
  /** `HTTP/1.1` */
  version: string
  status: number
  reason: string
  headers: readonly (readonly [name: string, value: string])[]
  wireHead: Uint8Array
  /** The body as it is in the record. */
  wireBody: Uint8Array
  /** The body without transfer coding, but with its content coding. */
  payload: Uint8Array
}

const latin1 = new TextDecoder('latin1')
const STATUS_LINE = /^\s*(HTTP\/[\d.]+|ICY)\s+(\d{3})([\s\S]*)$/i

const CODED = /\n(?=transfer-encoding[ \t\r]*:)/gi
const CODED_OR_CUT = /\n(?=(?:transfer-encoding|content-length)[ \t\r]*:)/gi

/**
 * The head of an answer as it is stored before the payload. A transfer-coding line would be untrue there, and so would
 * the length of a body that was cut: pywb's readers would wait for the rest. Such a line keeps its value under the name
 * that Common Crawl and StormCrawler give it. Everything else stays as it came.
 */
export function storedHead(wireHead: Uint8Array, isCut: boolean): Uint8Array {
  // Not TextDecoder: its Latin-1 is windows-1252, which would change bytes.
  const text = Buffer.from(wireHead.buffer, wireHead.byteOffset, wireHead.length).toString('latin1')
  const stored = text.replace(isCut ? CODED_OR_CUT : CODED, '\nX-Crawler-')
  return stored.length === text.length ? wireHead : Buffer.from(stored, 'latin1')
}

/** Undefined when the block does not begin with an HTTP head. As tolerant as the reader of the wire. */
export function parseHttpBlock(block: Uint8Array): HttpBlock | undefined {
  const headEnd = endOfHttpHead(block)
  const wireHead = block.subarray(0, headEnd)
  const lines = latin1.decode(wireHead).split(/\r?\n/)
  const status = STATUS_LINE.exec(lines[0])
  if (status === null) return undefined
  const headers = parseLines(lines.slice(1))
  const wireBody = block.subarray(headEnd)
  const payload = isChunked(headers) ? dechunk(wireBody) : wireBody
  return {
    version: status[1],
    status: Number(status[2]),
    reason: status[3].trim(),
    headers,
    wireHead,
    wireBody,
    payload,
  }
}

function parseLines(lines: readonly string[]): [string, string][] {
  const headers: [string, string][] = []
  for (const line of lines) {
    if (line === '') continue
    if ((line[0] === ' ' || line[0] === '\t') && headers.length > 0) {
      headers[headers.length - 1][1] += ' ' + trimmed(line)
      continue
    }
    const colon = line.indexOf(':')
    if (colon > 0) headers.push([trimmed(line.slice(0, colon)), trimmed(line.slice(colon + 1))])
  }
  return headers
}

/** `trim()` would also remove 0xA0, which is a letter to the reader of the wire. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\r]+|[ \t\r]+$/g, '')
}

/** Behind the first empty line; the whole length when there is none. Lines may end with a bare LF. */
function endOfHttpHead(block: Uint8Array): number {
  for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) {
    if (block[at + 1] === 10) return at + 2
    if (block[at + 1] === 13 && block[at + 2] === 10) return at + 3
  }
  return block.length
}

/** By the last coding that means anything, like the reader of the wire. */
function isChunked(headers: readonly (readonly [string, string])[]): boolean {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'transfer-encoding').map(([, value]) => value)
  const codings = lines.join(',').toLowerCase().split(',')
  const meant = codings.map((coding) => coding.trim()).filter((coding) => coding !== '' && coding !== 'identity')
  return meant.at(-1) === 'chunked'
}

/** The longest size line of a chunk, extensions included. */
const LONGEST_SIZE_LINE = 4096

/** The bytes of all chunks, as far as they came: of a chunk that was cut, the part that is there. */
export function dechunk(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let total = 0
  let at = 0
  while (at < body.length) {
    const lineEnd = body.indexOf(10, at)
    if (lineEnd < 0 || lineEnd - at > LONGEST_SIZE_LINE) break
    const size = chunkSize(body, at, lineEnd)
    if (size === undefined || size === 0) break
    const part = body.subarray(lineEnd + 1, lineEnd + 1 + size)
    parts.push(part)
    total += part.length
    at = lineEnd + 1 + size
    if (body[at] === 13) at++
    if (body[at] === 10) at++
  }
  if (parts.length === 1) return parts[0]
  const whole = new Uint8Array(total)
  let filled = 0
  for (const part of parts) {
    whole.set(part, filled)
    filled += part.length
  }
  return whole
}

function chunkSize(body: Uint8Array, from: number, lineEnd: number): number | undefined {
  const text = latin1.decode(body.subarray(from, lineEnd))
  const digits = /^[ \t]*0*([0-9a-f]{1,13})(?![0-9a-f])/i.exec(text)
  return digits === null ? undefined : Number.parseInt(digits[1], 16)
}

/**
 * The digest by which copies are found: of the body without its transfer coding, as WARC 1.1 (§6.3.2) defines the
 * payload, because chunk boundaries change from one answer to the next (docs/decisions/0002-payload-digest.md).
 */
export function payloadDigest(body: { readonly payload: Uint8Array }): string {
  return sha1(body.payload)
}

const PACKED_CODING = /^(?:x-)?(?:gzip|br|zstd|deflate|compress)$/i

const PACKED_TYPE =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|tiff|x-icon|vnd\.microsoft\.icon)|video\/|audio\/(?!x-wav|wav|midi)|font\/woff|application\/(?:pdf|zip|gzip|x-gzip|x-bzip2?|x-xz|zstd|x-7z-compressed|x-rar-compressed|vnd\.rar|java-archive|epub\+zip|font-woff2?|vnd\.openxmlformats-|vnd\.oasis\.opendocument\.|vnd\.android\.package-archive|x-shockwave-flash))/i

/** True for a body that is compressed already, by its content coding or its media type. */
export function isPacked(headers: readonly (readonly [name: string, value: string])[]): boolean {
  for (const [name, value] of headers) {
    if (name.length === 16 && name.toLowerCase() === 'content-encoding') {
      if (value.split(',').some((coding) => PACKED_CODING.test(coding.trim()))) return true
    } else if (name.length === 12 && name.toLowerCase() === 'content-type') {
      if (PACKED_TYPE.test(value)) return true
    }
  }
  return false
}
