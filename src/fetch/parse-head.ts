/** The head of an answer: its status line and header lines, as tolerantly as curl and browsers read them. */
import type { Head } from '../contracts/exchange.ts'

/** Some servers write `HTTP/2.0` in an answer that is HTTP/1.1 in all but name. */
const STATUS_LINE = /^(HTTP\/[1-9](?:\.\d)?)[ \t]+([1-9]\d\d)(?:[ \t]+(.*))?$/i
const LF = 10
const CR = 13

/**
 * Where the head ends: the offset after its empty line, or -1. Lines end with CRLF or a bare LF.
 * `from` is where a line begins; the caller remembers it, so that a head that drips in is looked at once.
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

/** Undefined when it is no HTTP head; 'too many lines' when it is longer than anyone needs. */
export function parseHead(bytes: Buffer, maxLines: number): Head | 'too many lines' | undefined {
  // Bytes of 0x80 and more become the letters of Latin-1, one each, so that nothing is lost.
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
      // An old folded line goes on with the value before; before any header it belongs to nothing.
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
 * Without the blanks around it and the line's CR; a bare CR or NUL inside becomes a blank (RFC 9112 §2.2, 9110 §5.5).
 * `trim()` would also eat 0xA0, the second byte of many a UTF-8 letter.
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
