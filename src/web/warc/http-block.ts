/**
 * The block of a response or revisit record: how its head is stored and parsed. Our own records hold the payload
 * without transfer coding (docs/decisions/0002-payload-digest.md); those of others may hold chunks.
 */
import { sha1 } from '../../base/digest.ts'
import { dechunk } from '../http/chunked.ts'
import { endOfHead, type Head, parseHead, transferCodings } from '../http/head.ts'
import { type HeaderLines, headersOf } from '../http/headers.ts'

export interface HttpBlock extends Head {
  wireHead: Uint8Array
  /** The body as it is in the record. */
  wireBody: Uint8Array
  /** The body without transfer coding, but with its content coding. */
  payload: Uint8Array
}

const CODED = /\ntransfer-encoding[ \t\r]*:/i
const FRAMING = /\n(?=(?:transfer-encoding|content-length)[ \t\r]*:)/gi

/**
 * The head of an answer as it is stored before the payload. A transfer-coding line would be untrue there, and so would
 * the length of a body that was cut, or one beside chunks: pywb's readers would wait for the rest. Such a line keeps its value
 * under the name that Common Crawl and StormCrawler give it. Everything else stays as it came.
 */
export function storedHead(wireHead: Uint8Array, isCut: boolean): Uint8Array {
  // Not TextDecoder: its Latin-1 is windows-1252, which would change bytes.
  const text = Buffer.from(wireHead.buffer, wireHead.byteOffset, wireHead.length).toString('latin1')
  if (!isCut && !CODED.test(text)) return wireHead
  return Buffer.from(text.replace(FRAMING, '\nX-Crawler-'), 'latin1')
}

/** Undefined when the block does not begin with an HTTP head. A head that does not end is the whole block. */
export function parseHttpBlock(block: Uint8Array): HttpBlock | undefined {
  const { end } = endOfHead(block)
  const headEnd = end < 0 ? block.length : end
  const wireHead = block.subarray(0, headEnd)
  const head = parseHead(wireHead)
  if (head === undefined) return undefined
  const wireBody = block.subarray(headEnd)
  // Others may have stored codings that we do not accept from a socket: the outermost is the last.
  const isChunked = transferCodings(head.headers).at(-1) === 'chunked'
  return { ...head, wireHead, wireBody, payload: isChunked ? dechunk(wireBody) : wireBody }
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
export function isPacked(headers: HeaderLines): boolean {
  const codings = headersOf(headers, 'content-encoding').flatMap((value) => value.split(','))
  return (
    codings.some((coding) => PACKED_CODING.test(coding.trim())) ||
    headersOf(headers, 'content-type').some((value) => PACKED_TYPE.test(value))
  )
}
