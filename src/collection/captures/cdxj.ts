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
  const { kind, status } = capture
  const mime = kind === 'revisit' ? 'warc/revisit' : capture.mediaType.split(/[; ]/, 1)[0] || 'unk'
  const fields: [name: string, value: string][] = [
    ['url', capture.url],
    ['mime', mime],
    ['status', kind === 'revisit' || status <= 0 ? '' : String(status)],
    ['digest', capture.digest.replace(/^sha1:/, '')],
    ['length', String(capture.length)],
    ['offset', String(capture.offset)],
    ['filename', capture.filename],
  ]
  const json = fields.filter(([, value]) => value !== '').map(([name, value]) => `"${name}": ${quoted(value)}`)
  return `${key(capture.url)} ${timestamp14(capture.at)} {${json.join(', ')}}`
}

/** A space or a line's end in the key would make other fields of it. */
function key(url: string): string {
  return surt(url).replace(/[\x00-\x20\x7f]/g, (c) => '%' + c.charCodeAt(0).toString(16).padStart(2, '0'))
}

/** JSON.stringify leaves DEL and all beyond ASCII as they are; Python escapes them. */
function quoted(value: string): string {
  return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
}
