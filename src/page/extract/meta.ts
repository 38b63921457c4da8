/** What `<meta>` says to a crawler: robots directives as written, a refresh, a language. */

import { isSpace } from '../parse/letters.ts'
import type { Tokenizer } from '../parse/tokenizer.ts'
import { detached, type LinkList } from './links.ts'

export interface RobotsMeta {
  /** `robots`, or the name of the crawler it is meant for; trimmed, lower case. */
  name: string
  /** As written, at most 1,000 characters. */
  content: string
}

/** Pages have one or two. */
const MAX_ROBOTS = 32
const LONGEST_CONTENT = 1000
const LONGEST_NAME = 100

/** Our token is not known here: everything that looks like a directive is passed on with its name. */
const DIRECTIVE = /\b(?:no)?(?:index|follow|archive|snippet|cache|imageindex)\b|\b(?:none|all|unavailable_after)\b/i

export class MetaFacts {
  readonly robots: RobotsMeta[] = []
  contentLanguage: string | undefined

  add(tokens: Tokenizer, links: LinkList): void {
    const content = tokens.attribute('content')
    if (content === undefined) return
    const name = tokens.attribute('name')
    if (name !== undefined) this.#addRobots(name, content)
    switch (tokens.attribute('http-equiv')?.toLowerCase()) {
      case 'refresh':
        links.add(parseRefresh(content)?.url, 'refresh')
        break
      case 'content-language':
        this.contentLanguage ??= languageTag(content)
        break
    }
  }

  #addRobots(written: string, content: string): void {
    if (written.length > LONGEST_NAME || this.robots.length >= MAX_ROBOTS) return
    const name = written.trim().toLowerCase()
    const kept = content.slice(0, LONGEST_CONTENT)
    if (name !== 'robots' && !DIRECTIVE.test(kept)) return
    this.robots.push({ name: detached(name), content: detached(kept) })
  }
}

/** `pt-BR`, also from `pt_BR` and from the first of a list; undefined when it is not a language tag. */
export function languageTag(written: string): string | undefined {
  const first = written.slice(0, 200).split(',', 1)[0].trim().replaceAll('_', '-')
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,5}$/.test(first) ? detached(first) : undefined
}

/** `<meta http-equiv=refresh content=…>`, as the standard's "shared declarative refresh steps" read it. */

export interface Refresh {
  seconds: number
  /** Undefined: the page reloads itself. */
  url: string | undefined
}

const isDigit = (letter: string) => letter >= '0' && letter <= '9'

export function parseRefresh(content: string): Refresh | undefined {
  let at = skip(content, 0, isSpaceLetter)
  const digitsFrom = at
  at = skip(content, at, isDigit)
  if (at === digitsFrom && content[at] !== '.') return undefined
  const seconds = Number(content.slice(digitsFrom, at) || '0')
  at = skip(content, at, (letter) => isDigit(letter) || letter === '.')
  if (at >= content.length) return { seconds, url: undefined }
  const separator = content[at]
  if (separator !== ';' && separator !== ',' && !isSpaceLetter(separator)) return undefined
  at = skip(content, at, isSpaceLetter)
  if (content[at] === ';' || content[at] === ',') at++
  at = skip(content, at, isSpaceLetter)
  return { seconds, url: at >= content.length ? undefined : target(content, at) }
}

/** `url=` may be missing, and quotes may be unclosed. */
function target(content: string, from: number): string {
  let at = from
  if (/^u/i.test(content[at])) {
    if (content.slice(at, at + 3).toLowerCase() !== 'url') return content.slice(from)
    at = skip(content, at + 3, isSpaceLetter)
    if (content[at] !== '=') return content.slice(from)
    at = skip(content, at + 1, isSpaceLetter)
  }
  const quote = content[at]
  if (quote !== '"' && quote !== "'") return content.slice(at)
  const end = content.indexOf(quote, at + 1)
  return content.slice(at + 1, end < 0 ? undefined : end)
}

function isSpaceLetter(letter: string): boolean {
  return isSpace(letter.charCodeAt(0))
}

function skip(text: string, at: number, wanted: (letter: string) => boolean): number {
  while (at < text.length && wanted(text[at])) at++
  return at
}
