/** What a page points to, by element. References are as the page writes them, decoded and trimmed, not resolved. */
import { TAG_IDS, tagNamed } from '../parse/tags.ts'
import type { Tokenizer } from '../parse/tokenizer.ts'
import { scriptLinks } from './script-links.ts'

export type LinkKind =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'form'
  | 'canonical'
  | 'alternate'
  | 'next'
  | 'prev'
  | 'related' // other pages of the site, by the remaining link types of HTML
  | 'refresh'
  | 'script' // found by pattern in a script or a handler (V14)
  | 'embed' // images, scripts, styles …: counted, not followed

export interface FoundLink {
  href: string
  kind: LinkKind
  /** `rel=nofollow` on the element itself. */
  nofollow: boolean
  /** The media type the page names, or `image`, `script`, `style`, `video` …; '' when it does not say. */
  media: string
}

export const MAX_LINKS = 50_000
/** Characters. */
export const LONGEST_HREF = 8192
/** Found by pattern in the scripts of one page: a page with more has some table in a script. */
export const MAX_SCRIPT_LINKS = 200

export class LinkList {
  readonly links: FoundLink[] = []
  /** Dropped because their href was too long, and because there were too many. */
  tooLong = 0
  tooMany = 0
  tooManyInScripts = false
  readonly #inScripts = new Set<string>()

  add(raw: string | undefined, kind: LinkKind, nofollow = false, media = ''): void {
    if (raw === undefined) return
    const href = cleanHref(raw)
    // An empty reference is the page itself; a data: URL in an image refers to nothing.
    if (href === '' || (kind === 'embed' && isData(href))) return
    if (href.length > LONGEST_HREF) this.tooLong++
    else if (this.links.length >= MAX_LINKS) this.tooMany++
    else this.links.push({ href: detached(href), kind, nofollow, media })
    if (isScript(href)) this.addScript(href, SCRIPT_SCHEME.length, href.length, nofollow)
  }

  /** Each link of the page's scripts once. */
  addScript(script: string, from: number, to: number, nofollow = false): void {
    if (this.tooManyInScripts) return
    scriptLinks(script, from, to, (href) => {
      if (this.#inScripts.has(href)) return true
      this.tooManyInScripts = this.#inScripts.size >= MAX_SCRIPT_LINKS
      if (this.tooManyInScripts) return false
      this.#inScripts.add(detached(href))
      this.add(href, 'script', nofollow)
      return true
    })
  }

  /** Those that can be followed. */
  get followable(): number {
    let count = 0
    for (const link of this.links) if (link.kind !== 'embed') count++
    return count
  }
}

/** White space and controls around a URL do not belong to it, nor do tabs and line ends inside (the URL standard). */
export function cleanHref(raw: string): string {
  let from = 0
  let to = raw.length
  while (from < to && raw.charCodeAt(from) <= 32) from++
  while (to > from && raw.charCodeAt(to - 1) <= 32) to--
  const trimmed = to - from === raw.length ? raw : raw.slice(from, to)
  return /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+/g, '') : trimmed
}

const SCRIPT_SCHEME = 'javascript:'
const isScript = (href: string) => href.length > 10 && href.charCodeAt(10) === 58 && /^javascript:/i.test(href)
const isData = (href: string) => href.length > 4 && href.charCodeAt(4) === 58 && /^data:/i.test(href)

/** A copy: a slice would keep the whole page in memory while the URL waits. */
export function detached(text: string): string {
  return (' ' + text).slice(1)
}

type Collect = (list: LinkList, tokens: Tokenizer) => void

/** By tag id; undefined for the many tags that point nowhere. */
export const COLLECT_LINKS: readonly (Collect | undefined)[] = table({
  a: (list, tokens) => list.add(hrefOf(tokens), 'a', isNofollow(tokens)),
  area: (list, tokens) => list.add(tokens.attribute('href'), 'area', isNofollow(tokens)),
  frame: (list, tokens) => list.add(tokens.attribute('src'), 'frame'),
  iframe: (list, tokens) => list.add(tokens.attribute('src'), 'iframe'),
  form: collectForm,
  link: collectLink,
  img: (list, tokens) => list.add(tokens.attribute('src'), 'embed', false, 'image'),
  script: (list, tokens) => list.add(hrefOf(tokens, 'src'), 'embed', false, 'script'),
  source: (list, tokens) => list.add(tokens.attribute('src'), 'embed', false, mediaOf(tokens, 'media')),
  video: collectVideo,
  audio: (list, tokens) => list.add(tokens.attribute('src'), 'embed', false, 'audio'),
  embed: (list, tokens) => list.add(tokens.attribute('src'), 'embed', false, mediaOf(tokens, 'object')),
  object: (list, tokens) => list.add(tokens.attribute('data'), 'embed', false, mediaOf(tokens, 'object')),
})

function table(collectors: Record<string, Collect>): (Collect | undefined)[] {
  const byId: (Collect | undefined)[] = new Array(TAG_IDS).fill(undefined)
  for (const [name, collect] of Object.entries(collectors)) byId[tagNamed(name).id] = collect
  return byId
}

/** SVG's links are often written in another name space. */
function hrefOf(tokens: Tokenizer, name = 'href'): string | undefined {
  return tokens.attribute(name) ?? tokens.attribute('xlink:href')
}

function isNofollow(tokens: Tokenizer): boolean {
  const rel = tokens.attribute('rel')
  return rel !== undefined && /nofollow/i.test(rel) && words(rel).includes('nofollow')
}

function words(text: string): string[] {
  return text.toLowerCase().split(/[\t\n\f\r ]+/)
}

function mediaOf(tokens: Tokenizer, otherwise: string): string {
  const type = tokens.attribute('type')?.split(';', 1)[0].trim().toLowerCase() ?? ''
  return /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,80}$/.test(type) ? detached(type) : otherwise
}

/** Only forms with GET (the default) point somewhere; one that posts changes something. */
function collectForm(list: LinkList, tokens: Tokenizer): void {
  const method = tokens.attribute('method')?.toLowerCase()
  if (method === 'post' || method === 'dialog') return
  list.add(tokens.attribute('action'), 'form', isNofollow(tokens))
}

function collectVideo(list: LinkList, tokens: Tokenizer): void {
  list.add(tokens.attribute('src'), 'embed', false, 'video')
  list.add(tokens.attribute('poster'), 'embed', false, 'image')
}

/** Link types that name a page, of HTML 4 and of today. `search` is a description for programs. */
const RELATED = new Set(
  (
    'appendix author bookmark chapter contents copyright first glossary help home index last license ' +
    'privacy-policy section start subsection terms-of-service toc top up'
  ).split(' '),
)

function collectLink(list: LinkList, tokens: Tokenizer): void {
  const href = tokens.attribute('href')
  if (href === undefined) return
  const rel = words(tokens.attribute('rel') ?? '')
  const nofollow = rel.includes('nofollow')
  if (rel.includes('stylesheet')) list.add(href, 'embed', false, 'style')
  else if (rel.includes('canonical')) list.add(href, 'canonical', nofollow)
  else if (rel.includes('alternate')) list.add(href, 'alternate', nofollow, mediaOf(tokens, ''))
  else if (rel.includes('next')) list.add(href, 'next', nofollow)
  else if (rel.includes('prev') || rel.includes('previous')) list.add(href, 'prev', nofollow)
  else if (rel.includes('icon') || rel.includes('apple-touch-icon')) list.add(href, 'embed', false, 'image')
  else if (rel.includes('preload') || rel.includes('modulepreload')) list.add(href, 'embed', false, preloaded(tokens))
  else if (rel.some((word) => RELATED.has(word))) list.add(href, 'related', nofollow)
}

function preloaded(tokens: Tokenizer): string {
  const as = tokens.attribute('as')?.toLowerCase() ?? 'script'
  return /^[a-z]{1,20}$/.test(as) ? detached(as) : 'other'
}
