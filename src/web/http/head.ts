/**
 * The head of an HTTP/1.x answer: status line, header lines, and where the body ends. The one reader for sockets and for
 * records, as tolerant as curl and browsers. Values are bytes, one Latin-1 letter each; only SP, HTAB and CR surround them.
 */
import { type HeaderLines, headersOf } from './headers.ts'

export interface Head {
  /** `HTTP/1.1` as the server wrote it. */
  version: string
  status: number
  reason: string
  headers: HeaderLines
}

/** Some servers write `HTTP/2.0` in an answer that is HTTP/1.1 in all but name. */
const STATUS_LINE = /^(HTTP\/[1-9](?:\.\d)?)[ \t]+([1-9]\d\d)(?:[ \t]+(.*))?$/i
const LF = 10
const CR = 13

/**
 * Where the head ends: the offset after its empty line, or -1. Lines end with CRLF or a bare LF.
 * `from` is where a line begins; the caller remembers it, so that a head arriving in small pieces is scanned once.
 */
export function endOfHead(bytes: Uint8Array, from = 0, until = bytes.length): { end: number; lineStart: number } {
  let lineStart = from
  for (;;) {
    const lineEnd = bytes.indexOf(LF, lineStart)
    if (lineEnd < 0 || lineEnd >= until) return { end: -1, lineStart }
    if (lineEnd === lineStart || (lineEnd === lineStart + 1 && bytes[lineStart] === CR)) {
      return { end: lineEnd + 1, lineStart }
    }
    lineStart = lineEnd + 1
  }
}

/** Undefined when it is not an HTTP head. */
export function parseHead(bytes: Uint8Array): Head | undefined
export function parseHead(bytes: Uint8Array, maxLines: number): Head | 'too many lines' | undefined
export function parseHead(bytes: Uint8Array, maxLines = Number.POSITIVE_INFINITY): Head | 'too many lines' | undefined {
  // Not TextDecoder: its Latin-1 is windows-1252.
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').split('\n')
  // Behind the last line is the empty one, and what split leaves after that.
  if (lines.length - 2 > maxLines) return 'too many lines'
  const status = STATUS_LINE.exec(trimmed(lines[0]))
  if (status === null) return undefined
  return { version: status[1], status: Number(status[2]), reason: status[3] ?? '', headers: headerLines(lines) }
}

/** The header lines of a head that is split at its LFs; the first line is not one of them. */
export function headerLines(lines: readonly string[]): [name: string, value: string][] {
  const headers: [string, string][] = []
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]
    const first = line.charCodeAt(0)
    if (first === 32 || first === 9) {
      // A folded line continues the value before it; before any header it is dropped.
      if (headers.length > 0) {
        const last = headers[headers.length - 1]
        const more = trimmed(line)
        // Appended, not made anew: a record may have a million such lines.
        if (more !== '') last[1] += last[1] === '' ? more : ` ${more}`
      }
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = trimmed(line.slice(0, colon))
    if (name !== '') headers.push([name, trimmed(line.slice(colon + 1))])
  }
  return headers
}

/**
 * Removes surrounding blanks and the line's CR; a bare CR or NUL inside becomes a blank (RFC 9112 §2.2, 9110 §5.5).
 * `trim()` would also remove 0xA0, the second byte of many UTF-8 letters; `/[ \t]+$/` takes quadratic time.
 */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  const inner = start === 0 && end === text.length ? text : text.slice(start, end)
  return inner.includes('\r') || inner.includes('\0') ? inner.replace(/[\r\0]/g, ' ') : inner
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === CR
}

/** How the body is delimited. What can only be guessed is an error (RFC 9112 §6.3, stricter). */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; length: number }
  | { kind: 'chunked' }
  | { kind: 'until-close' }
  | { kind: 'unclear'; why: string }

const NONE: Framing = { kind: 'none' }
const CHUNKED: Framing = { kind: 'chunked' }
const UNTIL_CLOSE: Framing = { kind: 'until-close' }

export function framingOf({ status, headers }: Head): Framing {
  if (status < 200 || status === 204 || status === 304) return NONE
  const codings = transferCodings(headers)
  // We accept no other coding than chunked; naming it twice is harmless.
  if (codings.some((coding) => coding !== 'chunked')) return { kind: 'unclear', why: 'unknown Transfer-Encoding' }
  // RFC 9112 §6.3: chunks override a length, whatever it says.
  if (codings.length > 0) return CHUNKED
  let length: number | undefined
  // Equal duplicates are fine, in two lines or in one (`5, 5`).
  for (const said of tokens(headers, 'content-length')) {
    const one = lengthOf(said)
    if (one === undefined) return { kind: 'unclear', why: 'Content-Length is no number' }
    if (length !== undefined && length !== one) return { kind: 'unclear', why: 'two different Content-Lengths' }
    length = one
  }
  if (length === undefined) return UNTIL_CLOSE
  return length === 0 ? NONE : { kind: 'length', length }
}

/** Whether the server keeps the connection for another request. */
export function keepsAlive(head: Head): boolean {
  const said = tokens(head.headers, 'connection')
  if (said.includes('close')) return false
  return isHttp10(head) ? said.includes('keep-alive') : true
}

export function isHttp10(head: Head): boolean {
  return head.version.endsWith('/1.0')
}

/** Up to 15 digits. */
function lengthOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** In order, in small letters, without `identity`. */
export function transferCodings(headers: HeaderLines): string[] {
  return tokens(headers, 'transfer-encoding').filter((coding) => coding !== '' && coding !== 'identity')
}

function tokens(headers: HeaderLines, name: string): string[] {
  return headersOf(headers, name).flatMap((value) => value.toLowerCase().split(',').map(trimmed))
}
