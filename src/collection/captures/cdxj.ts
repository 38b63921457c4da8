/**
 * A line of the index, byte for byte as pywb's own tools write it (`cdx-indexer -j`, `wb-manager index`, 2.10): key, 14-digit
 * timestamp, and JSON as Python writes it (a space after `:` and `,`, non-ASCII escaped), all values strings, in the order url,
 * mime, status, digest, length, offset, filename. The digest is bare Base32 without `sha1:`. An answer without a media type has
 * `unk`; a revisit has `warc/revisit` and no status. `test/interop/warc-python.ts` compares these lines with the output of
 * `cdx-indexer -s -j`.
 */
import { surt } from '../../web/url/surt.ts'
import { timestamp14 } from '../../web/warc/instant-text.ts'
import type { StoredCapture } from './read-captures.ts'

export type IndexedCapture = Omit<StoredCapture, 'id' | 'duplicate' | 'change' | 'place'>

/** Without the line break. The media type may be a whole Content-Type; '' if the answer had none. */
export function cdxjLine(capture: IndexedCapture): string {
  const { kind, status, mediaType, digest } = capture
  const mime = kind === 'revisit' ? 'warc/revisit' : mediaType.split(MIME_END, 1)[0] || 'unk'
  const bare = digest.startsWith('sha1:') ? digest.slice(5) : digest
  return (
    `${key(capture.url)} ${timestamp14(capture.at)} {"url": ${quoted(capture.url)}, "mime": ${quoted(mime)}, ` +
    `${kind === 'revisit' || status <= 0 ? '' : `"status": "${status}", `}` +
    `${bare === '' ? '' : `"digest": ${quoted(bare)}, `}"length": "${capture.length}", "offset": "${capture.offset}"` +
    `${capture.volume === '' ? '' : `, "filename": ${quoted(capture.volume)}`}}`
  )
}

const NEEDS_ESCAPE = /[\x00-\x20\x7f]/
const MIME_END = /[; ]/
/** JSON needs no escapes. */
const PLAIN = /^[ !#-[\]-~]*$/

/** A space or line break in the key would split it. */
function key(url: string): string {
  const text = surt(url)
  if (!NEEDS_ESCAPE.test(text)) return text
  return text.replace(/[\x00-\x20\x7f]/g, (c) => '%' + c.charCodeAt(0).toString(16).padStart(2, '0'))
}

/** Python also escapes DEL and everything beyond ASCII. */
function quoted(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`
  return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
}
