/**
 * The charset that a page declares near its beginning: the standard's prescan, made with our tokenizer (which, like the
 * prescan, sees tags inside scripts as long as nobody tells it that they are scripts).
 */
import { isSpace } from './letters.ts'
import { tagNamed } from './tags.ts'
import { TOKEN, Tokenizer } from './tokenizer.ts'

/** How far the standard looks. */
export const PRESCAN_BYTES = 1024
/** How far we look before we resort to guessing. */
export const LATE_BYTES = 64 * 1024

const META = tagNamed('meta')

export type EncodingOf = (label: string) => string | undefined

export function declaredCharset(bytes: Uint8Array, limit: number, encodingOf: EncodingOf): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, limit)).toString('latin1')
  const tokens = new Tokenizer(head)
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return xmlCharset(head, encodingOf)
    if (token !== TOKEN.startTag || tokens.tag !== META) continue
    const label = metaLabel(tokens)
    const encoding = label === undefined ? undefined : encodingOf(label)
    if (encoding !== undefined) return readable(encoding)
  }
}

/** Who can read the declaration is not reading UTF-16; and nobody means x-user-defined. */
function readable(encoding: string): string {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return 'utf-8'
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding
}

function metaLabel(tokens: Tokenizer): string | undefined {
  const charset = tokens.attribute('charset')
  if (charset !== undefined) return charset
  if (tokens.attribute('http-equiv')?.toLowerCase() !== 'content-type') return undefined
  return charsetInContent(tokens.attribute('content') ?? '')
}

/** `text/html; charset=…`, as the standard extracts it. */
export function charsetInContent(content: string): string | undefined {
  const lower = content.toLowerCase()
  for (let at = 0; ; ) {
    at = lower.indexOf('charset', at)
    if (at < 0) return undefined
    at = skipSpace(content, at + 7)
    if (content[at] !== '=') continue
    at = skipSpace(content, at + 1)
    const quote = content[at]
    if (quote === '"' || quote === "'") {
      const end = content.indexOf(quote, at + 1)
      return end < 0 ? undefined : content.slice(at + 1, end)
    }
    let end = at
    while (end < content.length && content[end] !== ';' && !isSpace(content.charCodeAt(end))) end++
    return content.slice(at, end)
  }
}

/** `<?xml … encoding="…"?>`, where nothing else is said. */
function xmlCharset(head: string, encodingOf: EncodingOf): string | undefined {
  if (!head.startsWith('<?xml')) return undefined
  const end = head.indexOf('>')
  const label = end < 0 ? undefined : /\sencoding\s?=\s?["']([^"']{1,64})["']/.exec(head.slice(0, end))?.[1]
  const encoding = label === undefined ? undefined : encodingOf(label)
  return encoding === undefined ? undefined : readable(encoding)
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}
