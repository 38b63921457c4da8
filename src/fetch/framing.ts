/** Where the body of an answer ends, told by its head. What can only be guessed is an error (RFC 9112 §6.3, stricter). */
import type { Head, Headers } from '../contracts/exchange.ts'

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
      // Equal doubles say one thing, in two lines or in one (`5, 5`).
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

/** Up to 2^53; a longer number of digits is as wrong as a letter. */
function lengthOf(text: string): number | undefined {
  const trimmed = text.trim()
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : undefined
}

/** We asked for no other coding than chunked; one named twice is still one. */
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
