/**
 * One pass over a page's tokens, gathering everything at once: links, text, title, language, directives, signature.
 *
 * What is text: all that a reader without scripts would see, `noscript` included; not the title, nor script, style, iframe,
 * noembed, noframes (raw text that is not shown), nor what is inside `template` (inert: its links do not count either).
 * Style sheets are not read, so what they hide is text.
 */
import { hash64 } from '../../base/digest.ts'
import { type Tag, tagNamed } from '../parse/tags.ts'
import { TOKEN, Tokenizer } from '../parse/tokenizer.ts'
import { COLLECT_LINKS, cleanHref, detached, type FoundLink, LinkList, LONGEST_HREF, MOST_LINKS } from './links.ts'
import { languageTag, MetaFacts, type RobotsMeta } from './meta.ts'
import { TagRecorder, type TagSequence } from './tag-sequence.ts'
import { MOST_TEXT, TextFolder } from './text.ts'

export interface Signature {
  /** Of the text: equal texts have equal digests (C8). */
  textDigest: bigint
  /** Texts that are nearly equal differ in few bits (`bitsApart`). */
  simhash: bigint
  tags: TagSequence
}

export interface Gathered {
  title: string
  text: string
  language: string | undefined
  base: string | undefined
  links: FoundLink[]
  robots: RobotsMeta[]
  signature: Signature
  troubles: string[]
}

export const LONGEST_TITLE = 500

const HTML = tagNamed('html')
const BASE = tagNamed('base')
const META = tagNamed('meta')
const TITLE = tagNamed('title')
const TEMPLATE = tagNamed('template')
const SVG = tagNamed('svg')
const MATH = tagNamed('math')
const SHOWN = new Set([tagNamed('textarea'), tagNamed('xmp'), tagNamed('plaintext')])

/** `xml`: the page says that it is XHTML, where an empty tag is empty and CDATA is text. */
export function gather(html: string, xml: boolean): Gathered {
  const pass = new Pass(html, xml)
  pass.run()
  return pass.gathered()
}

class Pass {
  readonly #tokens: Tokenizer
  readonly #xml: boolean
  readonly #links = new LinkList()
  readonly #metas = new MetaFacts()
  readonly #text = new TextFolder()
  readonly #tags = new TagRecorder()
  #title: string | undefined
  #language: string | undefined
  #base: string | undefined
  /** The element whose raw text comes next. */
  #holder: Tag | undefined
  /** Open templates, and open SVG or MathML. */
  #inert = 0
  #foreign = 0

  constructor(html: string, xml: boolean) {
    this.#tokens = new Tokenizer(html)
    this.#tokens.cdataAllowed = xml
    this.#xml = xml
  }

  run(): void {
    for (;;) {
      switch (this.#tokens.next()) {
        case TOKEN.end:
          return
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
  }

  gathered(): Gathered {
    const { text, simhash } = this.#text.finish()
    return {
      title: this.#title ?? '',
      text,
      language: this.#language ?? this.#metas.contentLanguage,
      base: this.#base,
      links: this.#links.links,
      robots: this.#metas.robots,
      signature: { textDigest: hash64(text), simhash, tags: this.#tags.sequence() },
      troubles: this.#troubles(),
    }
  }

  #startTag(tag: Tag): void {
    const tokens = this.#tokens
    this.#holder = undefined
    this.#tags.add(tokens.nameHash, tokens.firstLetter, tokens.lastLetter)
    this.#text.part(tag.gap)
    if (this.#inert === 0) this.#collect(tag)
    if (tag === TEMPLATE && !this.#isEmpty()) this.#inert++
    else if (tag === SVG || tag === MATH) this.#setForeign(this.#foreign + (tokens.selfClosing ? 0 : 1))
    else if (this.#foreign > 0 && tag.gap === 2) this.#setForeign(0) // HTML's blocks end SVG that was left open
    if (tag.content === undefined || this.#isEmpty()) return
    this.#holder = tag
    tokens.enter(tag.content, tag.name)
  }

  #collect(tag: Tag): void {
    const tokens = this.#tokens
    COLLECT_LINKS[tag.id]?.(this.#links, tokens)
    if (tag === META) this.#metas.add(tokens, this.#links)
    else if (tag === BASE) this.#base ??= baseHref(tokens.attribute('href'))
    else if (tag === HTML) {
      this.#language ??= languageTag(tokens.attribute('lang') ?? tokens.attribute('xml:lang') ?? '')
    }
  }

  #endTag(tag: Tag): void {
    this.#holder = undefined
    this.#text.part(tag.gap)
    if (tag === TEMPLATE && this.#inert > 0) this.#inert--
    else if ((tag === SVG || tag === MATH) && this.#foreign > 0) this.#setForeign(this.#foreign - 1)
  }

  #textToken(): void {
    const holder = this.#holder
    this.#holder = undefined
    if (this.#inert > 0) return
    const tokens = this.#tokens
    if (holder === TITLE && this.#foreign === 0) this.#title ??= foldTitle(tokens.text())
    else if (holder !== undefined && !SHOWN.has(holder)) return
    else if (tokens.isPlain) this.#text.add(tokens.input, tokens.from, tokens.to)
    else {
      const text = tokens.text()
      this.#text.add(text, 0, text.length)
    }
  }

  /** In HTML the slash of `<script/>` means nothing; in XHTML and inside SVG it ends the element. */
  #isEmpty(): boolean {
    return this.#tokens.selfClosing && (this.#xml || this.#foreign > 0)
  }

  #setForeign(depth: number): void {
    this.#foreign = depth
    this.#tokens.cdataAllowed = this.#xml || depth > 0
  }

  #troubles(): string[] {
    const troubles: string[] = []
    if (this.#links.tooMany > 0) troubles.push(`${this.#links.tooMany} links after the first ${MOST_LINKS} dropped`)
    if (this.#links.tooLong > 0) troubles.push(`${this.#links.tooLong} links over ${LONGEST_HREF} characters dropped`)
    if (this.#text.cut) troubles.push(`text cut at ${MOST_TEXT} characters`)
    return troubles
  }
}

function baseHref(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined
  const href = cleanHref(raw)
  return href === '' || href.length > LONGEST_HREF ? undefined : detached(href)
}

/** One line, no controls. Only the beginning is looked at: a title that is never closed is the whole page. */
function foldTitle(raw: string): string {
  const folded = raw
    .slice(0, LONGEST_TITLE * 4)
    .replace(/[\s\0-\x1f\x7f-\x9f]+/g, ' ')
    .trim()
  return detached(folded.slice(0, LONGEST_TITLE)).replace(/[\ud800-\udbff]$/, '')
}
