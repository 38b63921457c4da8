/**
 * What `text.ts` does by `assembly/`, for processors without WebAssembly's vectors, and for tests to compare with: one character
 * at a time, in plain strings. A page takes several times as long.
 */
import { textHash } from '../../base/digest.ts'
import type { Gap } from '../parse/tags.ts'
import { dateWords, KIND, kindsOfCharacters, wordHash } from './characters.ts'

/** Makes the text of a page from its parts. */
export interface TextFolder {
  /** There was more text than is kept; known after `finish`. */
  readonly cut: boolean
  /** A tag that separates the text before it from what follows. */
  part(gap: Gap): void
  /** Part after part of a page; or a whole text made from one of its parts. */
  add(input: string, from: number, to: number): void
  finish(): FoldedText
  /** After `finish`, and before another text begins. */
  text(): string
}

export interface FoldedText {
  /** Characters. */
  length: number
  /** `textHash` of the text with the strings that are left out of it. */
  digest: bigint
  /** With the words in strings of up to 256 characters that are left out. */
  simhash: bigint
  shape: bigint
  /** Of the text, without what is left out. Letters of scripts without spaces count as words. */
  words: number
  /** Characters that were left out, in how many strings. */
  leftOut: number
  strings: number
  /** Characters of the text with those strings of up to 256 characters, and the gaps around them. */
  named: number
  /** A hash of each line of the text; what is behind the first 8,192 lines is one more. */
  lines: Uint32Array
  /** Of the hashes of the shingles of three words, the smallest in each of 64 bins; 65,535: none. */
  minima: Uint16Array
}
const MAX_TEXT = 1_000_000
/** Characters between checks of the room that is left. */
const PIECE = 1024
const MAX_LINES = 8192
const BINS = 64
const LONGEST_WORD = 30
const LONGEST_NAME = 256
const MAX_LETTERS = 64
/** The word for numbers and dates. */
const NUMBER = 0x23232323
const GAPS = ['', ' ', '\n'] as const

const KIND_OF = kindsOfCharacters()
const DATES = new Set(dateWords())

export class PlainFolder implements TextFolder {
  cut = false
  readonly #max: number
  #text = ''
  /** The text with the strings that are left out of it. */
  #whole = ''
  /** Characters without white space between them, and what is before them. */
  #string = ''
  #stringGap: Gap = 0
  /** What separates the text from the next that is added to it, and the string from what follows. */
  #textGap: Gap = 0
  #gap: Gap = 0
  readonly #words = new Votes()
  /** The same with each run of numbers as one. */
  readonly #shape = new Votes()
  #wasNumber = false
  #wordCount = 0
  #leftOut = 0
  #strings = 0
  /** Characters of strings that are longer than a name. */
  #data = 0

  constructor(max = MAX_TEXT) {
    this.#max = Math.min(max, MAX_TEXT)
  }

  part(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }

  add(input: string, from: number, to: number): void {
    for (let at = from; at < to && !this.cut; at += PIECE) {
      if (this.#string.length > PIECE) this.#shorten()
      const wanted = Math.min(to - at, PIECE)
      // One each, and one for the gap before the first.
      const room = Math.max(0, this.#max - this.#length - 1)
      this.cut = wanted > room
      for (let i = at; i < at + Math.min(wanted, room); i++) this.#add(input[i], KIND_OF[input.charCodeAt(i)])
    }
  }

  finish(): FoldedText {
    const endsInData = this.#string.length > LONGEST_WORD
    this.#endString()
    // A surrogate pair cut by the limit is left out.
    if (endsInHalf(this.#text)) this.#text = this.#text.slice(0, -1)
    if (!endsInData && endsInHalf(this.#whole)) this.#whole = this.#whole.slice(0, -1)
    return {
      length: this.#text.length,
      digest: textHash(this.#whole),
      simhash: this.#words.majority(),
      shape: this.#shape.majority(),
      words: this.#wordCount,
      leftOut: this.#leftOut,
      strings: this.#strings,
      named: this.#whole.length - this.#data,
      lines: linesOf(this.#text),
      minima: this.#words.minima,
    }
  }

  text(): string {
    return this.#text
  }

  /** With what waits to be added. */
  get #length(): number {
    return this.#text.length + (this.#textGap === 0 ? 0 : 1) + this.#string.length
  }

  #add(character: string, kind: number): void {
    if (kind === KIND.nothing) return
    if (kind === KIND.white) {
      this.part(1)
      return
    }
    if (this.#gap > 0 || kind === KIND.glyph) this.#endString()
    if (this.#string === '') {
      this.#stringGap = this.#gap
      if (this.#text !== '' && this.#gap > this.#textGap) this.#textGap = this.#gap
      this.#gap = 0
    }
    this.#string += character
    if (kind === KIND.glyph) this.#endString()
  }

  #endString(): void {
    const string = this.#string
    if (string === '') return
    this.#digest(string)
    const isNamed = string.length <= LONGEST_NAME
    const words = isNamed ? this.#hashWords(string) : 0
    if (!isNamed) this.#data += string.length
    if (string.length > LONGEST_WORD) {
      this.#leftOut += string.length
      this.#strings++
    } else {
      this.#text += GAPS[this.#textGap] + string
      this.#textGap = 0
      this.#wordCount += words
    }
    this.#string = ''
  }

  /** A string that will be left out need not fill the text: only its last characters stay, too many for a name. */
  #shorten(): void {
    const less = this.#string.length - LONGEST_NAME - 1
    this.#digest(this.#string.slice(0, less))
    this.#string = this.#string.slice(less)
    this.#leftOut += less
    this.#data += less
  }

  #digest(part: string): void {
    this.#whole += (this.#whole === '' ? '' : GAPS[this.#stringGap]) + part
    this.#stringGap = 0
  }

  #hashWords(string: string): number {
    let count = 0
    for (let at = 0; at < string.length; ) {
      let behind = at
      let hasDigit = false
      for (; behind < string.length && behind - at < MAX_LETTERS; behind++) {
        const kind = KIND_OF[string.charCodeAt(behind)]
        if (kind !== KIND.letter && kind !== KIND.digit) break
        hasDigit ||= kind === KIND.digit
      }
      if (behind > at) this.#word(wordHash(string.slice(at, behind)), hasDigit)
      else if (KIND_OF[string.charCodeAt(at)] === KIND.glyph) this.#word(string.charCodeAt(at), false)
      else count--
      count++
      at = Math.max(behind, at + 1)
    }
    return count
  }

  #word(hash: number, hasDigit: boolean): void {
    this.#words.add(hash)
    const isNumber = hasDigit || DATES.has(hash)
    if (!isNumber) this.#shape.add(hash)
    else if (!this.#wasNumber) this.#shape.add(NUMBER)
    this.#wasNumber = isNumber
  }
}

/** In the first half of a pair. */
function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
}

/** One vote per bit for each shingle of three words, and the smallest shingle of each bin. */
class Votes {
  readonly minima = new Uint16Array(BINS).fill(0xffff)
  readonly #votes = new Int32Array(64)
  #count = 0
  #before = 0
  #last = 0

  add(word: number): void {
    const [a, b, c] = [this.#before, this.#last, word]
    const low = mixed(Math.imul(a, 0x2c1b3c6d) + Math.imul(b, 0x297a2d39) + c)
    const high = mixed(Math.imul(a, 0x165667b1) + Math.imul(b, 0x7feb352d) + Math.imul(c, 0x27d4eb2f))
    const bin = low & (BINS - 1)
    this.minima[bin] = Math.min(this.minima[bin], low >>> 16)
    for (let bit = 0; bit < 32; bit++) {
      this.#votes[bit] += (low >>> bit) & 1
      this.#votes[32 + bit] += (high >>> bit) & 1
    }
    this.#count++
    this.#before = b
    this.#last = c
  }

  majority(): bigint {
    let hash = 0n
    for (let bit = 0; bit < 64; bit++) if (this.#votes[bit] * 2 > this.#count) hash |= 1n << BigInt(bit)
    return hash
  }
}

function linesOf(text: string): Uint32Array {
  const hashes = text.split('\n').filter(Boolean).map(lineHash)
  const lines = Uint32Array.from(hashes.slice(0, MAX_LINES))
  for (const hash of hashes.slice(MAX_LINES)) lines[MAX_LINES - 1] += hash
  return lines
}

/** Two characters in each of four lanes; at least one place behind the last is filled with nothing. */
function lineHash(line: string): number {
  const units = new Uint16Array((Math.floor(line.length / 8) + 1) * 8)
  for (let at = 0; at < line.length; at++) units[at] = line.charCodeAt(at)
  const pairs = new Int32Array(units.buffer)
  let sum = line.length
  for (const [lane, multiplier] of [1, 0x2c1b3c6d, 0x297a2d39, 0x165667b1].entries()) {
    let hash = 0
    for (let i = lane; i < pairs.length; i += 4) {
      hash = Math.imul(hash ^ pairs[i], 0x85ebca6b)
      hash ^= hash >>> 15
    }
    sum = (sum + Math.imul(hash, multiplier)) | 0
  }
  return mixed(sum)
}

function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
