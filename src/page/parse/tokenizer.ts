/**
 * A hand-written HTML tokenizer: one pass over a decoded text, equal to the standard's on html5lib-tests
 * (`tokenizer.test.ts`). `next()` returns the kind of token; its contents are cut out and decoded only on
 * demand, so the attributes of most tags cost only a scan.
 *
 * Linear on every input: it only goes forward, and an unclosed construct is searched for once, since it ends the input.
 * The caller says which elements hold raw text (`enter`), as in the standard.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import * as letters from './letters.ts'
import { findTag, hashLetter, OTHER_TAG, type Tag, type TextState } from './tags.ts'

const { BANG, DASH, DOUBLE_QUOTE, EQUALS, GREATER, LESS, QUESTION, SINGLE_QUOTE, SLASH } = letters
const { endsTagName, isLetter, isSpace, reads } = letters

export const TOKEN = { end: 0, text: 1, startTag: 2, endTag: 3, comment: 4, doctype: 5 } as const
export type Token = (typeof TOKEN)[keyof typeof TOKEN]

/** Something empty was skipped, such as `<![CDATA[]]>`: `next` loops on, for recursion could be deep. */
const NOTHING = -1

/** A tag with more is a mistake or an attack; the rest is skipped. */
const MAX_ATTRIBUTES = 1000

const SMALL_O = 111

type State = 'data' | 'cdata' | TextState

export class Tokenizer {
  readonly input: string
  /** Inside SVG, MathML and XHTML `<![CDATA[` opens text; in HTML it is a bogus comment. */
  cdataAllowed = false

  /** Where in the input the token's text, comment or doctype is. */
  from = 0
  to = 0
  /** Of a tag; OTHER_TAG when its name is not in the lists. */
  tag: Tag = OTHER_TAG
  nameHash = 0
  selfClosing = false
  /** An attribute of the tag begins with `o`: there may be event handlers. */
  mayHandle = false
  /** Of a doctype or bogus comment: its `>` was there. */
  isClosedComment = true

  #at = 0
  #state: State = 'data'
  #rawName = ''
  #textOf: State = 'data'
  #nameFrom = 0
  #nameTo = 0
  #attributes = 0
  /** Four numbers per attribute: where its name and its value begin and end. */
  readonly #spans: number[] = []
  /** The first `&` at or after the text last asked about. */
  #ampersand = -1

  constructor(input: string) {
    this.input = input
  }

  /** Reads on as in the content of an element `name`, until its end tag. */
  enter(state: State, name = ''): void {
    this.#state = state
    this.#rawName = name
  }

  /** Whether the raw text that begins here ends with its end tag, and not with the input. Searches all the way. */
  isClosed(name: string): boolean {
    return rawTextEnd(this.input, this.#at, name) < this.input.length
  }

  next(): Token {
    for (;;) {
      const token = this.#state === 'data' ? this.#data() : this.#rawText()
      if (token !== NOTHING) return token
    }
  }

  /** The decoded text of a text token. */
  text(): string {
    const cut = newlines(this.input.slice(this.from, this.to))
    switch (this.#textOf) {
      case 'data':
        return decodeHTML(cut)
      case 'cdata':
        return cut
      case 'rcdata':
        return decodeHTML(withoutNull(cut))
      default:
        return withoutNull(cut)
    }
  }

  /** The text token has no reference, so the input between `from` and `to` is its text. */
  get isPlain(): boolean {
    if (this.#textOf !== 'data' && this.#textOf !== 'rcdata') return true
    if (this.#ampersand < this.from) {
      const found = this.input.indexOf('&', this.from)
      this.#ampersand = found < 0 ? this.input.length : found
    }
    return this.#ampersand >= this.to
  }

  get comment(): string {
    return withoutNull(newlines(this.input.slice(this.from, this.to)))
  }

  /** Of a tag, in lower case. */
  get name(): string {
    return this.tag === OTHER_TAG ? lowerName(this.input.slice(this.#nameFrom, this.#nameTo)) : this.tag.name
  }

  /** The decoded value of a start tag's attribute, '' when it has no value; the first of several counts. */
  attribute(name: string): string | undefined {
    const spans = this.#spans
    for (let i = 0; i < this.#attributes * 4; i += 4) {
      if (spans[i + 1] - spans[i] === name.length && reads(this.input, spans[i], name)) return this.#value(i)
    }
    return undefined
  }

  /** The decoded values of event handlers such as `onclick`. */
  handlers(): string[] {
    const found: string[] = []
    for (let i = 0; i < this.#attributes * 4; i += 4) {
      if (reads(this.input, this.#spans[i], 'on') && this.#spans[i + 1] - this.#spans[i] > 2) found.push(this.#value(i))
    }
    return found
  }

  /** All of them, by name; the first of several counts. */
  attributes(): Map<string, string> {
    const all = new Map<string, string>()
    for (let i = 0; i < this.#attributes * 4; i += 4) {
      const name = lowerName(this.input.slice(this.#spans[i], this.#spans[i + 1]))
      if (!all.has(name)) all.set(name, this.#value(i))
    }
    return all
  }

  #value(i: number): string {
    return decodeHTMLAttribute(withoutNull(newlines(this.input.slice(this.#spans[i + 2], this.#spans[i + 3]))))
  }

  #data(): Token | typeof NOTHING {
    const input = this.input
    const length = input.length
    let start = this.#at
    let at = start
    for (;;) {
      const open = input.indexOf('<', at)
      if (open < 0 || open + 1 >= length) break
      const next = input.charCodeAt(open + 1)
      if (next === SLASH) {
        if (open + 2 >= length) break
      } else if (!isLetter(next) && next !== BANG && next !== QUESTION) {
        at = open + 1
        continue
      }
      if (open > start) return this.#textToken(start, open, 'data')
      if (isLetter(next)) return this.#tag(open + 1, TOKEN.startTag)
      if (next === QUESTION) return this.#bogusComment(open + 1)
      if (next === BANG) return this.#declaration(open)
      const third = input.charCodeAt(open + 2)
      if (isLetter(third)) return this.#tag(open + 2, TOKEN.endTag)
      if (third !== GREATER) return this.#bogusComment(open + 2)
      // `</>` is nothing at all.
      start = at = open + 3
    }
    return start < length ? this.#textToken(start, length, 'data') : this.#ended()
  }

  #rawText(): Token | typeof NOTHING {
    const state = this.#state
    const start = this.#at
    const length = this.input.length
    let end = length
    let after = length
    if (state === 'cdata') {
      const close = this.input.indexOf(']]>', start)
      if (close >= 0) {
        end = close
        after = close + 3
      }
    } else if (state !== 'plaintext') {
      end = (state === 'script' ? scriptEnd : rawTextEnd)(this.input, start, this.#rawName)
      after = end
    }
    // An end tag or the end of the input follows; both are read as anywhere else.
    this.#state = 'data'
    this.#at = after
    if (end === start) return NOTHING
    return this.#textToken(start, end, state, after)
  }

  #textToken(from: number, to: number, state: State, after = to): Token {
    this.from = from
    this.to = to
    this.#textOf = state
    this.#at = after
    return TOKEN.text
  }

  #ended(): Token {
    this.#at = this.input.length
    return TOKEN.end
  }

  #tag(nameFrom: number, kind: Token): Token {
    const input = this.input
    const length = input.length
    let at = nameFrom
    let hash = 0
    for (; at < length; at++) {
      const code = input.charCodeAt(at)
      if (endsTagName(code)) break
      hash = hashLetter(hash, code)
    }
    const nameTo = at
    this.#attributes = 0
    this.selfClosing = false
    this.mayHandle = false
    for (;;) {
      // A tag cut off by the end of the input does not count.
      if (at >= length) return this.#ended()
      const code = input.charCodeAt(at)
      if (code === GREATER) break
      if (isSpace(code)) at++
      else if (code !== SLASH) at = this.#attribute(at)
      else if (++at < length && input.charCodeAt(at) === GREATER) this.selfClosing = true
    }
    this.#at = at + 1
    this.#nameFrom = nameFrom
    this.#nameTo = nameTo
    this.nameHash = hash
    this.tag = findTag(input, nameFrom, nameTo, hash)
    return kind
  }

  /** Reads one attribute and returns where it ended. */
  #attribute(nameFrom: number): number {
    const input = this.input
    const length = input.length
    // A leading `=` belongs to the name.
    let at = nameFrom + 1
    for (; at < length; at++) {
      const code = input.charCodeAt(at)
      if (code === EQUALS || endsTagName(code)) break
    }
    const nameTo = at
    while (at < length && isSpace(input.charCodeAt(at))) at++
    if (at >= length || input.charCodeAt(at) !== EQUALS) return this.#keep(nameFrom, nameTo, at, at, at)
    at++
    while (at < length && isSpace(input.charCodeAt(at))) at++
    if (at >= length) return length
    const first = input.charCodeAt(at)
    if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
      const end = input.indexOf(first === DOUBLE_QUOTE ? '"' : "'", at + 1)
      return end < 0 ? length : this.#keep(nameFrom, nameTo, at + 1, end, end + 1)
    }
    const valueFrom = at
    for (; at < length; at++) {
      const code = input.charCodeAt(at)
      if (code === GREATER || isSpace(code)) break
    }
    return this.#keep(nameFrom, nameTo, valueFrom, at, at)
  }

  #keep(nameFrom: number, nameTo: number, valueFrom: number, valueTo: number, end: number): number {
    if (this.#attributes >= MAX_ATTRIBUTES) return end
    if ((this.input.charCodeAt(nameFrom) | 0x20) === SMALL_O) this.mayHandle = true
    const spans = this.#spans
    const i = this.#attributes++ * 4
    spans[i] = nameFrom
    spans[i + 1] = nameTo
    spans[i + 2] = valueFrom
    spans[i + 3] = valueTo
    return end
  }

  /** `<!`: a comment, a doctype, CDATA where it is allowed, or a bogus comment. */
  #declaration(open: number): Token | typeof NOTHING {
    const input = this.input
    if (reads(input, open + 2, '--')) return this.#comment(open + 4)
    if (reads(input, open + 2, 'doctype')) {
      this.#bogusComment(open + 9)
      return TOKEN.doctype
    }
    if (this.cdataAllowed && input.slice(open + 2, open + 9) === '[CDATA[') {
      this.#at = open + 9
      this.#state = 'cdata'
      return NOTHING
    }
    return this.#bogusComment(open + 2)
  }

  #bogusComment(from: number): Token {
    const end = this.input.indexOf('>', from)
    this.isClosedComment = end >= 0
    this.from = from
    this.to = end < 0 ? this.input.length : end
    this.#at = end < 0 ? this.to : end + 1
    return TOKEN.comment
  }

  #comment(from: number): Token {
    const input = this.input
    const length = input.length
    this.from = from
    // `<!-->` and `<!--->` are whole comments: the closing dashes may be those that opened.
    for (let at = from - 2; ; at++) {
      at = input.indexOf('--', at)
      if (at < 0 || at + 2 >= length) break
      const next = input.charCodeAt(at + 2)
      const banged = next === BANG && at >= from && at + 3 < length && input.charCodeAt(at + 3) === GREATER
      if (next !== GREATER && !banged) continue
      this.to = Math.max(from, at)
      this.#at = at + (banged ? 4 : 3)
      return TOKEN.comment
    }
    this.to = unclosedCommentEnd(input, from)
    this.#at = length
    return TOKEN.comment
  }
}

/** At the end of the input, dashes that began to close a comment do not belong to it. */
function unclosedCommentEnd(input: string, from: number): number {
  const length = input.length
  if (length - from >= 3 && reads(input, length - 3, '--!')) return length - 3
  if (length - from >= 2 && reads(input, length - 2, '--')) return length - 2
  return length - from >= 1 && input.charCodeAt(length - 1) === DASH ? length - 1 : length
}

function lowerName(name: string): string {
  return withoutNull(name).replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

function withoutNull(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

function newlines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** Where text that is not markup ends: the `<` of its end tag, or the end of the input. Each reads its input once. */

/** For title, textarea (RCDATA), style, xmp, iframe … (RAWTEXT). */
function rawTextEnd(input: string, from: number, name: string): number {
  let at = from
  for (;;) {
    const open = input.indexOf('</', at)
    if (open < 0) return input.length
    if (isEndTag(input, open, name)) return open
    at = open + 2
  }
}

/** For script: inside `<!--` … `-->` a nested `<script>` … `</script>` does not end the element. */
function scriptEnd(input: string, from: number, name: string): number {
  let at = from
  for (;;) {
    const open = input.indexOf('<', at)
    if (open < 0) return input.length
    if (isEndTag(input, open, name)) return open
    if (!reads(input, open, '<!--')) {
      at = open + 1
      continue
    }
    // The dashes of `<!--` may be those of `-->`.
    const left = escapedEnd(input, open + 2, name)
    if (left.ended) return left.at
    at = left.at
  }
}

function escapedEnd(input: string, from: number, name: string): { ended: boolean; at: number } {
  let doubled = false
  for (let at = from; at < input.length; at++) {
    const code = input.charCodeAt(at)
    if (code === DASH && reads(input, at, '-->')) return { ended: false, at: at + 3 }
    if (code !== LESS) continue
    if (doubled) {
      if (isEndTag(input, at, 'script')) doubled = false
    } else if (isEndTag(input, at, name)) {
      return { ended: true, at }
    } else if (isNamed(input, at + 1, 'script')) {
      doubled = true
    }
  }
  return { ended: true, at: input.length }
}

function isEndTag(input: string, open: number, name: string): boolean {
  return (
    name !== '' && open + 1 < input.length && input.charCodeAt(open + 1) === SLASH && isNamed(input, open + 2, name)
  )
}

/** The name, and after it something that ends a name. */
function isNamed(input: string, at: number, name: string): boolean {
  const after = at + name.length
  return after < input.length && endsTagName(input.charCodeAt(after)) && reads(input, at, name)
}
