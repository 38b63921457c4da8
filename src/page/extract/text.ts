/**
 * Text as a reader sees it: white space folded, a line for each block, no control characters. Written letter by letter
 * into one buffer, with the words' hashes for the simhash taken in passing.
 */
import type { Gap } from '../parse/tags.ts'
import { KIND, KIND_OF } from './characters.ts'
import { Simhash } from './simhash.ts'

export const MOST_TEXT = 1_000_000

const SPACE = 32
const LF = 10
const { letter, white, glyph, nothing } = KIND

/** Characters folded at a time: so many words at most come of them. */
const PIECE = 1024

/** Reading is synchronous, so that one buffer a thread is enough: 128 KB at first, 2 MB at most. */
let buffer = new Uint16Array(64 * 1024)
/** Words on their way to the simhash: two tight loops take half the time of one that does everything. */
const words = new Int32Array(2 * PIECE + 1)

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
    to = this.#room(from, to)
    for (let at = from; at < to; at += PIECE) {
      if (this.#words > PIECE) this.#hashWords()
      this.#fold(input, at, Math.min(to, at + PIECE))
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
    let bits = this.#bits
    for (let at = from; at < to; at++) {
      const code = input.charCodeAt(at)
      const kind = kinds[code]
      if (kind !== letter) {
        if (kind === nothing) continue
        if (word !== 0) {
          hashes[count++] = word
          word = 0
        }
        if (kind === white) {
          if (gap === 0) gap = 1
          continue
        }
      }
      if (gap !== 0) {
        if (length > 0) out[length++] = gap === 1 ? SPACE : LF
        gap = 0
      }
      out[length++] = code
      bits |= code
      // In ASCII and Latin-1 one bit is the letter's case.
      if (kind === letter) word = (Math.imul(word, 65599) + (code < 256 ? code | 0x20 : code)) | 0
      else if (kind === glyph) hashes[count++] = code
    }
    this.#length = length
    this.#words = count
    this.#gap = gap
    this.#word = word
    this.#bits = bits
  }

  finish(): { text: string; simhash: bigint } {
    this.#breakWord()
    this.#hashWords()
    // A pair cut in two by the bound is left out.
    if (this.#length > 0 && (buffer[this.#length - 1] & 0xfc00) === 0xd800) this.#length--
    return { text: this.#text(), simhash: this.#simhash.value() }
  }

  #text(): string {
    const letters = buffer.subarray(0, this.#length)
    if (this.#bits < 256) return Buffer.from(letters).toString('latin1')
    return Buffer.from(letters.buffer, 0, this.#length * 2).toString('utf16le')
  }

  #breakWord(): void {
    if (this.#word === 0) return
    if (this.#words > PIECE) this.#hashWords()
    words[this.#words++] = this.#word
    this.#word = 0
  }

  #hashWords(): void {
    this.#simhash.words(words, this.#words)
    this.#words = 0
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
