/** Pages as hazards and their honest neighbours write them: a template of the site's own round the words of the page. */
import { Draws, draw, drawText } from '../chance.ts'
import { type Language, paragraph, phrase, sentence } from '../language.ts'

import { splitUrl } from '../spelling.ts'

const LANGUAGES: readonly Language[] = ['en', 'pt', 'de', 'el', 'ru', 'fr']

/** Writes a body and keeps where its links lead. */
export interface Sheet {
  /** HTML as it is. */
  put(html: string): void
  /** A reference as it stands in the source, `&` unescaped; where it leads is what the platform's own URL parser says. */
  link(reference: string, text?: string): void
  /** The attribute as it stands in the source, entities and all; `reference` is what a browser makes of it. */
  rawLink(attribute: string, reference: string, text?: string): void
  /** The same key, the same prose. */
  prose(key: string, paragraphs: number): void
  /** A sentence of `words` words that belongs to the key. */
  line(key: string, words: number): string
}

export interface Written {
  targets: string[]
  words: string
  body: string
}

/** Any host will do: what matters is whether a reference leaves it. */
const HERE = 'http://here.invalid'

/** The shape's own draws from the site's: `choice(seed, 3, 4)` is the third question, with four answers. */
export function choice(seed: number, question: number, answers: number): number {
  return draw(seed, 0x5a9e, question) % answers
}

export function pick<T>(seed: number, question: number, list: readonly T[]): T {
  return list[choice(seed, question, list.length)]
}

export function languageOf(seed: number): Language {
  return LANGUAGES[draw(seed, 1) % LANGUAGES.length]
}

/** A whole page: head, masthead, menu, what `build` writes, foot. Sites of different seeds have different templates. */
export function sheet(seed: number, path: string, title: string, build: (sheet: Sheet) => void): Written {
  const language = languageOf(seed)
  const targets: string[] = []
  let html = ''
  const base = HERE + path
  const note = (reference: string) => {
    const to = new URL(reference, base)
    const split = splitUrl(to.href)
    targets.push(split.host === 'here.invalid' ? split.path : `${split.scheme}://${split.host}${split.path}`)
  }
  const pen: Sheet = {
    put: (text) => {
      html += text
    },
    link(reference, text = phrase(language, new Draws(drawText(seed, reference)))) {
      this.rawLink(reference.replaceAll('&', '&amp;').replaceAll('"', '&quot;'), reference, text)
    },
    rawLink(attribute, reference, text = 'go') {
      note(reference)
      html += ` <a href="${attribute}">${text}</a>\n`
    },
    prose(key, paragraphs) {
      const draws = new Draws(drawText(seed, key))
      for (let i = 0; i < paragraphs; i++) html += `<p>${paragraph(language, draws)}</p>\n`
    },
    line: (key, words) => sentence(language, new Draws(drawText(seed, key)), words),
  }
  const name = phrase(language, new Draws(draw(seed, 0x7e9)))
  const [open, close] = pick(seed, 0x7ea, FRAMES)
  html += `<!DOCTYPE html>\n<html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)} – ${name}</title>`
  html += `<link rel="stylesheet" href="/style.css"></head>\n<body>${open}<h1>${escapeHtml(title)}</h1>\n`
  pen.link('/', name)
  build(pen)
  html += `${close}<p class="foot">${pen.line('foot', 14)}</p></body></html>\n`
  return { targets, words: title, body: html }
}

/** A page to be collected. */
export function realSheet(...args: Parameters<typeof sheet>): Written & { sort: 'real' } {
  return { ...sheet(...args), sort: 'real' }
}

const FRAMES = [
  ['<div id="wrap"><div class="main">', '</div></div>'],
  ['<table width="100%"><tr><td class="content">', '</td></tr></table>'],
  ['<main><article class="entry">', '</article></main>'],
  ['<center><font face="Arial">', '</font></center>'],
] as const

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Letters as they stand in ids: `length` of `alphabet`, drawn from a number. */
export function token(seed: number, number: number, length: number, alphabet = '0123456789abcdef'): string {
  const draws = new Draws(draw(seed, number, 0x70c))
  let text = ''
  while (text.length < length) text += alphabet[draws.below(alphabet.length)]
  return text
}

const ONSETS = 'b br c cl d f fl g gr h l m n p qu r s st t v'.split(' ')
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou']
const ENDS = ['', 'ck', 'm', 'n', 'nt', 'r', 'rd', 's', 'st', 'x']

/** A word that might be one, for names of paths. */
export function madeUpWord(draws: Draws): string {
  let word = ''
  for (let i = 1 + draws.below(2); i >= 0; i--)
    word += ONSETS[draws.below(ONSETS.length)] + VOWELS[draws.below(VOWELS.length)]
  return word + ENDS[draws.below(ENDS.length)]
}

/** A name in words: `flount-grax`, the same for the same number. */
export function slug(seed: number, number: number, words = 3): string {
  const draws = new Draws(draw(seed, number, 0x51c6))
  return Array.from({ length: words }, () => madeUpWord(draws)).join('-')
}

export interface Asked {
  /** Without the query. */
  file: string
  /** In order, as they stand. */
  parameters: [name: string, value: string][]
}

/** A path and its parameters, undecoded. */
export function readPath(path: string): Asked {
  const mark = path.indexOf('?')
  if (mark < 0) return { file: path, parameters: [] }
  const parts = path.slice(mark + 1).split('&')
  const parameters = parts.map((part): [string, string] => {
    const equals = part.indexOf('=')
    return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
  })
  return { file: path.slice(0, mark), parameters }
}

export function withParameters(file: string, parameters: readonly (readonly [string, string])[]): string {
  return parameters.length === 0 ? file : `${file}?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** A whole number in plain decimal and within 0 … most; undefined for anything else. */
export function readNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^(0|[1-9]\d{0,8})$/.test(text)) return undefined
  const number = Number(text)
  return number <= max ? number : undefined
}
