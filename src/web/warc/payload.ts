/** Which bytes of an answer are its payload, and whether compressing them again is worth the time. */
import { sha1 } from '../../base/digest.ts'

/**
 * The payload's digest, by which twins are found. It is that of the body without its transfer coding, as WARC 1.1
 * (§6.3.2) defines the payload: chunk boundaries change from one answer to the next, the payload does not.
 * `docs/decisions/0002-payload-digest.md`.
 */
export function payloadDigest(body: { readonly payload: Uint8Array }): string {
  return sha1(body.payload)
}

const PACKED_CODING = /^(?:x-)?(?:gzip|br|zstd|deflate|compress)$/i

const PACKED_TYPE =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|tiff|x-icon|vnd\.microsoft\.icon)|video\/|audio\/(?!x-wav|wav|midi)|font\/woff|application\/(?:pdf|zip|gzip|x-gzip|x-bzip2?|x-xz|zstd|x-7z-compressed|x-rar-compressed|vnd\.rar|java-archive|epub\+zip|font-woff2?|vnd\.openxmlformats-|vnd\.oasis\.opendocument\.|vnd\.android\.package-archive|x-shockwave-flash))/i

/** True for a body that is compressed already: by its content coding, or by what it is. */
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
