/**
 * A page as a list of blocks: what a reader sees between two line breaks, with its place (`body > div#main > p`) and the facts
 * of its mark-up (tags, links, images, attributes). Linear in the page; what is beyond the limits is counted and hashed.
 */
import { runThrough, type Stretches } from '../../base/stretches.ts'
import { Nesting } from '../parse/nesting.ts'
import { OTHER_TAG, TAG_IDS, type Tag, tagNamed } from '../parse/tags.ts'
import { TOKEN, Tokenizer } from '../parse/tokenizer.ts'
import type { Matched, RegionRules } from './region-rules.ts'

export type FactKind = 'tag' | 'link' | 'image' | 'attribute'

/** `text`: the tag's name, the URL, or `p class="lead"`. */
export interface Fact {
  kind: FactKind
  text: string
}

/** An element that makes blocks. `key`: of its tag, id and classes, without digits, and those of the elements around it up to one that has some. */
export interface Box {
  key: number
  isHeading: boolean
  around: Box | undefined
}

export interface Block {
  /** White space is one space, except in lines of `pre` and of plain text. Empty for images without text, and for the last tags. */
  text: string
  /** From `body` on: the elements that make blocks, with their ids. '' for a line of plain text. */
  place: string
  /** Of the start tags since the block before, at most MAX_FACTS. */
  facts: readonly Fact[]
  /** The operator watches it. */
  watched?: true
  /** Where it begins. */
  box?: Box
}

export interface Blocks {
  blocks: Block[]
  /** Characters of the page that were left out, since it has more blocks than MAX_BLOCKS; their hash. */
  rest: { length: number; hash: number }
  /** Hashes of what is not shown. */
  scripts: number
  styles: number
  comments: number
  /** The rules left something out. */
  isPartial: boolean
}

export interface HowToSplit {
  /** Ignored elements are left out. */
  rules?: RegionRules
  /** No block is split, however long. */
  whole?: boolean
}

export const MAX_BLOCKS = 50_000
const MAX_FACTS = 100
/** Some 10 ms. */
const TOKENS_PER_STRETCH = 5000
const MAX_FACT = 300
/** A longer text is split after sentences, and in any case at this length. */
export const MAX_TEXT = 2000
const MAX_ID = 40
const MAX_CLASSES = 100
/** Elements of a place: the outermost, and the innermost ones. */
const MAX_PLACE = 6

const FNV = 0x811c9dc5 | 0

/** Carries a hash on over a part of a text. */
function hashed(hash: number, text: string, from = 0, to = text.length): number {
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

const names = (text: string) => new Set(text.split(' ').map(tagNamed))
const [TEMPLATE, TITLE, SCRIPT, STYLE, PRE, BODY] = 'template title script style pre body'.split(' ').map(tagNamed)
const SHOWN = names('textarea xmp plaintext')
const IMAGES = names('img picture source')
const CELLS = names('td th')
const HEADINGS = names('h1 h2 h3 h4 h5 h6 th dt legend caption')
const VOID = names('br hr')
/** Where an element leads, and what it shows. */
const LINK_ATTRIBUTES: ReadonlyMap<Tag, string> = new Map(
  Object.entries({ a: 'href', area: 'href', iframe: 'src', frame: 'src', form: 'action' }).map(([tag, attribute]) => [
    tagNamed(tag),
    attribute,
  ]),
)
const IMAGE_ATTRIBUTES = new Set(['src', 'srcset', 'alt'])

/** A start tag that ends these, if they are the innermost ones: HTML lets their end tags be left out. */
const ENDED_BY: ReadonlyMap<Tag, ReadonlySet<Tag>> = new Map(
  Object.entries({
    ...{ body: 'head', li: 'li', dt: 'dt dd', dd: 'dt dd', option: 'option', optgroup: 'option optgroup' },
    ...{ td: 'td th', th: 'td th', tr: 'td th tr', tbody: 'td th tr thead tbody', tfoot: 'td th tr tbody' },
  }).map(([tag, ended]) => [tagNamed(tag), names(ended)]),
)
const P = tagNamed('p')
/** Elements without content. */
const EMPTY = names('area base br col embed hr img input link meta source track wbr')
/** They make no blocks, and often stand around some: advertisements, and elements that a page has defined itself. */
const HOLDERS = new Set([tagNamed('ins'), OTHER_TAG])
/** Deeper elements that make no blocks are not asked about. */
const MAX_OPEN = 500

interface Open {
  tag: Tag
  /** In a place; '' for an element that makes no block. */
  text: string
  box: Box | undefined
  matched?: Matched
}

const makesBlock = (tag: Tag) => tag.gap === 2 || CELLS.has(tag)

/** `xml`: the page declares XHTML. */
export function blocksOf(html: string, xml = false, how: HowToSplit = {}): Blocks {
  return runThrough(blocksInTurns(html, xml, how))
}

export function* blocksInTurns(html: string, xml: boolean, how: HowToSplit): Stretches<Blocks> {
  const pass = new Pass(html, xml, how)
  while (!pass.run(TOKENS_PER_STRETCH)) yield
  return pass.blocks()
}

/** Lines of a plain text, as blocks without place and facts. */
export function linesOf(text: string): Blocks {
  const blocks: Block[] = []
  let at = 0
  while (at < text.length && blocks.length < MAX_BLOCKS) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    const line = text.charCodeAt(end - 1) === 13 && end > at ? text.slice(at, end - 1) : text.slice(at, end)
    for (const piece of pieces(line)) blocks.push({ text: piece, place: '', facts: [] })
    at = end + 1
  }
  at = Math.min(at, text.length)
  blocks.length = Math.min(blocks.length, MAX_BLOCKS)
  return {
    blocks,
    rest: { length: text.length - at, hash: hashed(FNV, text, at) },
    scripts: 0,
    styles: 0,
    comments: 0,
    isPartial: false,
  }
}

/** Sentences are boundaries that stay where they are when something before them changes. */
function pieces(text: string): string[] {
  if (text.length <= MAX_TEXT) return [text]
  const sentences = text.split(/(?<=[.!?…]\s|[。！？])/u)
  return sentences.flatMap((sentence) => {
    const parts: string[] = []
    for (let at = 0; at < sentence.length; at += MAX_TEXT) parts.push(sentence.slice(at, at + MAX_TEXT).trimEnd())
    return parts
  })
}

class Pass {
  readonly #tokens: Tokenizer
  readonly #nesting: Nesting
  readonly #blocks: Block[] = []
  readonly #hashes = { scripts: FNV, styles: FNV, comments: FNV }
  readonly #rest = { length: 0, hash: FNV }
  /** Open elements that make blocks, and how many of each: an end tag without a start tag is found out at once. */
  readonly #open: Open[] = []
  readonly #count = new Int32Array(TAG_IDS)
  #holder: Tag | undefined
  #inert = 0
  #text: string[] = []
  #facts: Fact[] = []
  /** The hash of those beyond MAX_FACTS. */
  #moreFacts = FNV
  #hasImage = false
  /** Where the block's text and its images are. */
  #place: string | undefined
  #box: Box | undefined
  readonly #rules: RegionRules | undefined
  readonly #whole: boolean
  #isPartial = false
  #isWatched = false

  constructor(html: string, xml: boolean, { rules, whole = false }: HowToSplit) {
    this.#rules = rules
    this.#whole = whole
    this.#tokens = new Tokenizer(html)
    this.#nesting = new Nesting(this.#tokens, xml)
  }

  /** False: there is more. */
  run(tokens: number): boolean {
    for (let left = tokens; left > 0; left--) {
      switch (this.#tokens.next()) {
        case TOKEN.end:
          this.#end()
          return true
        case TOKEN.startTag:
          this.#startTag(this.#tokens.tag)
          break
        case TOKEN.endTag:
          this.#endTag(this.#tokens.tag)
          break
        case TOKEN.text:
          this.#textToken()
          break
        case TOKEN.comment:
          this.#hash('comments')
      }
    }
    return false
  }

  blocks(): Blocks {
    // Tags that no text follows.
    if (this.#facts.length > 0) this.#blocks.push({ text: '', place: this.#placeNow(), facts: this.#takeFacts() })
    return { blocks: this.#blocks, rest: this.#rest, ...this.#hashes, isPartial: this.#isPartial }
  }

  #hash(what: 'scripts' | 'styles' | 'comments'): void {
    const { input, from, to } = this.#tokens
    this.#hashes[what] = hashed(this.#hashes[what], input, from, to)
  }

  #startTag(tag: Tag): void {
    this.#holder = undefined
    this.#gap(tag)
    if (this.#inert === 0 && this.#blocks.length < MAX_BLOCKS) this.#noteFacts(tag)
    if (makesBlock(tag)) this.#enter(tag)
    else if (this.#rules !== undefined || HOLDERS.has(tag)) this.#enterInline(tag)
    if (tag === TEMPLATE && !this.#nesting.isEmpty) this.#inert++
    this.#nesting.open(tag)
    if (this.#nesting.enterContent(tag)) this.#holder = tag
  }

  #endTag(tag: Tag): void {
    this.#holder = undefined
    this.#gap(tag)
    if (tag === TEMPLATE && this.#inert > 0) this.#inert--
    this.#nesting.close(tag)
    if (this.#count[tag.id] > 0 && (makesBlock(tag) || this.#isInlineOpen(tag))) while (this.#leave() !== tag);
  }

  #gap(tag: Tag): void {
    if (tag.gap === 2) this.#end()
    else if (tag.gap === 1) this.#text.push(' ')
  }

  #enter(tag: Tag): void {
    if (VOID.has(tag) || this.#nesting.isEmpty) return
    const ended = ENDED_BY.get(tag)
    for (let at = this.#lastBlock(); at >= 0; at = this.#lastBlock()) {
      const last = this.#open[at].tag
      if (last !== P && ended?.has(last) !== true) break
      while (this.#open.length > at) this.#leave()
    }
    const id = this.#id()
    // An id that is not plain would not be readable in a place either.
    const text = /^[\w:.-]+$/.test(id) ? `${tag.name}#${id.slice(0, MAX_ID)}` : tag.name
    this.#push({ tag, text, box: this.#boxOf(id) })
  }

  #boxOf(id: string): Box {
    const { tag, name } = this.#tokens
    const around = this.#open.at(-1)?.box
    // Those of the body often name the page.
    const classes = tag === BODY ? '' : (this.#tokens.attribute('class') ?? '')
    const own = `${id.slice(0, MAX_ID)} ${classes.slice(0, MAX_CLASSES)}`.replace(/[\d\s]+/g, ' ').trim()
    // An element with a name has it wherever it stands.
    const start = own === '' ? (around?.key ?? FNV) : FNV
    return { key: hashed(hashed(start, name), ` ${own}`) >>> 0, isHeading: HEADINGS.has(tag), around }
  }

  /** Rules ask for these; some of them hold blocks. */
  #enterInline(tag: Tag): void {
    if (EMPTY.has(tag) || this.#nesting.isEmpty || this.#open.length >= MAX_OPEN) return
    this.#push({ tag, text: '', box: HOLDERS.has(tag) ? this.#boxOf(this.#id()) : this.#open.at(-1)?.box })
  }

  #id(): string {
    return this.#tokens.attribute('id')?.trim() ?? ''
  }

  #push(entry: Open): void {
    this.#open.push(entry)
    this.#count[entry.tag.id]++
    if (this.#rules === undefined) return
    const attributes = new Map(this.#tokens.attributes())
    const element = { name: this.#tokens.name, attribute: (name: string) => attributes.get(name) }
    entry.matched = this.#rules.enter(element, this.#open.at(-2)?.matched)
  }

  /** The innermost open element that makes blocks; -1: none. */
  #lastBlock(): number {
    return this.#open.findLastIndex(({ text }) => text !== '')
  }

  /** An end tag of bold text does not end the paragraph around it. */
  #isInlineOpen(tag: Tag): boolean {
    for (let at = this.#open.length - 1; at >= 0 && this.#open[at].text === ''; at--)
      if (this.#open[at].tag === tag) return true
    return false
  }

  #leave(): Tag | undefined {
    const tag = this.#open.pop()?.tag
    if (tag !== undefined) this.#count[tag.id]--
    return tag
  }

  #noteFacts(tag: Tag): void {
    const name = this.#tokens.name
    const isImage = IMAGES.has(tag)
    if (isImage) this.#hasImage = true
    if (isImage && this.#place === undefined) this.#begin()
    this.#fact('tag', name)
    const link = LINK_ATTRIBUTES.get(tag)
    for (const [attribute, value] of this.#tokens.attributes()) {
      if (attribute === link) this.#fact('link', value.trim())
      else if (isImage && IMAGE_ATTRIBUTES.has(attribute))
        this.#fact('image', attribute === 'src' ? value : `${attribute}="${value}"`)
      else this.#fact('attribute', `${name} ${attribute}="${value}"`)
    }
  }

  #fact(kind: FactKind, text: string): void {
    if (this.#facts.length < MAX_FACTS) this.#facts.push({ kind, text: text.slice(0, MAX_FACT) })
    else this.#moreFacts = hashed(this.#moreFacts ^ 1, text)
  }

  #textToken(): void {
    const holder = this.#holder
    this.#holder = undefined
    if (holder === SCRIPT) this.#hash('scripts')
    if (holder === STYLE) this.#hash('styles')
    if (this.#inert > 0 || holder === SCRIPT || holder === STYLE) return
    const matched = this.#open.at(-1)?.matched
    if (matched?.isIgnored === true) {
      this.#isPartial = true
      return
    }
    if (matched?.isWatched === true) this.#isWatched = true
    if (holder === TITLE && !this.#nesting.isForeign) {
      this.#end()
      this.#place = 'head > title'
      this.#box = undefined
    } else if (holder !== undefined && !SHOWN.has(holder)) return
    const text = this.#tokens.text()
    if (this.#place === undefined && /\S/.test(text)) this.#begin()
    this.#text.push(text)
    if (holder === TITLE) this.#end()
  }

  #begin(): void {
    this.#place = this.#placeNow()
    this.#box = this.#open.at(-1)?.box
  }

  /** The block is over. Tags without text and images belong to the next one. */
  #end(): void {
    if (this.#place === undefined) {
      this.#text.length = 0
      return
    }
    const raw = this.#text.join('')
    const isPre = this.#count[PRE.id] > 0
    const lines =
      isPre && !this.#whole ? raw.split('\n').map((line) => line.trimEnd()) : [raw.replace(/\s+/g, ' ').trim()]
    for (const line of lines) for (const text of this.#whole ? [line] : pieces(line)) this.#add(text)
    this.#text = []
    this.#takeFacts()
    this.#hasImage = false
    this.#isWatched = false
    this.#place = undefined
  }

  /** One more fact stands for those that are left out. */
  #takeFacts(): Fact[] {
    const facts = this.#facts
    if (this.#moreFacts !== FNV) facts.push({ kind: 'attribute', text: `… ${this.#moreFacts >>> 0}` })
    this.#facts = []
    this.#moreFacts = FNV
    return facts
  }

  #add(text: string): void {
    if (text === '' && !this.#hasImage) return
    if (this.#blocks.length >= MAX_BLOCKS) {
      this.#rest.length += text.length
      this.#rest.hash = hashed(this.#rest.hash, text)
      return
    }
    const block: Block = { text, place: this.#place!, facts: this.#takeFacts(), box: this.#box }
    this.#blocks.push(this.#isWatched ? { ...block, watched: true } : block)
    this.#hasImage = false
  }

  #placeNow(): string {
    const open = this.#open
    const start = open[0]?.tag.name === 'html' ? 1 : 0
    const inner: string[] = []
    let at = open.length - 1
    for (; at >= start && inner.length <= MAX_PLACE; at--) if (open[at].text !== '') inner.push(open[at].text)
    inner.reverse()
    if (inner.length <= MAX_PLACE) return inner.join(' > ')
    const outermost = open.find(({ text }, nth) => nth >= start && text !== '')
    return [outermost?.text, '…', ...inner.slice(2)].join(' > ')
  }
}
