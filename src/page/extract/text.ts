/**
 * Text as a reader sees it: white space folded, a line for each block, no control characters, no strings that are no words.
 * Written letter by letter into one buffer, with the words' hashes for the simhash taken in passing.
 *
 * A string of over 30 characters without white space is left out (V14): encoded data, URLs, code without spaces would make
 * classifiers err. Scripts that are written without spaces (Han, Kana, Thai, Khmer …) are not such strings: each of their
 * letters is a word by itself (`characters.ts`) and ends the string before it, so that only a long run of *other* letters
 * amid them goes. The price is the longest words there are: German's of 39 letters, as in the paper.
 */
import type { Gap } from '../parse/tags.ts'
import { KIND, KIND_OF } from './characters.ts'
import { Simhash } from './simhash.ts'

export const MOST_TEXT = 1_000_000
/** Characters of a string that may be a word. */
export const LONGEST_WORD = 30

const SPACE = 32
const LF = 10
const { digit, white, glyph, nothing } = KIND

/** Characters folded at a time: so many words at most come of them. */
const PIECE = 1024

/** Reading is synchronous, so that one buffer a thread is enough: 128 KB at first, 2 MB at most. */
let buffer = new Uint16Array(64 * 1024)
/** Words on their way to the simhash: two tight loops take half the time of one that does everything. */
const words = new Int32Array(2 * PIECE + LONGEST_WORD + 1)
/** Beside each word: 1 when it has a digit. */
const numeric = new Uint8Array(words.length)

export interface FoldedText {
  text: string
  simhash: bigint
  shape: bigint
  /** Letters of scripts without spaces count as words. */
  words: number
  /** Characters that were left out, in how many strings. */
  leftOut: number
  strings: number
}

export class TextFolder {
  /** True when there was more text than is kept. */
  cut = false
  readonly #most: number
  readonly #simhash = new Simhash()
  #length = 0
  #words = 0
  #gap: Gap = 0
  /** Hash of the word that is being read; 0 between words. */
  #word = 0
  /** 1 when it has a digit. */
  #digits = 0
  /** Where the string that is being read began: in the text, and among the words that wait. */
  #string = 0
  #stringWords = 0
  #leftOut = 0
  #strings = 0
  /** All letters, by `or`: under 256, the text fits in bytes. */
  #bits = 0

  constructor(most = MOST_TEXT) {
    this.#most = most
  }

  /** A tag that parts what stands before it from what follows. */
  part(gap: Gap): void {
    if (gap === 0) return
    if (gap > this.#gap) this.#gap = gap
    this.#breakWord()
  }

  add(input: string, from: number, to: number): void {
    for (let at = from; at < to && !this.cut; at += PIECE) {
      if (this.#words > PIECE) this.#hashWords()
      if (this.#length - this.#string > PIECE) this.#shorten()
      this.#fold(input, at, this.#room(at, Math.min(to, at + PIECE)))
    }
  }

  /** The hottest loop of reading: about 4 ns a character (an array of code units instead of the string gains nothing). Kinds are compared in order of frequency. */
  #fold(input: string, from: number, to: number): void {
    const out = buffer
    const hashes = words
    const kinds = KIND_OF
    let length = this.#length
    let count = this.#words
    let gap = this.#gap
    let word = this.#word
    let digits = this.#digits
    let string = this.#string
    let stringWords = this.#stringWords
    let bits = this.#bits
    let at = from
    while (at < to) {
      let code = input.charCodeAt(at)
      let kind = kinds[code]
      if (kind > digit) {
        at++
        if (kind === nothing) continue
        if (word !== 0) {
          numeric[count] = digits
          hashes[count++] = word
          word = 0
          digits = 0
        }
        if (kind === white) {
          if (gap === 0) gap = 1
          continue
        }
      }
      if (gap !== 0) {
        if (length - string > LONGEST_WORD) {
          this.#leaveOut(length - string)
          length = string
          count = stringWords
          // The gap before it does for both.
          if (length > 0 && out[length - 1] <= SPACE) {
            if (gap === 2) out[length - 1] = LF
            gap = 0
          }
        }
        if (gap !== 0) {
          if (length > 0) out[length++] = gap === 1 ? SPACE : LF
          gap = 0
        }
        string = length
        stringWords = count
      }
      if (kind > digit) {
        if (kind === glyph) {
          if (length - string > LONGEST_WORD) {
            this.#leaveOut(length - string)
            length = string
            count = stringWords
          }
          numeric[count] = 0
          hashes[count++] = code
          string = length + 1
          stringWords = count
        }
        out[length++] = code
        bits |= code
        continue
      }
      // The letters of a word: nothing else needs to be asked between them.
      do {
        out[length++] = code
        bits |= code
        // In ASCII and Latin-1 one bit is the letter's case.
        word = (Math.imul(word, 65599) + (code < 256 ? code | 0x20 : code)) | 0
        digits |= kind
        if (++at === to) break
        code = input.charCodeAt(at)
        kind = kinds[code]
      } while (kind <= digit)
    }
    this.#length = length
    this.#words = count
    this.#gap = gap
    this.#word = word
    this.#digits = digits
    this.#string = string
    this.#stringWords = stringWords
    this.#bits = bits
  }

  finish(): FoldedText {
    this.#breakWord()
    if (this.#length - this.#string > LONGEST_WORD) {
      this.#leaveOut(this.#length - this.#string)
      this.#length = this.#string
      this.#words = this.#stringWords
      if (this.#length > 0 && buffer[this.#length - 1] <= SPACE) this.#length--
    }
    this.#stringWords = this.#words
    this.#hashWords()
    // A pair cut in two by the bound is left out.
    if (this.#length > 0 && (buffer[this.#length - 1] & 0xfc00) === 0xd800) this.#length--
    return {
      text: this.#text(),
      simhash: this.#simhash.value(),
      shape: this.#simhash.shape(),
      words: this.#simhash.count,
      leftOut: this.#leftOut,
      strings: this.#strings,
    }
  }

  #text(): string {
    const letters = buffer.subarray(0, this.#length)
    if (this.#bits < 256) return Buffer.from(letters).toString('latin1')
    return Buffer.from(letters.buffer, 0, this.#length * 2).toString('utf16le')
  }

  #leaveOut(characters: number): void {
    this.#leftOut += characters
    this.#strings++
  }

  /** A string that will be left out need not fill the buffer meanwhile. */
  #shorten(): void {
    const rest = this.#string + LONGEST_WORD + 1
    this.#leftOut += this.#length - rest
    this.#length = rest
    this.#words = this.#stringWords
  }

  #breakWord(): void {
    if (this.#word === 0) return
    if (this.#words > PIECE) this.#hashWords()
    numeric[this.#words] = this.#digits
    words[this.#words++] = this.#word
    this.#word = 0
    this.#digits = 0
  }

  /** All but those of the string that is being read: it may turn out to be none. */
  #hashWords(): void {
    if (this.#length - this.#string > LONGEST_WORD) this.#words = this.#stringWords
    const whole = this.#stringWords
    this.#simhash.words(words, numeric, whole)
    words.copyWithin(0, whole, this.#words)
    numeric.copyWithin(0, whole, this.#words)
    this.#words -= whole
    this.#stringWords = 0
  }

  /** Makes room for what is between `from` and `to`, and returns the `to` that fits. */
  #room(from: number, to: number): number {
    // A letter takes one place, and the gap before the first of them another.
    const left = Math.max(0, this.#most - this.#length - 1)
    if (to - from > left) {
      this.cut = true
      to = from + left
    }
    const needed = this.#length + to - from + 1
    if (needed > buffer.length) {
      const grown = new Uint16Array(Math.max(needed, buffer.length * 2))
      grown.set(buffer.subarray(0, this.#length))
      buffer = grown
    }
    return to
  }
}
