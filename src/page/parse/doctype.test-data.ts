/** The inside of `<!DOCTYPE …>`, as the standard reads it: for the conformance tests only. */
import { DOUBLE_QUOTE, isSpace, reads, SINGLE_QUOTE } from './letters.ts'

export interface Doctype {
  name: string | null
  publicId: string | null
  systemId: string | null
  /** The standard's force-quirks flag, turned round. */
  correct: boolean
}

/** `text`: what stands between `<!DOCTYPE` and `>`; `closed`: the `>` was there. */
export function parseDoctype(text: string, closed: boolean): Doctype {
  const doctype: Doctype = { name: null, publicId: null, systemId: null, correct: closed }
  let at = skipSpace(text, 0)
  const nameFrom = at
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  if (at === nameFrom) return { ...doctype, correct: false }
  doctype.name = text.slice(nameFrom, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  at = skipSpace(text, at)
  if (at >= text.length) return doctype
  if (reads(text, at, 'public')) {
    const id = readId(text, skipSpace(text, at + 6))
    if (id === undefined) return { ...doctype, correct: false }
    doctype.publicId = id.value
    if (!id.closed) return { ...doctype, correct: false }
    at = skipSpace(text, id.end)
    if (at >= text.length) return doctype
  } else if (reads(text, at, 'system')) {
    at = skipSpace(text, at + 6)
  } else {
    return { ...doctype, correct: false }
  }
  const id = readId(text, at)
  if (id === undefined) return { ...doctype, correct: false }
  doctype.systemId = id.value
  // What follows the system identifier is a mistake that does not spoil the rest.
  const ended = id.closed && (closed || skipSpace(text, id.end) < text.length)
  return { ...doctype, correct: ended }
}

function readId(text: string, at: number): { value: string; closed: boolean; end: number } | undefined {
  const quote = at < text.length ? text.charCodeAt(at) : 0
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return undefined
  const end = text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", at + 1)
  if (end < 0) return { value: text.slice(at + 1), closed: false, end: text.length }
  return { value: text.slice(at + 1, end), closed: true, end: end + 1 }
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}
