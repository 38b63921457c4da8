/**
 * As much of XML as a list of URLs needs: tags, text, CDATA. Comments, instructions and document types are skipped, so
 * no entity is ever defined or fetched. Malformed XML is read as far as it goes. Each character is scanned a bounded
 * number of times.
 */

export type XmlToken = 'open' | 'close' | 'text' | 'end'

const LONGEST_NAME = 100
const LONGEST_TAG = 16_384

export class XmlScan {
  readonly #text: string
  /** Searches only go forward, so each remembers its last result: together they scan the text once. */
  readonly #found = new Map<string, number>()
  /** Characters scanned so far, by all searches, plus tokens: what the time depends on. */
  steps = 0
  #at = 0
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
  }

  /** Where the next token begins. */
  get position(): number {
    return this.#at
  }

  next(): XmlToken {
    const text = this.#text
    for (;;) {
      this.steps++
      const at = this.#at
      if (at >= text.length) return 'end'
      const less = this.#find('<', at)
      if (less > at) {
        this.#at = less
        return this.#textToken(at, less, false)
      }
      const second = text.charCodeAt(at + 1)
      if (second === BANG) {
        if (text.startsWith('<![CDATA[', at)) {
          const end = this.#find(']]>', at + 9)
          this.#at = Math.min(text.length, end + 3)
          return this.#textToken(at + 9, end, true)
        }
        this.#at = this.#declarationEnd(at)
      } else if (second === QUESTION) {
        this.#at = this.#pastOr(this.#find('?>', at + 2), 2, at + 2)
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
    const tag = this.#text.slice(this.#nameEnd, Math.min(this.#tagEnd, this.#nameEnd + LONGEST_TAG))
    this.steps += tag.length
    for (const [, found, equals, double, single, bare] of tag.matchAll(ATTRIBUTE))
      if (equals !== undefined && found.toLowerCase() === name) return double ?? single ?? bare
    return undefined
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from, to)
  }

  /** Its position at or after `from`; the text's length when there is none. */
  #find(needle: string, from: number): number {
    const known = this.#found.get(needle) ?? -1
    if (known >= from) return known
    const found = this.#text.indexOf(needle, from)
    const next = found < 0 ? this.#text.length : found
    this.#found.set(needle, next)
    this.steps += next - from + 1
    return next
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
    const greater = this.#find('>', from)
    const less = this.#find('<', from)
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
    if (this.#text.startsWith('<!--', at)) return this.#pastOr(this.#find('-->', at + 4), 3, at + 4)
    const greater = this.#find('>', at)
    const bracket = this.#find('[', at)
    if (bracket > greater) return this.#pastOr(greater, 1, at + 2)
    const inner = this.#find(']', bracket)
    return this.#pastOr(this.#find('>', inner), 1, at + 2)
  }

  #pastOr(found: number, length: number, otherwise: number): number {
    return found < this.#text.length ? found + length : otherwise
  }
}

const BANG = 0x21
const SLASH = 0x2f
const QUESTION = 0x3f

/** Between attributes: white space, and the slash of `<a/>` outside of quotes. Matches everywhere, so each character once. */
const ATTRIBUTE = /[\0-\x20/]*([^\0-\x20/=]*)[\0-\x20/]*(?:(=)[\0-\x20/]*(?:"([^"]*)"?|'([^']*)'?|([^\0-\x20/]*)))?/g

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
