/**
 * What `assembly/` does, for processors without WebAssembly's vectors: the same text, digest, simhash, shape, lines and minima, one
 * character at a time. A page takes about twice as long.
 */
import { hash64 } from '../../base/digest.ts'
import { dateWords, KIND, kindsOfCharacters, wordHash } from './characters.ts'

export interface Place {
  readonly value: number
}

/** Folds the runs in its memory: the module of `assembly/`, or `fold-plainly.ts`. */
export interface Folding {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly ASIDE: Place
  readonly ASIDE_AT: Place
  readonly BINS: Place
  readonly LINES: Place
  readonly MAX_LINES: Place
  readonly MAX_RUNS: Place
  readonly MAX_TEXT: Place
  readonly MINIMA: Place
  readonly PIECE: Place
  readonly RESULT: Place
  readonly RUNS: Place
  readonly TEXT: Place
  readonly WINDOW: Place
  readonly WINDOW_AT: Place
  begin(max: number): void
  add(runs: number): number
  finish(): void
}

const MAX_TEXT = 1_000_000
const PIECE = 1024
const WINDOW = 64 * 1024
const ASIDE = 8 * 1024
const MAX_RUNS = 4096
const MAX_LINES = 8192
const BINS = 64

/** Addresses in bytes. Nothing is read beyond an area, so there are no margins. */
const RESULT = 0
const MINIMA = RESULT + 64
const LINES = MINIMA + 2 * BINS
const RUNS = LINES + 4 * MAX_LINES
const WINDOW_AT = RUNS + 8 * MAX_RUNS
const ASIDE_AT = WINDOW_AT + 2 * WINDOW
const TEXT = ASIDE_AT + 2 * ASIDE
const TEXT_UNIT = TEXT / 2

const LONGEST_WORD = 30
const LONGEST_NAME = 256
const SPACE = 32
const LF = 10

export function openPlainFolding(): Folding {
  const buffer = new ArrayBuffer(TEXT + 2 * (MAX_TEXT + 2))
  const units = new Uint16Array(buffer)
  const runs = new Int32Array(buffer, RUNS, 2 * MAX_RUNS)
  const text = new PlainText(units)
  const at = (value: number) => ({ value })
  return {
    memory: { buffer },
    ASIDE: at(ASIDE),
    ASIDE_AT: at(ASIDE_AT),
    BINS: at(BINS),
    LINES: at(LINES),
    MAX_LINES: at(MAX_LINES),
    MAX_RUNS: at(MAX_RUNS),
    MAX_TEXT: at(MAX_TEXT),
    MINIMA: at(MINIMA),
    PIECE: at(PIECE),
    RESULT: at(RESULT),
    RUNS: at(RUNS),
    TEXT: at(TEXT),
    WINDOW: at(WINDOW),
    WINDOW_AT: at(WINDOW_AT),
    begin: (max) => text.begin(max),
    add(count) {
      for (let i = 0; i < 2 * count; i += 2) text.addRun(runs[i] >>> 3, runs[i + 1], runs[i] & 3)
      return text.length
    },
    finish() {
      const { hashes, counts, lines, minima } = text.finish()
      new Uint32Array(buffer, LINES, lines.length).set(lines)
      new Uint16Array(buffer, MINIMA, BINS).set(minima)
      new BigUint64Array(buffer, RESULT, hashes.length).set(hashes)
      new Int32Array(buffer, RESULT + 8 * hashes.length, counts.length).set(counts)
    },
  }
}

const KIND_OF = kindsOfCharacters()

/** The text as it is in memory, and what was left out of it. The names are those of `assembly/fold.ts`. */
class PlainText {
  readonly #units: Uint16Array
  #words = new WordVotes()
  #digested: Buffer[] = []
  /** Characters that were digested. */
  #characters = 0
  /** Behind the last character of the text. */
  #end = TEXT_UNIT
  #leftOut = 0
  #strings = 0
  /** Characters of strings that are longer than a name. */
  #data = 0
  /** Words of the text. */
  #count = 0
  #isCut = false
  #max = 0
  /** What separates the text from what follows: nothing, a space, a line end. */
  #gap = 0
  /** Characters of the current or last string. */
  #string = 0
  /** Up to here the text is hashed. */
  #hashed = TEXT_UNIT

  constructor(units: Uint16Array) {
    this.#units = units
  }

  get length(): number {
    return this.#end - TEXT_UNIT
  }

  begin(max: number): void {
    this.#words = new WordVotes()
    this.#digested = []
    this.#characters = 0
    this.#end = TEXT_UNIT
    this.#leftOut = 0
    this.#strings = 0
    this.#data = 0
    this.#count = 0
    this.#isCut = false
    this.#max = max
    // White space before the first letter is none.
    this.#gap = 1
    this.#string = 0
    this.#hashed = TEXT_UNIT
  }

  addRun(at: number, count: number, gapBefore: number): void {
    if (gapBefore > this.#gap) this.#gap = gapBefore
    for (let left = count; left > 0 && !this.#isCut; left -= PIECE) {
      if (this.#string > PIECE) this.#shorten()
      const wanted = Math.min(left, PIECE)
      // One each, and one for the gap before the first.
      const room = Math.max(0, this.#max - this.length - 1)
      this.#isCut = wanted > room
      const size = Math.min(wanted, room)
      for (let i = at; i < at + size; i++) this.#add(this.#units[i])
      at += size
    }
  }

  finish(): { hashes: bigint[]; counts: number[]; lines: Uint32Array; minima: Uint16Array } {
    const units = this.#units
    if (this.#string > LONGEST_WORD) {
      this.#leaveOut(this.#end)
      if (this.#end > TEXT_UNIT && units[this.#end - 1] <= SPACE) this.#end--
    }
    this.#count += this.#hashWords(this.#hashed, this.#end)
    // A surrogate pair cut by the limit is left out.
    if (this.#isHalf(this.#end)) this.#end--
    this.#digest(this.#hashed, this.#end)
    const digest = hash64(Buffer.concat(this.#digested).toString('utf16le'))
    const lines = hashLines(units.subarray(TEXT_UNIT, this.#end))
    return {
      lines,
      minima: this.#words.minima,
      hashes: [digest, this.#words.simhash(), this.#words.shape()],
      counts: [
        this.length,
        this.#count,
        this.#leftOut,
        this.#strings,
        this.#characters - this.#data,
        this.#isCut ? 1 : 0,
        lines.length,
      ],
    }
  }

  #add(unit: number): void {
    const kind = KIND_OF[unit]
    if (kind === KIND.nothing) return
    if (kind === KIND.white) {
      if (this.#gap === 0) this.#gap = 1
      return
    }
    if (this.#gap !== 0) this.#closeGap()
    if (kind === KIND.glyph) {
      if (this.#string > LONGEST_WORD) this.#leaveOut(this.#end)
      this.#string = 0
    } else this.#string++
    this.#units[this.#end++] = unit
  }

  /** One gap: where a string was left out, the one before it serves for both, except in the digest. */
  #closeGap(): void {
    const units = this.#units
    const white = this.#gap === 1 ? SPACE : LF
    const isLong = this.#string > LONGEST_WORD
    if (isLong) {
      units[this.#end] = white
      this.#leaveOut(this.#end + 1)
    }
    this.#string = 0
    if (this.#end > TEXT_UNIT) {
      if (units[this.#end - 1] > SPACE) units[this.#end++] = white
      else if (this.#gap === 2) units[this.#end - 1] = LF
    }
    if (isLong) this.#hashed = this.#end
    this.#gap = 0
  }

  /** Drops the string at the end of the text; it is digested up to `behind`. */
  #leaveOut(behind: number): void {
    const from = this.#end - this.#string
    this.#count += this.#hashWords(this.#hashed, from)
    if (this.#string <= LONGEST_NAME) this.#hashWords(from, this.#end)
    else this.#data += this.#string
    this.#digest(this.#hashed, behind)
    this.#hashed = from
    this.#end = from
    this.#leftOut += this.#string
    this.#strings++
    this.#string = 0
  }

  /** A string that will be left out need not fill the text: only its last characters stay, too many for a name. */
  #shorten(): void {
    const from = this.#end - this.#string
    let rest = this.#end - (LONGEST_NAME + 1)
    if (this.#isHalf(rest)) rest--
    this.#count += this.#hashWords(this.#hashed, from)
    this.#digest(this.#hashed, rest)
    this.#hashed = from
    this.#units.copyWithin(from, rest, this.#end)
    const less = rest - from
    this.#leftOut += less
    this.#data += less
    this.#string -= less
    this.#end -= less
  }

  #isHalf(behind: number): boolean {
    return behind > TEXT_UNIT && (this.#units[behind - 1] & 0xfc00) === 0xd800
  }

  #digest(from: number, to: number): void {
    if (from >= to) return
    this.#characters += to - from
    this.#digested.push(Buffer.from(this.#units.slice(from, to).buffer))
  }

  #hashWords(from: number, to: number): number {
    return this.#words.add(this.#units.subarray(from, Math.max(from, to)))
  }
}

/** Of each line: four lanes of two characters each, as `assembly/lines.ts` has them. */
function hashLines(text: Uint16Array): Uint32Array {
  const lines = new Uint32Array(MAX_LINES)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const found = text.indexOf(LF, at)
    const end = found < 0 ? text.length : found
    if (end === at) continue
    const hash = lineHash(text, at, end)
    if (count < MAX_LINES) lines[count++] = hash
    else lines[MAX_LINES - 1] += hash
    at = end
  }
  return lines.subarray(0, count)
}

function lineHash(text: Uint16Array, from: number, to: number): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const pair = (at: number) => (at < to ? text[at] : 0) | ((at + 1 < to ? text[at + 1] : 0) << 16)
  // Whole eights, and then one that holds what is left, if only nothing.
  for (let at = from; ; at += 8) {
    a = stirred(a ^ pair(at))
    b = stirred(b ^ pair(at + 2))
    c = stirred(c ^ pair(at + 4))
    d = stirred(d ^ pair(at + 6))
    if (at + 8 > to) break
  }
  const lanes = a + Math.imul(b, 0x2c1b3c6d) + Math.imul(c, 0x297a2d39) + Math.imul(d, 0x165667b1)
  return mixed((to - from + lanes) | 0)
}

function stirred(lane: number): number {
  const hash = Math.imul(lane, 0x85ebca6b)
  return hash ^ (hash >>> 15)
}

const DATES = new Set(dateWords())
const MAX_LETTERS = 64
/** The word for numbers and dates. */
const NUMBER = 0x23232323

/** Simhash and shape of words as they come. */
class WordVotes {
  readonly #words = new Votes()
  /** The same with each run of numbers as one. */
  readonly #shape = new Votes()
  #wasNumber = false

  /** Returns how many words there are in it; no part may end within a word. */
  add(text: Uint16Array): number {
    let count = 0
    for (let at = 0; at < text.length; count++) {
      const kind = KIND_OF[text[at]]
      if (kind === KIND.glyph) this.#word(text[at++], false)
      else if (kind === KIND.letter || kind === KIND.digit) {
        let behind = at
        let hasDigit = false
        for (; behind < text.length && behind - at < MAX_LETTERS; behind++) {
          const next = KIND_OF[text[behind]]
          if (next !== KIND.letter && next !== KIND.digit) break
          hasDigit ||= next === KIND.digit
        }
        this.#word(wordHash(String.fromCharCode(...text.subarray(at, behind))), hasDigit)
        at = behind
      } else {
        at++
        count--
      }
    }
    return count
  }

  simhash(): bigint {
    return this.#words.majority()
  }

  shape(): bigint {
    return this.#shape.majority()
  }

  get minima(): Uint16Array {
    return this.#words.minima
  }

  #word(hash: number, hasDigit: boolean): void {
    this.#words.add(hash)
    const isNumber = hasDigit || DATES.has(hash)
    if (!isNumber) this.#shape.add(hash)
    else if (!this.#wasNumber) this.#shape.add(NUMBER)
    this.#wasNumber = isNumber
  }
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

function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
