/**
 * What the bytes are, whatever the server says (V14): by the MIME Sniffing Standard, as far as it applies to a reader
 * that executes nothing. Unlike browsers, we read HTML that is declared as plain text as HTML. Only the first 1,445
 * bytes count, as in the standard; if a page declared as HTML shows no tag there, the first 64 KB are searched for one
 * before it is called text.
 */
import { utf16WithoutBom } from './parse/detect-charset.ts'
import { isSpace } from './parse/letters.ts'

export type ReadAs = 'html' | 'xhtml' | 'text' | 'none'

export interface HowToRead {
  as: ReadAs
  /** What the bytes are, when that differs in kind from what was declared, or nothing was. */
  sniffed?: string
}

export const SNIFFED_BYTES = 1445
/** How far a page that is declared as HTML is searched for its first tag. */
const SEARCHED_BYTES = 64 * 1024
/** A page in a rare charset, or with a stray byte, is still a page; one such byte in 20 is not an accident. */
const BINARY_SHARE = 20

const HTML = 'text/html'
const XHTML = 'application/xhtml+xml'
const TEXT = 'text/plain'

/** How to read the bytes of any answer, and what they are if that is not what was declared. */
export function howToRead(declared: string, bytes: Uint8Array): HowToRead {
  const essence = essenceOf(declared)
  const kind = mediaKind(essence)
  if (bytes.length === 0 || (kind === 'html' && beginsAsHtml(bytes))) return { as: asDeclared(essence) }
  const seen = sniff(bytes, kind === 'html' ? SEARCHED_BYTES : 0)
  if (agree(kind, mediaKind(seen), seen) || excused(essence, seen, bytes)) return { as: asDeclared(essence) }
  if (seen === HTML) return { as: kind === 'xml' ? 'xhtml' : 'html', sniffed: kind === 'xml' ? XHTML : HTML }
  // Scripts, styles and the like are text, but not text that we read.
  return { as: seen === TEXT && (kind === 'html' || kind === 'generic') ? 'text' : 'none', sniffed: seen }
}

function asDeclared(essence: string): ReadAs {
  return essence === HTML ? 'html' : essence === XHTML ? 'xhtml' : essence === TEXT ? 'text' : 'none'
}

/** Types whose contents may look like another kind's. */
function excused(essence: string, seen: string, bytes: Uint8Array): boolean {
  // XHTML is XML, and only the root tells which XML it is. Pages with an XML declaration may begin with something else: a part of a
  // page, a stray letter, a warning of a script.
  if (seen === 'application/xml')
    return essence === XHTML || (essence === HTML && PAGE_TAG.test(latin1(bytes.subarray(0, SEARCHED_BYTES))))
  // Scripts and templates contain tags; only a page from the first byte on counts.
  return seen === HTML && essence !== TEXT && mediaKind(essence) === 'text' && !beginsAsHtml(bytes)
}

/** The media type that the bytes show; `application/octet-stream` when they show none. */
export function sniff(bytes: Uint8Array, searched = 0): string {
  const head = bytes.subarray(0, SNIFFED_BYTES)
  const wide = wideText(head)
  const binary = wide === undefined ? binaryBytes(head) : 0
  const type = wide === undefined ? signatureOf(head, binary > 0) : undefined
  if (type !== undefined) return type
  const text = wide ?? latin1(head)
  const marked = markup(text)
  if (binary * BINARY_SHARE > head.length) return 'application/octet-stream'
  if (marked !== undefined) return marked
  if (searched > 0 && hasTag(wide === undefined ? latin1(bytes.subarray(0, searched)) : text)) return HTML
  // Without a known tag, one binary byte is enough (the standard's rule).
  return binary > 0 ? 'application/octet-stream' : TEXT
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The Latin letters of UTF-16, with a mark or without. */
function wideText(head: Uint8Array): string | undefined {
  const marked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!marked && utf16WithoutBom(head) === undefined) return undefined
  return latin1(head)
    .slice(marked ? 2 : 0)
    .replaceAll('\0', '')
}

/** The standard's "binary data bytes": controls that text never has, without escape, tab, and line and page ends. */
function binaryBytes(head: Uint8Array): number {
  let count = 0
  for (const byte of head) if (byte < 32 && IS_BINARY[byte] === 1) count++
  return count
}

const IS_BINARY = new Uint8Array(32).fill(1)
for (const byte of [9, 10, 12, 13, 27]) IS_BINARY[byte] = 0

/** The common beginning of a page, recognised without making a string. */
function beginsAsHtml(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const to = Math.min(bytes.length, SNIFFED_BYTES)
  while (at < to && isSpace(bytes[at])) at++
  return begins(bytes, at, '<!doctype html') || begins(bytes, at, '<html')
}

function begins(bytes: Uint8Array, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[at + i]
    if ((byte >= 65 && byte <= 90 ? byte | 0x20 : byte) !== word.charCodeAt(i)) return false
  }
  return true
}

/** Tags that begin pages and nothing else. */
const STRONG = /^<(?:html|head|body|title|script|iframe|frameset|meta|base)[\s/>]/i
/** Tags that begin pages, and also notes about tags: some closing tag must follow. */
const WEAK =
  /^<(?:h[1-6]|div|font|table|style|br|p|a|b|i|u|center|ul|ol|li|form|img|span|section|article|header|main|nav|link|noscript|pre|strong|em|hr|svg)[\s/>]/i
const CLOSING =
  /<\/(?:h[1-6]|div|font|table|tr|td|th|style|p|a|b|i|u|center|ul|ol|li|form|span|section|article|header|main|nav|noscript|pre|strong|em|body|html|title)\s{0,9}>/i

/** The type shown by the markup at the beginning, behind white space, comments and processing instructions. */
function markup(head: string): string | undefined {
  let text = head.startsWith('\xef\xbb\xbf') ? head.slice(3) : head
  let isXml = false
  let hasComment = false
  for (;;) {
    text = text.trimStart()
    if (text.startsWith('<!--')) {
      hasComment = true
      const end = text.indexOf('-->', 4)
      if (end < 0) break
      text = text.slice(end + 3)
    } else if (text.startsWith('<?xml')) {
      isXml = true
      const end = text.indexOf('>')
      if (end < 0) return 'application/xml'
      text = text.slice(end + 1)
    } else break
  }
  if (/^<!doctype\s{1,9}html\b/i.test(text) || STRONG.test(text)) return HTML
  if (/^<rss[\s>]/.test(text)) return 'application/rss+xml'
  if (/^<feed[\s>]/.test(text)) return 'application/atom+xml'
  if (/^<rdf:RDF[\s>]/.test(text))
    return text.includes('purl.org/rss/1.0') ? 'application/rss+xml' : 'application/rdf+xml'
  // Without its name space it is not a picture, but the beginning of a page.
  if (/^<!doctype\s{1,9}svg\b/i.test(text) || /^<svg\s[^>]{0,500}xmlns=/i.test(text)) return 'image/svg+xml'
  if (isXml || /^<(?:urlset|sitemapindex)[\s>]/.test(text)) return 'application/xml'
  if (WEAK.test(text) && CLOSING.test(text)) return HTML
  // For the standard a comment begins a page; scripts and style sheets begin so too.
  return hasComment && CLOSING.test(text) ? HTML : undefined
}

/** Any tag of HTML, opened or closed, or a reference that only HTML has: one search, each `<` scanned once. */
function hasTag(text: string): boolean {
  return ANY_TAG.test(text)
}

/** What pages have, and hardly any other XML. */
const PAGE_TAG = /<(?:(?:html|head|body|div|table|p|br|span)[\s/>]|a\s[^<>]{0,500}href=)/i

const ANY_TAG =
  /<\/?(?:html|head|body|title|base|meta|link|script|style|h[1-6]|div|font|table|tr|td|p|br|a|b|i|u|center|ul|ol|li|dl|dt|dd|form|input|img|map|area|span|section|article|header|footer|main|nav|iframe|frame|frameset|noscript|pre|strong|em|hr|blockquote|button|label|select|option|small|code)[\s/>]|&(?:amp|nbsp|lt|gt|quot|copy|#\d{1,6}|[a-z]{1,6}(?:acute|grave|uml|circ|tilde|cedil));/i

/**
 * What binary formats begin with: the signatures of the MIME Sniffing Standard (§6), and more that the web serves under
 * wrong names. Short ones count only with binary bytes: `BM` begins a bitmap, and a sentence about cars.
 */

function signature(type: string, begin: string, { at = 0, weak = false } = {}) {
  return { bytes: [...Buffer.from(begin, 'latin1')], at, type, weak }
}

/** Also a beginning of ordinary text: counts only together with binary bytes. */
const ALSO_TEXT = { weak: true }

const SIGNATURES = [
  signature('application/pdf', '%PDF-'),
  signature('application/postscript', '%!PS-Adobe-'),
  signature('application/rtf', '{\\rtf'),
  signature('image/gif', 'GIF87a'),
  signature('image/gif', 'GIF89a'),
  signature('image/png', '\x89PNG\r\n\x1a\n'),
  signature('image/jpeg', '\xff\xd8\xff'),
  signature('image/webp', 'WEBPVP', { at: 8 }),
  signature('image/x-icon', '\0\0\x01\0'),
  signature('image/bmp', 'BM', ALSO_TEXT),
  signature('image/tiff', 'II*\0'),
  signature('image/tiff', 'MM\0*'),
  signature('application/gzip', '\x1f\x8b\x08'),
  signature('application/zip', 'PK\x03\x04'),
  signature('application/zip', 'PK\x05\x06'),
  signature('application/x-rar-compressed', 'Rar!\x1a\x07'),
  signature('application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'),
  signature('application/x-bzip2', 'BZh', ALSO_TEXT),
  signature('application/x-xz', '\xfd7zXZ\0'),
  signature('application/zstd', '\x28\xb5\x2f\xfd'),
  signature('application/x-tar', 'ustar', { at: 257, weak: true }),
  signature('application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  signature('application/x-shockwave-flash', 'FWS', ALSO_TEXT),
  signature('application/x-shockwave-flash', 'CWS', ALSO_TEXT),
  signature('application/x-shockwave-flash', 'ZWS', ALSO_TEXT),
  signature('application/x-msdownload', 'MZ', ALSO_TEXT),
  signature('application/x-executable', '\x7fELF'),
  signature('application/java-vm', '\xca\xfe\xba\xbe'),
  signature('application/wasm', '\0asm'),
  signature('font/woff', 'wOFF', ALSO_TEXT),
  signature('font/woff2', 'wOF2', ALSO_TEXT),
  signature('audio/mpeg', 'ID3', ALSO_TEXT),
  signature('audio/mpeg', '\xff\xfb', ALSO_TEXT),
  signature('audio/midi', 'MThd\0'),
  signature('audio/wav', 'WAVE', { at: 8, weak: true }),
  signature('video/avi', 'AVI ', { at: 8, weak: true }),
  signature('video/mp4', 'ftyp', { at: 4, weak: true }),
  signature('application/ogg', 'OggS\0'),
  signature('video/webm', '\x1a\x45\xdf\xa3'),
  signature('video/mpeg', '\0\0\x01\xba'),
  signature('application/x-sqlite3', 'SQLite format 3\0'),
]

/** `hasBinary`: some of the bytes never occur in text. */
function signatureOf(head: Uint8Array, hasBinary: boolean): string | undefined {
  for (const { bytes, at, type, weak } of SIGNATURES) {
    if (head[at] !== bytes[0] || (weak && !hasBinary)) continue
    if (bytes.every((byte, i) => head[at + i] === byte)) return type
  }
  return undefined
}

/** Media types by how they are read: two types of one kind do not contradict each other. */

export type MediaKind =
  | 'html'
  | 'xml' // feeds and sitemaps too
  | 'text' // all that is read as lines of text: style sheets, scripts, JSON
  | 'image'
  | 'sound' // and moving pictures: their containers are the same
  | 'document' // PDF, PostScript, RTF, Office: old Office is an OLE store, new Office is a zip
  | 'archive'
  | 'generic' // nothing is said: application/octet-stream, or no type at all
  | 'other'

const GENERIC = new Set([
  '',
  '*/*',
  'unknown/unknown',
  'application/unknown',
  'application/octet-stream',
  'binary/octet-stream',
])
const TEXTS =
  /^application\/(?:[a-z0-9.-]+\+)?(?:json|javascript|x-javascript|ecmascript|x-httpd-php|x-sh|yaml|x-yaml|toml|sql|x-tex)$/
const DOCUMENTS =
  /^application\/(?:pdf|postscript|rtf|msword|x-ole-storage|epub\+zip|vnd\.(?:ms-|openxmlformats-|oasis\.opendocument)[a-z0-9.-]*)$/
const ARCHIVES =
  /^application\/(?:zip|gzip|x-gzip|x-tar|x-xz|x-bzip2?|zstd|java-archive|x-(?:7z|rar|zip)-compressed|vnd\.rar)$/

/** `essence`: without parameters, in lower case. */
export function mediaKind(essence: string): MediaKind {
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html'
  if (GENERIC.has(essence)) return 'generic'
  if (essence === 'image/svg+xml' || essence === 'text/xml' || essence === 'application/xml') return 'xml'
  if (essence.endsWith('+xml')) return 'xml'
  if (essence === 'text/rtf' || DOCUMENTS.test(essence)) return 'document'
  if (essence.startsWith('text/') || TEXTS.test(essence)) return 'text'
  if (essence.startsWith('image/')) return 'image'
  if (essence.startsWith('audio/') || essence.startsWith('video/') || essence === 'application/ogg') return 'sound'
  if (ARCHIVES.test(essence)) return 'archive'
  return 'other'
}

/** Whether bytes that look like `seenType` can be what was declared. */
export function agree(declared: MediaKind, seen: MediaKind, seenType: string): boolean {
  if (declared === seen) return true
  // Unrecognised bytes contradict only text types.
  if (seen === 'generic') return declared !== 'html' && declared !== 'xml' && declared !== 'text'
  // XML need not begin with an XML declaration.
  if (declared === 'xml') return seen === 'text'
  if (seenType === 'application/zip' || seenType === 'application/x-ole-storage') {
    return declared === 'document' || declared === 'archive' || declared === 'other'
  }
  // An unknown type may be of any kind, except a page.
  return declared === 'other' && seen !== 'html'
}

export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0].trim().toLowerCase()
}
