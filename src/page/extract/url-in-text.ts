/** URLs that plain text names: whole ones of http and https only, since nothing else is told from prose. */
import { type LinkList, LONGEST_HREF } from './links.ts'

/** What ends a URL in prose. */
const NOT_IN_URL = /[\s<>"'`{}|\\^\0-\x1f\x7f-\xa0\u2018-\u201f\u3000-\u303f\uff00-\uffef]/g

export function collectUrls(text: string, links: LinkList): void {
  for (let at = 0; ; ) {
    const found = text.indexOf('://', at)
    if (found < 0) return
    at = found + 3
    const from = schemeStart(text, found)
    if (from < 0) continue
    NOT_IN_URL.lastIndex = at
    // What is longer than any URL is not looked through again and again: the search goes on after it.
    const end = NOT_IN_URL.exec(text)?.index ?? text.length
    at = end
    const href = end - from > LONGEST_HREF ? text.slice(from, end) : trimmed(text.slice(from, end))
    if (/^https?:\/\/[^/?#:@.-]/i.test(href)) links.add(href, 'text')
  }
}

function schemeStart(text: string, colon: number): number {
  for (const scheme of ['http', 'https']) {
    const from = colon - scheme.length
    if (from < 0 || text.slice(from, colon).toLowerCase() !== scheme) continue
    if (from === 0 || !/[a-z0-9+.-]/i.test(text[from - 1])) return from
  }
  return -1
}

/** The full stop of a sentence and the bracket around a URL do not belong to it, unless the bracket was opened inside. */
function trimmed(href: string): string {
  let round = surplus(href, '(', ')')
  let square = surplus(href, '[', ']')
  let end = href.length
  for (; end > 0; end--) {
    const last = href[end - 1]
    if (last === ')') {
      if (round-- <= 0) break
    } else if (last === ']') {
      if (square-- <= 0) break
    } else if (!'.,;:!?*_~'.includes(last)) break
  }
  return href.slice(0, end)
}

/** How many more closing brackets there are than opening ones. */
function surplus(text: string, open: string, close: string): number {
  let more = 0
  for (const letter of text) more += letter === close ? 1 : letter === open ? -1 : 0
  return more
}
