/**
 * Reads the bytes of a page, as what they are and not as what they are declared to be (`sniff.ts`). Pure, linear in the
 * bytes; never throws. Long pages are read in stretches, so that others get the thread.
 */
import { runThrough, type Stretches } from '../base/stretches.ts'
import { foldedText, type Gathered, gather, gatherNothing, gatherText } from './extract/gather.ts'
import { charsetOf, decode } from './parse/charset.ts'
import { essenceOf, howToRead, mediaKind, type ReadAs } from './sniff.ts'
import type { Trouble } from './troubles.ts'

export type { Signature } from './extract/gather.ts'
export type { FoundLink, LinkKind } from './extract/links.ts'
export type { RobotsMeta } from './extract/meta.ts'
export { type HowToRead, howToRead, type ReadAs } from './sniff.ts'
export { TROUBLES, type Trouble } from './troubles.ts'

export interface PageBytes {
  /** As the server declares it; '' when it does not. */
  mediaType: string
  /** As written in the HTTP header. */
  charset: string | undefined
  /** Without the content coding. */
  bytes: Uint8Array
}

export interface Reading extends Gathered {
  /** As declared, without parameters, in lower case. */
  mediaType: string
  /** How it was read; `none`: not at all, everything is empty. */
  as: ReadAs
  /** What the bytes are, when that is not what `mediaType` says. */
  sniffed: string | undefined
  /** As the Encoding Standard names it, in lower case; '' for what is not text. */
  charset: string
}

/** The media types that are read when their bytes agree. Of others, only bytes that turn out to be a page are. */
export function isReadable(mediaType: string): boolean {
  const essence = essenceOf(mediaType)
  return mediaKind(essence) === 'html' || essence === 'text/plain'
}

/**
 * Any answer's bytes. 15 KB of HTML with 40 links take 65 to 75 µs where text is most of the page, 95 where every line
 * has tags, numbers and references (on a busy 2-core machine). Of the 70: decoding 5, tokens 11, links 8, recording
 * where text is 5, folding it 7, simhash and shape 16 to 28, digest 2.
 */
export function readPage(input: PageBytes): Reading {
  return runThrough(readInTurns(input))
}

export function* readInTurns(input: PageBytes): Stretches<Reading> {
  const mediaType = essenceOf(input.mediaType)
  const { as, sniffed } = howToRead(mediaType, input.bytes)
  if (as === 'none')
    return { mediaType, as, sniffed, charset: '', ...gatherNothing(troublesOfUnread(mediaType, sniffed)) }
  const { text, charset } = decode(input.bytes, input.charset)
  const gathered = as === 'text' ? gatherText(text) : yield* gather(text, as === 'xhtml')
  return { mediaType, as, sniffed, charset, ...gathered }
}

/**
 * The text that a page's signature is of, without the strings of over 30 characters that only the signature sees (V14).
 * A crawl needs signatures only, and long strings fill the memory: callers that need the text call `readText`. `own`:
 * without the words in links to other pages.
 */
export function readText(input: PageBytes, part: 'all' | 'own' = 'all'): string {
  const { as } = howToRead(essenceOf(input.mediaType), input.bytes)
  return as === 'none' ? '' : foldedText(decode(input.bytes, input.charset).text, as, part)
}

export interface Characters {
  /** As the Encoding Standard names it, in lower case; '' for what is not text. */
  charset: string
  utf8: Uint8Array
}

/** The characters that a browser would show, in UTF-8. Bytes that are not text stay as they are. */
export function readCharacters(input: PageBytes): Characters {
  const essence = essenceOf(input.mediaType)
  const { as, sniffed } = howToRead(essence, input.bytes)
  const kind = mediaKind(essence)
  const isText = as !== 'none' || (sniffed === undefined && (kind === 'text' || kind === 'xml'))
  if (!isText) return { charset: '', utf8: input.bytes }
  const { charset } = charsetOf(input.bytes, input.charset)
  if (charset === 'utf-8') return { charset, utf8: input.bytes }
  return { charset, utf8: new TextEncoder().encode(decode(input.bytes, input.charset).text) }
}

/** Binary data where text was declared. */
function troublesOfUnread(declared: string, sniffed: string | undefined): Trouble[] {
  if (sniffed === undefined || !isReadable(declared)) return []
  return mediaKind(sniffed) === 'xml' ? [] : ['binary']
}
