/** The head of an answer: status line, header lines, and where the body ends. As tolerant as curl and browsers. */
import type { Head, Headers } from '../contracts/exchange.ts'

/** Some servers write `HTTP/2.0` in an answer that is HTTP/1.1 in all but name. */
const STATUS_LINE = /^(HTTP\/[1-9](?:\.\d)?)[ \t]+([1-9]\d\d)(?:[ \t]+(.*))?$/i
const LF = 10
const CR = 13

/**
 * Where the head ends: the offset after its empty line, or -1. Lines end with CRLF or a bare LF.
 * `from` is where a line begins; the caller remembers it, so that a head arriving in small pieces is scanned once.
 */
export function endOfHead(bytes: Buffer, from: number, until: number): { end: number; lineStart: number } {
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
export function parseHead(bytes: Buffer, maxLines: number): Head | 'too many lines' | undefined {
  // Latin-1 keeps bytes of 0x80 and more, one letter each.
  const lines = bytes.toString('latin1').split('\n')
  lines.length -= 2 // the empty line, and what split leaves after it
  if (lines.length > maxLines) return 'too many lines'
  const status = STATUS_LINE.exec(trimmed(lines[0]))
  if (status === null) return undefined
  const headers: [string, string][] = []
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]
    const first = line.charCodeAt(0)
    if (first === 32 || first === 9) {
      // A folded line continues the value before it; before any header it is dropped.
      if (headers.length > 0) {
        const last = headers[headers.length - 1]
        last[1] = trimmed(`${last[1]} ${trimmed(line)}`)
      }
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = trimmed(line.slice(0, colon))
    if (name !== '') headers.push([name, trimmed(line.slice(colon + 1))])
  }
  return { version: status[1], status: Number(status[2]), reason: status[3] ?? '', headers }
}

/**
 * Removes surrounding blanks and the line's CR; a bare CR or NUL inside becomes a blank (RFC 9112 §2.2, 9110 §5.5).
 * `trim()` would also remove 0xA0, the second byte of many UTF-8 letters.
 */
function trimmed(text: string): string {
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

export function framingOf(head: Head): Framing {
  const { status, headers } = head
  if (status < 200 || status === 204 || status === 304) return NONE
  let length: number | undefined
  let codings = ''
  for (const [name, value] of headers) {
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      // Equal duplicates are fine, in two lines or in one (`5, 5`).
      for (const part of value.split(',')) {
        const one = lengthOf(part)
        if (one === undefined) return { kind: 'unclear', why: 'Content-Length is no number' }
        if (length !== undefined && length !== one) return { kind: 'unclear', why: 'two different Content-Lengths' }
        length = one
      }
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      codings += `,${value}`
    }
  }
  const coded = codings === '' ? 'identity' : transferCoding(codings)
  if (coded === 'unknown') return { kind: 'unclear', why: 'unknown Transfer-Encoding' }
  if (coded === 'chunked') {
    return length === undefined ? CHUNKED : { kind: 'unclear', why: 'both Content-Length and chunked' }
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
  const trimmed = text.trim()
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : undefined
}

/** We accept no other coding than chunked; naming it twice is harmless. */
function transferCoding(list: string): 'chunked' | 'identity' | 'unknown' {
  const named = list
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (named.length === 0) return 'identity'
  return named.every((coding) => coding === 'chunked') ? 'chunked' : 'unknown'
}

function tokens(headers: Headers, wanted: string): string[] {
  const found: string[] = []
  for (const [name, value] of headers) {
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    for (const token of value.toLowerCase().split(',')) found.push(token.trim())
  }
  return found
}
