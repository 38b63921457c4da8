/**
 * The tags that matter to a reader, each interned once: a tag in a page becomes one of these objects without cutting a
 * string out of the page (15 KB have some 500 tags).
 */
import { assert } from '../../base/assert.ts'
import { reads } from './letters.ts'

/** How the tokenizer reads on after the start tag; the standard's tokenizer states. */
export type TextState = 'rcdata' | 'rawtext' | 'script' | 'plaintext'

/** What a tag is in the text: nothing, a space, or a line end. */
export type Gap = 0 | 1 | 2

export interface Tag {
  /** Small and dense, so that tables can be arrays. */
  readonly id: number
  readonly name: string
  readonly hash: number
  readonly gap: Gap
  /** Set for elements whose content is not markup. */
  readonly content: TextState | undefined
}

const LINES =
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
  'footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav noscript ol optgroup option ' +
  'p pre search section select summary table tbody tfoot thead tr ul'
const SPACES = 'area audio button canvas embed img input label meter object progress svg math td th video'
const INLINE =
  'a abbr acronym b base basefont big cite code col colgroup data del dfn em font foreignobject frame i ins kbd link map ' +
  'mark meta param picture q rp rt ruby s samp small slot source span strike strong sub sup template time track tt u var wbr'
const CONTENT: [TextState, Gap, string][] = [
  ['rcdata', 0, 'title'],
  ['rcdata', 2, 'textarea'],
  ['rawtext', 2, 'xmp iframe noembed noframes'],
  ['rawtext', 0, 'style'],
  ['script', 0, 'script'],
  ['plaintext', 2, 'plaintext'],
]

const byName = new Map<string, Tag>()
const byHash = new Map<number, Tag>()

/** The tokenizer computes the same, letter by letter, while it looks for the name's end. */
export function hashLetter(hash: number, code: number): number {
  return (Math.imul(hash, 31) + (code | 0x20)) | 0
}

function intern(names: string, gap: Gap, content?: TextState): void {
  for (const name of names.split(' ')) {
    let hash = 0
    for (let i = 0; i < name.length; i++) hash = hashLetter(hash, name.charCodeAt(i))
    const tag: Tag = { id: byName.size + 1, name, hash, gap, content }
    byName.set(name, tag)
    assert(!byHash.has(hash), `the hash of '${name}' is another tag's too`)
    byHash.set(hash, tag)
  }
}

intern(LINES, 2)
intern(SPACES, 1)
intern(INLINE, 0)
for (const [content, gap, names] of CONTENT) intern(names, gap, content)

/** Any tag that is not in the lists: inline, ordinary content. */
export const OTHER_TAG: Tag = { id: 0, name: '', hash: 0, gap: 0, content: undefined }

/** How many ids there are. */
export const TAG_IDS = byName.size + 1

export function findTag(input: string, from: number, to: number, hash: number): Tag {
  const tag = byHash.get(hash)
  return tag !== undefined && tag.name.length === to - from && reads(input, from, tag.name) ? tag : OTHER_TAG
}

/** For tables: the interned tag of a name that is in the lists. */
export function tagNamed(name: string): Tag {
  const tag = byName.get(name)
  if (tag === undefined) throw new Error(`bug: no tag '${name}'`)
  return tag
}
