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
const { white, mark, glyph, nothing } = KIND

/** Reading is synchronous, so that one buffer a thread is enough: 128 KB at first, 2 MB at most. */
let buffer = new Uint16Array(64 * 1024)

export class TextFolder {
  /** True when there was more text than is kept. */
  cut = false
  readonly #most: number
  readonly #simhash = new Simhash()
  #length = 0
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
    this.#endWord()
  }

  add(input: string, from: number, to: number): void {
    to = this.#room(from, to)
    const out = buffer
    let length = this.#length
    let gap = this.#gap
    let word = this.#word
    let bits = this.#bits
    for (let at = from; at < to; at++) {
      const code = input.charCodeAt(at)
      const kind = KIND_OF[code]
      if (kind === nothing) continue
      if (kind !== 0 && word !== 0) {
        this.#simhash.word(word)
        word = 0
      }
      if (kind === white) {
        if (gap === 0) gap = 1
        continue
      }
      if (gap !== 0) {
        if (length > 0) out[length++] = gap === 1 ? SPACE : LF
        gap = 0
      }
      out[length++] = code
      bits |= code
      if (kind === mark) continue
      // In ASCII and Latin-1 one bit is the letter's case. The last `or` keeps 0 for "between words".
      word = Math.imul(word ^ (code < 256 ? code | 0x20 : code), 0x01000193) | 1
      if (kind === glyph) {
        this.#simhash.word(word)
        word = 0
      }
    }
    this.#length = length
    this.#gap = gap
    this.#word = word
    this.#bits = bits
  }

  finish(): { text: string; simhash: bigint } {
    this.#endWord()
    // A pair cut in two by the bound is left out.
    if (this.#length > 0 && (buffer[this.#length - 1] & 0xfc00) === 0xd800) this.#length--
    return { text: this.#text(), simhash: this.#simhash.value() }
  }

  #text(): string {
    const letters = buffer.subarray(0, this.#length)
    if (this.#bits < 256) return Buffer.from(letters).toString('latin1')
    return Buffer.from(letters.buffer, 0, this.#length * 2).toString('utf16le')
  }

  #endWord(): void {
    if (this.#word === 0) return
    this.#simhash.word(this.#word)
    this.#word = 0
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
