/**
 * Text as a reader sees it: white space folded, a line for each block, no control characters, no strings that are no words.
 * The words' hashes for the simhash are taken in passing.
 *
 * A string of over 30 characters without white space is left out (V14): encoded data, URLs, code without spaces would make
 * classifiers err. Scripts that are written without spaces (Han, Kana, Thai, Khmer …) are not such strings: each of their
 * letters is a word by itself (`characters.ts`) and ends the string before it, so that only a long run of *other* letters
 * amid them goes. The price is the longest words there are: German's of 39 letters, as in the paper.
 *
 * Nothing of it is made a string unless somebody asks (`text`): a crawl wants the digest only. Strings come and go as code
 * units, by copies that the machine makes at once: a loop that reads letters out of a string takes twice the time of one
 * that reads an array, and one that also writes them a quarter more.
 */
import { transcode } from 'node:buffer'
import { hash64, hash64OfBytes } from '../../base/digest.ts'
import type { Gap } from '../parse/tags.ts'
import { CHARACTERS, KIND } from './characters.ts'
import { Simhash } from './simhash.ts'

export const MOST_TEXT = 1_000_000
/** Characters of a string that may be a word. */
export const LONGEST_WORD = 30

const SPACE = 32
const LF = 10
const WHITE = -KIND.white
const GLYPH = -KIND.glyph
const NOTHING = -KIND.nothing

/** Characters folded at a time: so many words at most come of them. */
export const PIECE = 1024
/** Characters of a page that are at hand at once; most pages have fewer. */
export const WINDOW = 64 * 1024
/** Shorter copies are made by hand: asking for one takes as long as 16 characters do. */
const SHORT = 16

/**
 * Reading is synchronous, so that one set of buffers a thread is enough. All characters are in one, for copies inside an
 * array need no object: the text (its memory is not taken before it is used), a piece, a window on the page; after each of
 * the latter one place more, for what ends the loop.
 */
const PIECE_AT = MOST_TEXT
const WINDOW_AT = PIECE_AT + PIECE + 1
const units = new Uint16Array(WINDOW_AT + WINDOW + 1)
const unitBytes = Buffer.from(units.buffer)
/** Words on their way to the simhash: two tight loops take half the time of one that does everything. */
const words = new Int32Array(2 * PIECE + LONGEST_WORD + 1)
/** Beside each word: 1 when it has a digit. */
const numeric = new Uint8Array(words.length)
const simhash = new Simhash()

export interface FoldedText {
  /** Characters. */
  length: number
  /** `hash64` of the text. */
  digest: bigint
  simhash: bigint
  shape: bigint
  /** Letters of scripts without spaces count as words. */
  words: number
  /** Characters that were left out, in how many strings. */
  leftOut: number
  strings: number
}

/** One at a time: a new one ends what was before it. */
export class TextFolder {
  /** True when there was more text than is kept. */
  cut = false
  readonly #most: number
  /** What the window looks on, and from where to where. */
  #page = ''
  #windowFrom = 0
  #windowTo = 0
  #length = 0
  #words = 0
  #gap: Gap = 0
  /** Hash of the word that is being read; 0 between words. */
  #word = 0
  /** All its letters by `or`: from bit 16 on, whether it has a digit. */
  #digits = 0
  /** Where the string that is being read, or was last, began: in the text, and among the words that wait. */
  #string = 0
  #stringWords = 0
  #leftOut = 0
  #strings = 0

  constructor(most = MOST_TEXT) {
    this.#most = most
    simhash.clear()
  }

  /** A tag that parts what stands before it from what follows. */
  part(gap: Gap): void {
    if (gap === 0) return
    if (gap > this.#gap) this.#gap = gap
    this.#breakWord()
  }

  /** Of a page, part after part; or a whole text that was made of one of its parts. */
  add(input: string, from: number, to: number): void {
    const isWhole = to - from === input.length
    for (let at = from; at < to && !this.cut; at += PIECE) {
      if (this.#words > PIECE) this.#hashWords()
      if (this.#length - this.#string > PIECE) this.#shorten()
      const end = this.#fitting(at, Math.min(to, at + PIECE))
      const place = isWhole ? pieceOf(input, at, end) : this.#windowOn(input, at, end)
      this.#fold(place, place + end - at)
    }
  }

  /** Is there room for so many characters, however they are handed over? Before the first and after the last may be a gap. */
  fits(characters: number): boolean {
    return !this.cut && this.#length + characters + 2 < this.#most
  }

  /** One that fits. */
  addCharacter(code: number): void {
    if (this.#words > PIECE) this.#hashWords()
    units[PIECE_AT] = code
    this.#fold(PIECE_AT, PIECE_AT + 1)
  }

  /** A place among the units where the input between `from` and `to` is, at most a piece. */
  #windowOn(input: string, from: number, to: number): number {
    if (from < this.#windowFrom || to > this.#windowTo || input !== this.#page) {
      this.#page = input
      this.#windowFrom = from
      this.#windowTo = Math.min(input.length, from + WINDOW)
      unitBytes.write(input.slice(from, this.#windowTo), WINDOW_AT * 2, 'utf16le')
    }
    return WINDOW_AT + from - this.#windowFrom
  }

  /**
   * The hottest loop of reading: some 3.5 ns a character, a third of it for the ends of words, which no processor foresees.
   * What stands in the text as it stands in the page (words, marks, single spaces) is only walked over, and copied when
   * something else comes.
   */
  #fold(from: number, to: number): void {
    let length = this.#length
    let count = this.#words
    let gap = this.#gap
    let word = this.#word
    let digits = this.#digits
    let stringWords = this.#stringWords
    // The last string's length, while there is a gap; otherwise it goes on, and this is where it would begin if it stood here
    // as it stands in the text.
    let stringLength = length - this.#string
    let string = from - stringLength
    /** What is walked over begins here. */
    let begun = from
    let at = from
    // No loop goes beyond what is neither letter nor space.
    const behind = units[to]
    units[to] = LF
    let letter = CHARACTERS[units[at]]
    for (;;) {
      if (letter > WHITE && gap !== 0) {
        if (stringLength > LONGEST_WORD) {
          this.#leaveOut(stringLength)
          length -= stringLength
          count = stringWords
        }
        if (length > 0) length = closeGap(length, gap)
        gap = 0
        begun = at
        string = at
        stringWords = count
      }
      while (letter >= 0) {
        let code: number
        do {
          word = (Math.imul(word, 65599) + (letter & 0xffff)) | 0
          digits |= letter
          code = units[++at]
          letter = CHARACTERS[code]
        } while (letter >= 0)
        // Mostly a single space and the next word follow.
        if (code !== SPACE || at - string > LONGEST_WORD) break
        const next = CHARACTERS[units[at + 1]]
        if (next < 0) break
        if (word !== 0) {
          numeric[count] = digits >>> 16
          words[count++] = word
          word = 0
          digits = 0
        }
        letter = next
        string = ++at
        stringWords = count
      }
      if (at >= to) break
      if (word !== 0 && letter !== NOTHING) {
        numeric[count] = digits >>> 16
        words[count++] = word
        word = 0
        digits = 0
      }
      if (letter === WHITE) {
        if (gap === 0) {
          length = append(length, begun, at)
          stringLength = at - string
          gap = 1
        }
      } else if (letter === GLYPH) {
        if (at - string > LONGEST_WORD) {
          this.#leaveOut(at - string)
          length = append(length, begun, at) - (at - string)
          begun = at
          count = stringWords
        }
        numeric[count] = 0
        words[count++] = units[at]
        string = at + 1
        stringWords = count
      } else if (letter === NOTHING && gap === 0) {
        length = append(length, begun, at)
        begun = at + 1
        string++
      }
      letter = CHARACTERS[units[++at]]
    }
    units[to] = behind
    if (gap === 0) {
      length = append(length, begun, to)
      stringLength = to - string
    }
    this.#length = length
    this.#words = count
    this.#gap = gap
    this.#word = word
    this.#digits = digits
    this.#string = length - stringLength
    this.#stringWords = stringWords
  }

  finish(): FoldedText {
    this.#breakWord()
    if (this.#length - this.#string > LONGEST_WORD) {
      this.#leaveOut(this.#length - this.#string)
      this.#length = this.#string
      this.#words = this.#stringWords
      if (this.#length > 0 && units[this.#length - 1] <= SPACE) this.#length--
    }
    this.#stringWords = this.#words
    this.#hashWords()
    // A pair cut in two by the bound is left out.
    if (this.#length > 0 && (units[this.#length - 1] & 0xfc00) === 0xd800) this.#length--
    this.#page = ''
    return {
      length: this.#length,
      digest: this.#digest(),
      simhash: simhash.value(),
      shape: simhash.shape(),
      words: simhash.count,
      leftOut: this.#leftOut,
      strings: this.#strings,
    }
  }

  /** After `finish`, and before another text is begun. */
  text(): string {
    return unitBytes.toString('utf16le', 0, this.#length * 2)
  }

  #digest(): bigint {
    try {
      return hash64OfBytes(transcode(unitBytes.subarray(0, this.#length * 2), 'utf16le', 'utf8'))
    } catch {
      // Half a pair, which no page has: the decoders leave none.
      return hash64(this.text())
    }
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
    numeric[this.#words] = this.#digits >>> 16
    words[this.#words++] = this.#word
    this.#word = 0
    this.#digits = 0
  }

  /** All but those of the string that is being read: it may turn out to be none. */
  #hashWords(): void {
    if (this.#length - this.#string > LONGEST_WORD) this.#words = this.#stringWords
    const whole = this.#stringWords
    simhash.words(words, numeric, whole)
    words.copyWithin(0, whole, this.#words)
    numeric.copyWithin(0, whole, this.#words)
    this.#words -= whole
    this.#stringWords = 0
  }

  /** How far what is between `from` and `to` fits into the text. */
  #fitting(from: number, to: number): number {
    // A letter takes one place, and the gap before the first of them another.
    const left = Math.max(0, this.#most - this.#length - 1)
    if (to - from <= left) return to
    this.cut = true
    return from + left
  }
}

/** Puts what is between `from` and `to` at the end of the text, and returns its new length. */
function append(length: number, from: number, to: number): number {
  const count = to - from
  if (count > SHORT) units.copyWithin(length, from, to)
  else for (let i = 0; i < count; i++) units[length + i] = units[from + i]
  return length + count
}

/** One gap: where a string was left out, that before it does for both. */
function closeGap(length: number, gap: Gap): number {
  if (units[length - 1] > SPACE) units[length++] = gap === 1 ? SPACE : LF
  else if (gap === 2) units[length - 1] = LF
  return length
}

/** Places a piece of another text than the page, and says where. */
function pieceOf(input: string, from: number, to: number): number {
  unitBytes.write(input.slice(from, to), PIECE_AT * 2, 'utf16le')
  return PIECE_AT
}
