/**
 * A line of the index, byte for byte as pywb's own tools write it (`cdx-indexer -j`, `wb-manager index`, 2.10):
 * key, timestamp of 14 digits, and JSON as Python writes it (a space behind `:` and `,`, everything beyond ASCII
 * escaped), all values strings, fields in the order url, mime, status, digest, length, offset, filename. The digest is
 * bare Base32 without `sha1:`. An answer without a media type has `unk`; a revisit has `warc/revisit` and no status.
 *
 * Compared like this: volumes of ours were indexed with `cdx-indexer -s -j` and `wb-manager reindex`, and the output
 * compared with these lines as bytes (`test/interop/warc-python.test.ts` does it again where pywb is installed).
 */
import type { Instant } from '../../base/clock.ts'
import { surt } from '../../web/url/surt.ts'
import { timestamp14 } from '../../web/warc/instant-text.ts'

export interface IndexedCapture {
  url: string
  at: Instant
  status: number
  /** `text/html`, or a whole Content-Type; '' when the answer had none. */
  mediaType: string
  /** `sha1:…` */
  digest: string
  length: number
  offset: number
  /** Name of the volume, without `.open`. */
  filename: string
  kind: 'response' | 'revisit'
}

/** Without its end of line. */
export function cdxjLine(capture: IndexedCapture): string {
  const { kind, status, mediaType, digest } = capture
  const mime = kind === 'revisit' ? 'warc/revisit' : mediaType.split(MIME_END, 1)[0] || 'unk'
  const bare = digest.startsWith('sha1:') ? digest.slice(5) : digest
  return (
    `${key(capture.url)} ${timestamp14(capture.at)} {"url": ${quoted(capture.url)}, "mime": ${quoted(mime)}, ` +
    `${kind === 'revisit' || status <= 0 ? '' : `"status": "${status}", `}` +
    `${bare === '' ? '' : `"digest": ${quoted(bare)}, `}"length": "${capture.length}", "offset": "${capture.offset}"` +
    `${capture.filename === '' ? '' : `, "filename": ${quoted(capture.filename)}`}}`
  )
}

const NEEDS_ESCAPE = /[\x00-\x20\x7f]/
const MIME_END = /[; ]/
/** What JSON writes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/

/** A space or a line's end in the key would make other fields of it. */
function key(url: string): string {
  const text = surt(url)
  if (!NEEDS_ESCAPE.test(text)) return text
  return text.replace(/[\x00-\x20\x7f]/g, (c) => '%' + c.charCodeAt(0).toString(16).padStart(2, '0'))
}

/** JSON.stringify leaves DEL and all beyond ASCII as they are; Python escapes them. */
function quoted(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`
  return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
}
