/**
 * What the bytes are, whatever the server says (V14): by the MIME Sniffing Standard where a reader that executes nothing can
 * follow it. It differs from browsers where they fear scripts and we do not: HTML that is declared as plain text is read
 * as HTML. Only the first 1,445 bytes are looked at, as the standard has it, once; where a page that is declared as HTML
 * shows no tag there, the first 64 KB are searched for one before it is called text.
 */
import { utf16WithoutBom } from '../parse/detect-charset.ts'
import { isSpace } from '../parse/letters.ts'
import { agree, essenceOf, mediaKind } from './media-kinds.ts'
import { signatureOf } from './signatures.ts'

export type ReadAs = 'html' | 'xhtml' | 'text' | 'none'

export interface HowToRead {
  as: ReadAs
  /** What the bytes are, when that differs in kind from what was declared, or nothing was. */
  sniffed?: string
}

export const SNIFFED_BYTES = 1445
/** How far a page that is declared as HTML is searched for its first tag. */
const SEARCHED_BYTES = 64 * 1024
/** A page in an unlucky charset, or with a stray byte, is still a page: one in 20 is no accident. */
const BINARY_SHARE = 20

const HTML = 'text/html'
const XHTML = 'application/xhtml+xml'
const TEXT = 'text/plain'

/** For any answer: how its bytes are to be read, and what they are if that is not what was declared. */
export function howToRead(declared: string, bytes: Uint8Array): HowToRead {
  const essence = essenceOf(declared)
  const kind = mediaKind(essence)
  if (bytes.length === 0 || (kind === 'html' && beginsAsHtml(bytes))) return { as: asDeclared(essence) }
  const seen = sniff(bytes, kind === 'html' ? SEARCHED_BYTES : 0)
  if (agree(kind, mediaKind(seen), seen) || excused(essence, seen, bytes)) return { as: asDeclared(essence) }
  if (seen === HTML) return { as: kind === 'xml' ? 'xhtml' : 'html', sniffed: kind === 'xml' ? XHTML : HTML }
  // Scripts, styles and the like are text; but not what we read as such.
  return { as: seen === TEXT && (kind === 'html' || kind === 'generic') ? 'text' : 'none', sniffed: seen }
}

function asDeclared(essence: string): ReadAs {
  return essence === HTML ? 'html' : essence === XHTML ? 'xhtml' : essence === TEXT ? 'text' : 'none'
}

/** Types whose contents may look like another kind's. */
function excused(essence: string, seen: string, bytes: Uint8Array): boolean {
  // XML is what XHTML is made of, and only its root says which XML.
  if (essence === XHTML) return seen === 'application/xml'
  // Scripts and templates hold tags; only one that is a page from its first byte is one.
  return seen === HTML && essence !== TEXT && mediaKind(essence) === 'text' && !beginsAsHtml(bytes)
}

/** The media type that the bytes say: always one, `application/octet-stream` when they say nothing. */
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
  // Without a tag that anyone knows, one byte that no text has is enough (the standard's rule).
  return binary > 0 ? 'application/octet-stream' : TEXT
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** UTF-16, with a mark or without: its letters, as far as they are Latin. */
function wideText(head: Uint8Array): string | undefined {
  const marked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!marked && utf16WithoutBom(head) === undefined) return undefined
  return latin1(head)
    .slice(marked ? 2 : 0)
    .replaceAll('\0', '')
}

/** The standard's "binary data bytes": controls that no text has; escapes, tabs and ends of lines and pages are text. */
function binaryBytes(head: Uint8Array): number {
  let count = 0
  for (const byte of head) if (byte < 32 && IS_BINARY[byte] === 1) count++
  return count
}

const IS_BINARY = new Uint8Array(32).fill(1)
for (const byte of [9, 10, 12, 13, 27]) IS_BINARY[byte] = 0

/** The common beginning of a page, told without a string being made. */
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
/** Tags that begin pages, and notes about tags: some closing tag must follow. The standard's list, and what pages are seen to begin with. */
const WEAK =
  /^<(?:h[1-6]|div|font|table|style|br|p|a|b|i|u|center|ul|ol|li|form|img|span|section|article|header|main|nav|link|noscript|pre|strong|em|hr|svg)[\s/>]/i
const CLOSING =
  /<\/(?:h[1-6]|div|font|table|tr|td|th|style|p|a|b|i|u|center|ul|ol|li|form|span|section|article|header|main|nav|noscript|pre|strong|em|body|html|title)\s{0,9}>/i

/** What the markup at the very beginning says; undefined when there is none. White space, comments and processing instructions are passed over. */
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
  // Without its name space it is no picture of its own, but the beginning of a page.
  if (/^<!doctype\s{1,9}svg\b/i.test(text) || /^<svg\s[^>]{0,500}xmlns=/i.test(text)) return 'image/svg+xml'
  if (isXml || /^<(?:urlset|sitemapindex)[\s>]/.test(text)) return 'application/xml'
  if (WEAK.test(text) && CLOSING.test(text)) return HTML
  // A comment alone begins a page for the standard; scripts and style sheets begin so too.
  return hasComment && CLOSING.test(text) ? HTML : undefined
}

/** Any tag of HTML, opened or closed, or a reference that only HTML has: one search, each `<` looked at once. */
function hasTag(text: string): boolean {
  return ANY_TAG.test(text)
}

const ANY_TAG =
  /<\/?(?:html|head|body|title|meta|link|script|style|h[1-6]|div|font|table|tr|td|p|br|a|b|i|u|center|ul|ol|li|dl|dt|dd|form|input|img|span|section|article|header|footer|main|nav|iframe|frame|frameset|noscript|pre|strong|em|hr|blockquote|button|label|select|option|small|code)[\s/>]|&(?:amp|nbsp|lt|gt|quot|copy|#\d{1,6}|[a-z]{1,6}(?:acute|grave|uml|circ|tilde|cedil));/i
