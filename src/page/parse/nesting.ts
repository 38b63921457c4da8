/** What a tag means where it stands: within SVG or MathML, in XHTML, or before content that nothing closes. */
import { type Tag, tagNamed } from './tags.ts'
import type { Tokenizer } from './tokenizer.ts'

const SVG = tagNamed('svg')
const MATH = tagNamed('math')
const SWALLOWING = new Set([tagNamed('iframe'), tagNamed('noembed'), tagNamed('noframes')])

export class Nesting {
  readonly #tokens: Tokenizer
  readonly #xml: boolean
  /** Open SVG or MathML. */
  #foreign = 0
  /** Elements of SWALLOWING that nothing closes any more. */
  readonly #unclosed = new Set<Tag>()

  /** `xml`: the page declares XHTML. */
  constructor(tokens: Tokenizer, xml: boolean) {
    this.#tokens = tokens
    this.#xml = xml
    tokens.cdataAllowed = xml
  }

  /** Within SVG or MathML. */
  get isForeign(): boolean {
    return this.#foreign > 0
  }

  /** The start tag is the whole element. In HTML the slash of `<script/>` means nothing; in XHTML and inside SVG it ends the element. */
  get isEmpty(): boolean {
    return this.#tokens.selfClosing && (this.#xml || this.#foreign > 0)
  }

  open(tag: Tag): void {
    if (tag === SVG || tag === MATH) this.#setForeign(this.#foreign + (this.#tokens.selfClosing ? 0 : 1))
    // HTML's blocks end SVG that was left open.
    else if (this.#foreign > 0 && tag.gap === 2) this.#setForeign(0)
  }

  close(tag: Tag): void {
    if ((tag === SVG || tag === MATH) && this.#foreign > 0) this.#setForeign(this.#foreign - 1)
  }

  /** Whether text follows in which tags mean nothing; then it comes as one token. */
  enterContent(tag: Tag): boolean {
    if (tag.content === undefined || this.isEmpty || this.#wouldSwallow(tag)) return false
    this.#tokens.enter(tag.content, tag.name)
    return true
  }

  /**
   * By the standard everything after `<iframe …/>` is its content, up to an end tag. Without one, nothing of the page
   * would be left (675 of the 681 pages of one site: in `noscript`, where browsers do not see it), so it counts as
   * empty.
   */
  #wouldSwallow(tag: Tag): boolean {
    if (!SWALLOWING.has(tag)) return false
    // Searched once: what is not closed from here on is not closed later either.
    if (!this.#unclosed.has(tag) && !this.#tokens.isClosed(tag.name)) this.#unclosed.add(tag)
    return this.#unclosed.has(tag)
  }

  #setForeign(depth: number): void {
    this.#foreign = depth
    this.#tokens.cdataAllowed = this.#xml || depth > 0
  }
}
