/**
 * The paper's structure signatures (Y7, Y11) and text codes of one page, in one pass over its tokens: strings of first and
 * last letters of the tags (I), and the document tree in breadth-first order with each node's children, level and content
 * value (II). Linear in the page; of a page with over 250,000 tags the rest has no structure, only text.
 */
import { decode } from '../parse/charset.ts'
import { Nesting } from '../parse/nesting.ts'
import { type Tag, tagNamed } from '../parse/tags.ts'
import { TOKEN, Tokenizer } from '../parse/tokenizer.ts'
import type { PageBytes } from '../reading.ts'
import { essenceOf, howToRead } from '../sniff.ts'
import { codeII, TextCode, type TextCodes } from './text-codes.ts'

export interface PaperSignature {
  /** Method I: the first character of every start tag's name, in order, and the last. */
  first: string
  last: string
  /** Method II. */
  tree: DocumentTree
  /** Of all text, white space included; without scripts and styles. */
  text: TextCodes
  /** There were more than `MAX_NODES` tags. */
  cut: boolean
}

/** Columns by node, in breadth-first order: a node's id is its place plus one, so the children of all nodes stand in order. */
export interface DocumentTree {
  /** How many each node has. */
  children: Uint32Array
  /** From 1. */
  level: Uint32Array
  /** Text code II of the node's own text, without that of the nodes below. */
  value: Float32Array
  /** Nodes by level; Table I of the paper. */
  levels: number[]
}

export const MAX_NODES = 250_000

const tags = (names: string) => new Set(names.split(' ').map(tagNamed))
const VOID = tags('area base br col embed hr img input link meta param source track wbr')
const UNSEEN = tags('script style iframe noembed noframes')
/** They end with the page if nothing closes them; then they count as empty. */
const [P, LI, DT, DD, TR, TD, TH, OPTION] = 'p li dt dd tr td th option'.split(' ').map(tagNamed)
/** Whose end tag is often left out: what they end, if that is the innermost open element. */
const ENDS = new Map<Tag, Set<Tag>>([
  [LI, new Set([LI, P])],
  [DT, new Set([DT, DD, P])],
  [DD, new Set([DT, DD, P])],
  [TR, new Set([TD, TH, TR, P])],
  [TD, new Set([TD, TH, P])],
  [TH, new Set([TD, TH, P])],
  [OPTION, new Set([OPTION])],
])
const NOTHING: ReadonlySet<Tag> = new Set()
const ONLY_P: ReadonlySet<Tag> = new Set([P])
const BR = tagNamed('br')

export function signPage(input: PageBytes): PaperSignature {
  const { as } = howToRead(essenceOf(input.mediaType), input.bytes)
  const builder = new Builder()
  if (as === 'text') builder.text(decode(input.bytes, input.charset).text)
  else if (as !== 'none') readTokens(decode(input.bytes, input.charset).text, as === 'xhtml', builder)
  return builder.signature()
}

/** Raw text, empty elements and CDATA are read as `extract/gather.ts` reads them. */
function readTokens(html: string, xml: boolean, builder: Builder): void {
  const tokens = new Tokenizer(html)
  const nesting = new Nesting(tokens, xml)
  let seen = true
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return
    if (token === TOKEN.text) {
      if (seen) builder.text(tokens.text())
      seen = true
    } else if (token === TOKEN.endTag) {
      seen = true
      builder.close(tokens.nameHash)
      nesting.close(tokens.tag)
    } else if (token === TOKEN.startTag) {
      const { tag } = tokens
      nesting.open(tag)
      builder.open(tokens, nesting.isEmpty || (!nesting.isForeign && VOID.has(tag)))
      seen = !(nesting.enterContent(tag) && UNSEEN.has(tag))
    }
  }
}

class Builder {
  /** By node, in document order. */
  readonly #parent: number[] = []
  readonly #level: number[] = []
  readonly #squares: number[] = []
  readonly #count: number[] = []
  readonly #first: number[] = []
  readonly #last: number[] = []
  /** The open elements: node, name's hash, tag; and how many of each name are open. */
  readonly #open: { node: number; name: number; tag: Tag }[] = []
  readonly #openOf = new Map<number, number>()
  readonly #text = new TextCode()
  #cut = false

  open(tokens: Tokenizer, isLeaf: boolean): void {
    const { tag, nameHash } = tokens
    const node = this.#parent.length
    this.#cut ||= node === MAX_NODES
    if (this.#cut) return
    const ended = ENDS.get(tag) ?? (tag.gap === 2 && tag !== BR ? ONLY_P : NOTHING)
    for (let top = this.#open.at(-1); top !== undefined && ended.has(top.tag); top = this.#open.at(-1)) this.#pop()
    this.#parent.push(this.#open.at(-1)?.node ?? -1)
    this.#level.push(this.#open.length + 1)
    this.#squares.push(0)
    this.#count.push(0)
    const { name } = tokens
    this.#first.push(name.charCodeAt(0))
    this.#last.push(name.charCodeAt(name.length - 1))
    if (isLeaf) return
    this.#open.push({ node, name: nameHash, tag })
    this.#openOf.set(nameHash, (this.#openOf.get(nameHash) ?? 0) + 1)
  }

  /** Ends the innermost element of the name and what is open in it; an end tag of nothing is nothing. */
  close(name: number): void {
    if (this.#cut || (this.#openOf.get(name) ?? 0) === 0) return
    while (this.#pop() !== name);
  }

  #pop(): number {
    const { name } = this.#open.pop() as { name: number }
    this.#openOf.set(name, (this.#openOf.get(name) as number) - 1)
    return name
  }

  text(text: string): void {
    const { squares, count } = this.#text
    this.#text.add(text)
    const node = this.#open.at(-1)?.node
    if (node === undefined || this.#cut) return
    this.#squares[node] += this.#text.squares - squares
    this.#count[node] += this.#text.count - count
  }

  signature(): PaperSignature {
    return {
      first: letters(this.#first),
      last: letters(this.#last),
      tree: this.#tree(),
      text: this.#text.finish(),
      cut: this.#cut,
    }
  }

  /** Nodes of one level in document order are in breadth-first order: sorting by level, counted, is all there is to do. */
  #tree(): DocumentTree {
    const levels: number[] = []
    for (const level of this.#level) levels[level - 1] = (levels[level - 1] ?? 0) + 1
    let before = 0
    const next = levels.map((count) => (before += count) - count)
    const size = this.#level.length
    const place = this.#level.map((level) => next[level - 1]++)
    const tree = {
      children: new Uint32Array(size),
      level: new Uint32Array(size),
      value: new Float32Array(size),
      levels,
    }
    for (let node = 0; node < size; node++) {
      const at = place[node]
      tree.level[at] = this.#level[node]
      // As in a text of its own, its end counts.
      tree.value[at] = codeII(this.#squares[node] + 1, this.#count[node] + 1)
      if (this.#parent[node] >= 0) tree.children[place[this.#parent[node]]]++
    }
    return tree
  }
}

const QUESTION_MARK = 63

function letters(codes: readonly number[]): string {
  return Buffer.from(codes.map((code) => (code < 128 ? code : QUESTION_MARK))).toString('latin1')
}
