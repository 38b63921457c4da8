/**
 * As much of XML as a list of URLs needs: tags, text, CDATA. Comments, instructions and document types are skipped, so
 * no entity is ever defined or fetched. Malformed XML is read as far as it goes. Each character is scanned a bounded
 * number of times.
 */

export type XmlToken = 'open' | 'close' | 'text' | 'end'

/** Searches that only go forward: each remembers its last result, so that together they scan the text once. */
class Seeker {
  readonly #text: string
  readonly #needle: string
  #next = -1
  steps = 0

  constructor(text: string, needle: string) {
    this.#text = text
    this.#needle = needle
  }

  /** Its position at or after `from`; the text's length when there is none. */
  from(from: number): number {
    if (this.#next >= from) return this.#next
    const found = this.#text.indexOf(this.#needle, from)
    this.#next = found < 0 ? this.#text.length : found
    this.steps += this.#next - from + 1
    return this.#next
  }
}

const LONGEST_NAME = 100
const LONGEST_TAG = 16_384

export class XmlScan {
  readonly #text: string
  readonly #seekers: readonly Seeker[]
  readonly #lessThan: Seeker
  readonly #greater: Seeker
  readonly #commentEnd: Seeker
  readonly #cdataEnd: Seeker
  readonly #instructionEnd: Seeker
  readonly #bracket: Seeker
  readonly #bracketEnd: Seeker
  #at = 0
  #tokens = 0
  /** Of the last tag, in lower case: `image` and `loc` of `<image:loc>`. */
  prefix = ''
  name = ''
  /** `<a/>` */
  isEmpty = false
  /** Of the last text. */
  from = 0
  to = 0
  /** It was in CDATA: an ampersand in it is an ampersand. */
  isCdata = false
  #tagEnd = 0
  #nameEnd = 0

  constructor(text: string) {
    this.#text = text
    const seek = (needle: string) => new Seeker(text, needle)
    this.#lessThan = seek('<')
    this.#greater = seek('>')
    this.#commentEnd = seek('-->')
    this.#cdataEnd = seek(']]>')
    this.#instructionEnd = seek('?>')
    this.#bracket = seek('[')
    this.#bracketEnd = seek(']')
    this.#seekers = [
      this.#lessThan,
      this.#greater,
      this.#commentEnd,
      this.#cdataEnd,
      this.#instructionEnd,
      this.#bracket,
      this.#bracketEnd,
    ]
  }

  /** Characters scanned so far, by all searches, plus tokens: what the time depends on. */
  get steps(): number {
    return this.#seekers.reduce((sum, { steps }) => sum + steps, this.#tokens)
  }

  /** Where the next token begins. */
  get position(): number {
    return this.#at
  }

  next(): XmlToken {
    const text = this.#text
    for (;;) {
      this.#tokens++
      const at = this.#at
      if (at >= text.length) return 'end'
      const less = this.#lessThan.from(at)
      if (less > at) {
        this.#at = less
        return this.#textToken(at, less, false)
      }
      const second = text.charCodeAt(at + 1)
      if (second === BANG) {
        if (text.startsWith('<![CDATA[', at)) {
          const end = this.#cdataEnd.from(at + 9)
          this.#at = Math.min(text.length, end + 3)
          return this.#textToken(at + 9, end, true)
        }
        this.#at = this.#declarationEnd(at)
      } else if (second === QUESTION) {
        this.#at = this.#pastOr(this.#instructionEnd.from(at + 2), 2, at + 2)
      } else if (isNameStart(second === SLASH ? text.charCodeAt(at + 2) : second)) {
        return this.#tag(at, second === SLASH)
      } else {
        this.#at = at + 1
        return this.#textToken(at, at + 1, false)
      }
    }
  }

  /** Of the last open tag; undefined when it has no such attribute. */
  attribute(name: string): string | undefined {
    const text = this.#text
    const end = Math.min(this.#tagEnd, this.#nameEnd + LONGEST_TAG)
    this.#tokens += end - this.#nameEnd
    let at = this.#nameEnd
    while (at < end) {
      while (at < end && isBetween(text.charCodeAt(at))) at++
      const from = at
      while (at < end && !isBetween(text.charCodeAt(at)) && text.charCodeAt(at) !== EQUALS) at++
      const isWanted = text.slice(from, at).toLowerCase() === name
      while (at < end && isBetween(text.charCodeAt(at))) at++
      if (text.charCodeAt(at) !== EQUALS) continue
      at++
      while (at < end && isBetween(text.charCodeAt(at))) at++
      const quote = text.charCodeAt(at)
      const isQuoted = quote === DOUBLE || quote === SINGLE
      const valueFrom = isQuoted ? at + 1 : at
      at = valueFrom
      while (at < end && (isQuoted ? text.charCodeAt(at) !== quote : !isBetween(text.charCodeAt(at)))) at++
      if (isWanted) return text.slice(valueFrom, at)
      if (isQuoted) at++
    }
    return undefined
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from, to)
  }

  #textToken(from: number, to: number, isCdata: boolean): XmlToken {
    this.from = from
    this.to = to
    this.isCdata = isCdata
    return 'text'
  }

  /** A tag that is never closed ends where the next one begins. */
  #tag(at: number, isClose: boolean): XmlToken {
    const text = this.#text
    const from = isClose ? at + 2 : at + 1
    const greater = this.#greater.from(from)
    const less = this.#lessThan.from(from)
    this.#tagEnd = Math.min(greater, less)
    this.#at = greater < less ? greater + 1 : this.#tagEnd
    this.isEmpty = !isClose && greater < less && text.charCodeAt(greater - 1) === SLASH
    let end = from
    const max = Math.min(this.#tagEnd, from + LONGEST_NAME)
    while (end < max && isNamePart(text.charCodeAt(end))) end++
    this.#nameEnd = end
    const name = text.slice(from, end).toLowerCase()
    const colon = name.indexOf(':')
    this.prefix = colon < 0 ? '' : name.slice(0, colon)
    this.name = colon < 0 ? name : name.slice(colon + 1)
    return isClose ? 'close' : 'open'
  }

  /** `<!-- -->`, or `<!DOCTYPE a [ … ]>` with its declarations. Of one that never ends, only the start is skipped. */
  #declarationEnd(at: number): number {
    if (this.#text.startsWith('<!--', at)) return this.#pastOr(this.#commentEnd.from(at + 4), 3, at + 4)
    const greater = this.#greater.from(at)
    const bracket = this.#bracket.from(at)
    if (bracket > greater) return this.#pastOr(greater, 1, at + 2)
    const inner = this.#bracketEnd.from(bracket)
    return this.#pastOr(this.#greater.from(inner), 1, at + 2)
  }

  #pastOr(found: number, length: number, otherwise: number): number {
    return found < this.#text.length ? found + length : otherwise
  }
}

const BANG = 0x21
const DOUBLE = 0x22
const SINGLE = 0x27
const EQUALS = 0x3d
const SLASH = 0x2f
const QUESTION = 0x3f

/** White space, and the slash of `<a/>` outside of quotes. */
function isBetween(code: number): boolean {
  return code <= 0x20 || code === SLASH
}

/** Letters, `_`, `:` and everything beyond ASCII. */
function isNameStart(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x3a || code > 127
  )
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || code === 0x2d || code === 0x2e || (code >= 0x30 && code <= 0x39)
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** XML's own five, and numbers; any other name stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g, (all, name, decimal, hex) => {
    if (name !== undefined) return NAMED[name]
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? all : String.fromCodePoint(code)
  })
}
