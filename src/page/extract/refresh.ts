/** `<meta http-equiv=refresh content=…>`, as the standard's "shared declarative refresh steps" read it. */
import { isSpace } from '../parse/letters.ts'

export interface Refresh {
  seconds: number
  /** Undefined: the page asks for itself again. */
  url: string | undefined
}

const isDigit = (letter: string) => letter >= '0' && letter <= '9'

export function parseRefresh(content: string): Refresh | undefined {
  let at = skip(content, 0, isSpaceLetter)
  const digitsFrom = at
  at = skip(content, at, isDigit)
  if (at === digitsFrom && content[at] !== '.') return undefined
  const seconds = Number(content.slice(digitsFrom, at) || '0')
  at = skip(content, at, (letter) => isDigit(letter) || letter === '.')
  if (at >= content.length) return { seconds, url: undefined }
  const separator = content[at]
  if (separator !== ';' && separator !== ',' && !isSpaceLetter(separator)) return undefined
  at = skip(content, at, isSpaceLetter)
  if (content[at] === ';' || content[at] === ',') at++
  at = skip(content, at, isSpaceLetter)
  return { seconds, url: at >= content.length ? undefined : target(content, at) }
}

/** What follows: `url=` may be there or not, quotes may be closed or not. */
function target(content: string, from: number): string {
  let at = from
  if (/^u/i.test(content[at])) {
    if (content.slice(at, at + 3).toLowerCase() !== 'url') return content.slice(from)
    at = skip(content, at + 3, isSpaceLetter)
    if (content[at] !== '=') return content.slice(from)
    at = skip(content, at + 1, isSpaceLetter)
  }
  const quote = content[at]
  if (quote !== '"' && quote !== "'") return content.slice(at)
  const end = content.indexOf(quote, at + 1)
  return content.slice(at + 1, end < 0 ? undefined : end)
}

function isSpaceLetter(letter: string): boolean {
  return isSpace(letter.charCodeAt(0))
}

function skip(text: string, at: number, wanted: (letter: string) => boolean): number {
  while (at < text.length && wanted(text[at])) at++
  return at
}
