/**
 * One pass over a page's tokens gathers links, text, title, language, directives and signature.
 *
 * Text is what a reader without scripts would see, `noscript` included; not the title, script, style, iframe, noembed
 * and noframes (unless nothing closes them), nor the inside of `template`, whose links do not count either. Style
 * sheets are not read, so what they hide is text.
 */
import type { Stretches } from '../../base/stretches.ts'
import { Nesting } from '../parse/nesting.ts'
import { OTHER_TAG, type Tag, tagNamed } from '../parse/tags.ts'
import { TOKEN, Tokenizer } from '../parse/tokenizer.ts'
import { belied, isBrowserComplaint, type Trouble } from '../troubles.ts'
import type { FoldedText, TextFolder } from './fold-plainly.ts'
import { COLLECT_LINKS, cleanHref, detached, type FoundLink, LinkList, LONGEST_HREF } from './links.ts'
import { languageTag, MetaFacts, type RobotsMeta } from './meta.ts'
import { type FoldingMemory, openMemory, textFolder } from './text.ts'

/** The names of all start tags, in order, as one hash. */
class TagSequence {
  #low = 0x811c9dc5 | 0
  #high = 0x9e3779b9 | 0

  add(nameHash: number): void {
    this.#low = Math.imul(this.#low ^ nameHash, 0x01000193)
    this.#high = Math.imul((this.#high << 5) ^ (this.#high >>> 27) ^ nameHash, 0x85ebca6b)
  }

  get hash(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0)
  }
}

const NO_TAGS = new TagSequence().hash

export interface Signature {
  /**
   * Of the text with the strings of over 30 characters that are left out of it (`text.ts`): pages with the same text
   * have equal digests (C8), pages that differ in such a string do not.
   */
  textDigest: bigint
  /** Nearly equal texts differ in few bits (`bitsApart`). Words in strings of up to 256 characters count too. */
  simhash: bigint
  /** The same of the text with every run of numbers and dates as one word: equal for the pages of a calendar. */
  shape: bigint
  /** Of the text, without what is left out; a letter of a script without spaces is a word. */
  words: number
  /** Characters of the text with such strings, except those that are data. */
  length: number
  /** A hash of each line, and minima of its shingles: what a later look is compared with (`change/sketch.ts`). */
  lines: Uint32Array
  minima: Uint16Array
  /** Of the names of all start tags, in order. */
  tags: bigint
}

export interface Gathered {
  title: string
  language: string | undefined
  base: string | undefined
  links: FoundLink[]
  robots: RobotsMeta[]
  signature: Signature
  troubles: Trouble[]
}

export const LONGEST_TITLE = 500
/** A page with more words has content. */
const FEW_WORDS = 1000

const A = tagNamed('a')
const HTML = tagNamed('html')
const BASE = tagNamed('base')
const META = tagNamed('meta')
const TITLE = tagNamed('title')
const TEMPLATE = tagNamed('template')
const SCRIPT = tagNamed('script')
const SHOWN = new Set([tagNamed('textarea'), tagNamed('xmp'), tagNamed('plaintext')])

/** A longer page is read in stretches: 50,000 links, 2 MB, take 90 ms in all. */
const ONE_STRETCH = 200_000
/** About 10 ms of tags and text. */
const TOKENS_PER_STRETCH = 20_000
/** More than any page has. A small integer counts down faster than Infinity. */
const ALL_TOKENS = 2 ** 30
/** Pages read in stretches at the same time, each in a memory of 2.3 MB; any other is read in one stretch. */
const MAX_MEMORIES = 4
const freeMemories: FoldingMemory[] = []
let memories = 0

function takeMemory(): FoldingMemory | undefined {
  const free = freeMemories.pop()
  if (free !== undefined || memories === MAX_MEMORIES) return free
  memories++
  return openMemory()
}

/** `xml`: the page declares XHTML, where an empty tag is empty and CDATA is text. */
export function* gather(html: string, xml: boolean): Stretches<Gathered> {
  const memory = html.length > ONE_STRETCH ? takeMemory() : undefined
  if (memory === undefined) {
    const pass = new Pass(html, xml)
    pass.run(ALL_TOKENS)
    return pass.gathered()
  }
  try {
    const pass = new Pass(html, xml, { memory })
    while (!pass.run(TOKENS_PER_STRETCH)) yield
    return pass.gathered()
  } finally {
    freeMemories.push(memory)
  }
}

/** Plain text has no mark-up, no title and no links: a URL in it is not a reference. */
export function gatherText(text: string): Gathered {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  const folded = folder.finish()
  const troubles = troublesOf({ size: text.length, title: '', tags: 0 }, new LinkList(), folder, folded)
  return { ...gatherNothing(troubles), signature: signatureOf(folded, NO_TAGS) }
}

/** The text alone, as `gather` and `gatherText` see it; `own`: without the words in links to other pages. */
export function foldedText(content: string, as: 'html' | 'xhtml' | 'text', part: 'all' | 'own' = 'all'): string {
  if (as === 'text') {
    const folder = textFolder()
    folder.add(content, 0, content.length)
    folder.finish()
    return folder.text()
  }
  const pass = new Pass(content, as === 'xhtml', { ownOnly: part === 'own' })
  pass.run(ALL_TOKENS)
  return pass.text()
}

/** For content that is neither HTML nor text. */
export function gatherNothing(troubles: Trouble[]): Gathered {
  const [lines, minima] = [new Uint32Array(0), new Uint16Array(0)]
  const signature: Signature = {
    textDigest: 0n,
    simhash: 0n,
    shape: 0n,
    words: 0,
    length: 0,
    lines,
    minima,
    tags: NO_TAGS,
  }
  return { title: '', language: undefined, base: undefined, links: [], robots: [], signature, troubles }
}

class Pass {
  readonly #tokens: Tokenizer
  readonly #nesting: Nesting
  readonly #ownOnly: boolean
  /** Inside a link to another page. */
  #inLink = false
  readonly #links = new LinkList()
  readonly #metas = new MetaFacts()
  readonly #text: TextFolder
  readonly #tags = new TagSequence()
  #title: string | undefined
  #language: string | undefined
  #base: string | undefined
  /** The element whose raw text comes next. */
  #holder: Tag | undefined
  /** It is a script that browsers would run. */
  #isCode = false
  /** Known HTML tags of three letters and more. */
  #known = 0
  /** Open templates. */
  #inert = 0

  /** `memory`: other pages are read meanwhile. */
  constructor(
    html: string,
    xml: boolean,
    { memory, ownOnly = false }: { memory?: FoldingMemory; ownOnly?: boolean } = {},
  ) {
    this.#text = textFolder(undefined, memory)
    this.#tokens = new Tokenizer(html)
    this.#nesting = new Nesting(this.#tokens, xml)
    this.#ownOnly = ownOnly
  }

  /** False: there is more. */
  run(tokens: number): boolean {
    for (let left = tokens; left > 0; left--) {
      switch (this.#tokens.next()) {
        case TOKEN.end:
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
      }
    }
    return false
  }

  gathered(): Gathered {
    const folded = this.#text.finish()
    const title = this.#title ?? ''
    const found = { size: this.#tokens.input.length, title, tags: this.#known }
    return {
      title,
      language: this.#language ?? this.#metas.contentLanguage,
      base: this.#base,
      links: this.#links.links,
      robots: this.#metas.robots,
      signature: signatureOf(folded, this.#tags.hash),
      troubles: troublesOf(found, this.#links, this.#text, folded),
    }
  }

  text(): string {
    this.#text.finish()
    return this.#text.text()
  }

  #startTag(tag: Tag): void {
    const tokens = this.#tokens
    this.#holder = undefined
    this.#tags.add(tokens.nameHash)
    this.#text.part(tag.gap)
    if (tag !== OTHER_TAG && tag.name.length > 2) this.#known++
    if (this.#inert === 0) this.#collect(tag)
    if (tag === A && this.#ownOnly && this.#inert === 0)
      this.#inLink = !/^\s*(?:#|$)/.test(tokens.attribute('href') ?? '')
    if (tag === TEMPLATE && !this.#nesting.isEmpty) this.#inert++
    this.#nesting.open(tag)
    if (this.#nesting.enterContent(tag)) this.#holder = tag
  }

  #collect(tag: Tag): void {
    const tokens = this.#tokens
    COLLECT_LINKS[tag.id]?.(this.#links, tokens)
    if (tokens.mayHandle) for (const code of tokens.handlers()) this.#links.addScript(code, 0, code.length)
    if (tag === SCRIPT) this.#isCode = isCode(tokens.attribute('type'))
    else if (tag === META) this.#metas.add(tokens, this.#links)
    else if (tag === BASE) this.#base ??= baseHref(tokens.attribute('href'))
    else if (tag === HTML) {
      this.#language ??= languageTag(tokens.attribute('lang') ?? tokens.attribute('xml:lang') ?? '')
    }
  }

  #endTag(tag: Tag): void {
    this.#holder = undefined
    this.#text.part(tag.gap)
    if (tag === A) this.#inLink = false
    if (tag === TEMPLATE && this.#inert > 0) this.#inert--
    this.#nesting.close(tag)
  }

  #textToken(): void {
    const holder = this.#holder
    this.#holder = undefined
    if (this.#inert > 0 || this.#inLink) return
    const tokens = this.#tokens
    if (holder === TITLE && !this.#nesting.isForeign) this.#title ??= foldTitle(tokens.text())
    else if (holder === SCRIPT) this.#scriptText()
    else if (holder !== undefined && !SHOWN.has(holder)) return
    else if (tokens.isPlain) this.#text.add(tokens.input, tokens.from, tokens.to)
    else {
      const text = tokens.text()
      this.#text.add(text, 0, text.length)
    }
  }

  #scriptText(): void {
    if (this.#isCode) this.#links.addScript(this.#tokens.input, this.#tokens.from, this.#tokens.to)
  }
}

/** JavaScript by any name; not data, import maps or templates. */
function isCode(type: string | undefined): boolean {
  return (
    type === undefined ||
    /^\s{0,9}(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script)\s{0,9}(?:;|$)/i.test(type)
  )
}

function signatureOf(folded: FoldedText, tags: bigint): Signature {
  const { digest, simhash, shape, words, named, lines, minima } = folded
  return { textDigest: digest, simhash, shape, words, length: named, lines, minima, tags }
}

function troublesOf(
  found: { size: number; title: string; tags: number },
  links: LinkList,
  text: TextFolder,
  folded: FoldedText,
): Trouble[] {
  const troubles: Trouble[] = []
  if (links.tooMany > 0) troubles.push('links>50000')
  if (links.tooLong > 0) troubles.push('href>8192')
  if (links.tooManyInScripts) troubles.push('script-links>200')
  if (text.cut) troubles.push('text>1000000')
  const { length, words, leftOut, strings } = folded
  // Most pages have plenty of words; only the others are checked further.
  if (words > FEW_WORDS) return troubles
  const followable = links.followable
  const wrong = belied({ ...found, links: followable, words, length, leftOut, strings })
  if (wrong !== undefined) troubles.push(wrong)
  // Frames and refreshes lead to the page's content: its words are for readers without them.
  const leadsOn = links.links.some(({ kind }) => kind === 'frame' || kind === 'refresh')
  if (!leadsOn && isBrowserComplaint({ title: found.title, text, words, length, links: followable }))
    troubles.push('unsupported-browser')
  return troubles
}

function baseHref(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined
  const href = cleanHref(raw)
  return href === '' || href.length > LONGEST_HREF ? undefined : detached(href)
}

/** One line, no controls. Only the beginning counts: a title that is never closed is the whole page. */
function foldTitle(raw: string): string {
  const folded = raw
    .slice(0, LONGEST_TITLE * 4)
    .replace(/[\s\0-\x1f\x7f-\x9f]+/g, ' ')
    .trim()
  return detached(folded.slice(0, LONGEST_TITLE)).replace(/[\ud800-\udbff]$/, '')
}
