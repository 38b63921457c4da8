/**
 * Text as a reader sees it: white space folded, a line for each block, no control characters, no strings that are no words;
 * and its digest, simhash and shape.
 *
 * A string of over 30 characters without white space is left out (V14): encoded data, URLs, code without spaces would make
 * classifiers err. Scripts that are written without spaces (Han, Kana, Thai, Khmer …) are not such strings: each of their
 * letters is a word by itself (`characters.ts`) and ends the string before it, so that only a long run of *other* letters
 * amid them goes. The price is the longest words there are: German's of 39 letters, as in the paper.
 *
 * That rule is for the text that is indexed. What a page *is* depends on those strings too: lists of members and pages that say
 * "No usage of java.nio.channels.ClosedSelectorException" may differ in nothing else. So the digest is that of the text with them,
 * and the words in those of up to 256 characters (identifiers, URLs) count in simhash and shape; longer ones are data.
 *
 * All of it is done in WebAssembly, sixteen characters at a time (`assembly/`). The page is copied into its memory as a whole, a
 * window at a time, and where its text lies in there is only written down: one call folds hundreds of runs. Nothing is made a
 * string unless somebody asks (`text`): a crawl wants the digest only.
 */
import { loadWasm } from '../../base/load-wasm.ts'
import type { Gap } from '../parse/tags.ts'

/**
 * Names of months and days in en, pt, es, de, fr, it: in a page's shape they are numbers. Short ones that are common words
 * (`set`, `out`, `sun`, `mar` …) are left alone when a language would lose more by them than calendars win.
 */
const NAMES = `
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct
nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri
janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro fev abr ago dez
segunda terça terca quarta quinta sexta sábado sabado domingo feira
enero febrero marzo mayo junio julio septiembre setiembre octubre noviembre diciembre ene dic lunes martes miércoles miercoles
jueves viernes
januar februar märz juni juli oktober dezember jänner okt montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
janvier février fevrier mars avril juin juillet août aout septembre octobre novembre décembre decembre janv févr avr juil déc
lundi mardi mercredi jeudi vendredi samedi dimanche
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug ott lunedì martedì mercoledì giovedì
venerdì sabato domenica`

/** Their hashes, as `assembly/words.ts` takes them. */
export function dateWords(): number[] {
  return NAMES.trim().split(/\s+/).map(wordHash)
}

/** One bit for each of 16,384 remainders of theirs, and each in the first slot from its remainder on that is free. */
export function placeDateWords(remainders: Int32Array, slots: Int32Array): void {
  for (const hash of dateWords()) {
    remainders[(hash >>> 5) & 511] |= 1 << hash
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = hash
  }
}

export function wordHash(word: string): number {
  let hash = 0
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    hash = (Math.imul(hash, 65599) + (code < 256 ? code | 0x20 : code)) | 0
  }
  return hash
}

/**
 * What a character is to a reader of text. This is what counts; `assembly/kinds.ts` tells most of it without a table.
 */

export const KIND = {
  /** Part of a word, like all that nothing else is said of. */
  letter: 0,
  /** Part of a word, as letters are; what differs only in them has the same shape. */
  digit: 1,
  /** Seen, but in no word. */
  mark: 2,
  /** A word by itself: scripts written without spaces. */
  glyph: 3,
  /** Folded: a run of it is one space. */
  white: 4,
  /** Invisible: left out. */
  nothing: 5,
} as const

const RANGES: [kind: number, from: number, to: number][] = [
  [KIND.white, 0x00, 0x20], // controls too, so that text holds none
  [KIND.mark, 0x21, 0x2f],
  [KIND.digit, 0x30, 0x39],
  [KIND.mark, 0x3a, 0x40],
  [KIND.mark, 0x5b, 0x60],
  [KIND.mark, 0x7b, 0x7e],
  [KIND.white, 0x7f, 0xa0],
  [KIND.mark, 0xa1, 0xa9],
  [KIND.mark, 0xab, 0xb4],
  [KIND.nothing, 0xad, 0xad], // soft hyphen
  [KIND.mark, 0xb6, 0xb9],
  [KIND.mark, 0xbb, 0xbf],
  [KIND.mark, 0xd7, 0xd7],
  [KIND.mark, 0xf7, 0xf7],
  [KIND.glyph, 0x0e00, 0x0fff], // Thai, Lao, Tibetan
  [KIND.glyph, 0x1000, 0x109f], // Myanmar
  [KIND.glyph, 0x1361, 0x1361], // Ethiopic's word space, which is seen
  [KIND.white, 0x1680, 0x1680],
  [KIND.glyph, 0x1780, 0x17ff], // Khmer
  [KIND.glyph, 0x1950, 0x19df], // Tai Le, New Tai Lue
  [KIND.glyph, 0x1a20, 0x1aaf], // Tai Tham
  [KIND.glyph, 0x1b00, 0x1b7f], // Balinese
  [KIND.white, 0x2000, 0x200a],
  [KIND.nothing, 0x200b, 0x200b],
  [KIND.nothing, 0x200e, 0x200f],
  [KIND.mark, 0x2010, 0x2027],
  [KIND.white, 0x2028, 0x2029],
  [KIND.nothing, 0x202a, 0x202e],
  [KIND.white, 0x202f, 0x202f],
  [KIND.mark, 0x2030, 0x205e],
  [KIND.white, 0x205f, 0x205f],
  [KIND.nothing, 0x2060, 0x2064],
  [KIND.mark, 0x2190, 0x2bff], // arrows, shapes
  [KIND.glyph, 0x2e80, 0xa4cf], // Han, Kana, Yi (Hangul has spaces)
  [KIND.white, 0x3000, 0x3000],
  [KIND.mark, 0x3001, 0x3003],
  [KIND.mark, 0x3008, 0x3020],
  [KIND.glyph, 0xa980, 0xa9ff], // Javanese, Myanmar
  [KIND.glyph, 0xaa60, 0xaa7f],
  [KIND.glyph, 0xf900, 0xfaff],
  [KIND.nothing, 0xfeff, 0xfeff],
  [KIND.glyph, 0xff00, 0xffef], // full and half width
]

/** By UTF-16 code unit. */
export function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  for (const [kind, from, to] of RANGES) kinds.fill(kind, from, to + 1)
  return kinds
}

interface Place {
  readonly value: number
}

interface Folding {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly ASIDE: Place
  readonly ASIDE_AT: Place
  readonly DATES: Place
  readonly DATE_BITS: Place
  readonly DATE_SLOTS: Place
  readonly KIND_OF: Place
  readonly MAX_RUNS: Place
  readonly MAX_TEXT: Place
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

/** Where one text at a time is folded. */
export interface FoldingMemory {
  readonly wasm: Folding
  readonly bytes: Buffer
  readonly units: Uint16Array
  /** Two numbers a run: its address with the gap before it in the last two bits, and its length. */
  readonly runs: Int32Array
  readonly hashes: BigUint64Array
  readonly counts: Int32Array
}

export function openMemory(): FoldingMemory {
  const wasm = loadWasm<Folding>(new URL('fold-text.wasm', import.meta.url))
  const { buffer } = wasm.memory
  const bytes = Buffer.from(buffer)
  bytes.set(kindsOfCharacters(), wasm.KIND_OF.value)
  placeDateWords(
    new Int32Array(buffer, wasm.DATE_BITS.value, 512),
    new Int32Array(buffer, wasm.DATES.value, wasm.DATE_SLOTS.value),
  )
  const hashes = new BigUint64Array(buffer, wasm.RESULT.value, 3)
  return {
    wasm,
    bytes,
    units: new Uint16Array(buffer),
    runs: new Int32Array(buffer, wasm.RUNS.value, wasm.MAX_RUNS.value * 2),
    hashes,
    counts: new Int32Array(buffer, wasm.RESULT.value + hashes.byteLength, 6),
  }
}

/** Most pages are read in one stretch: one memory a thread is enough for them. */
const MAIN = openMemory()
const { wasm } = MAIN

const TEXT = wasm.TEXT.value
export const MAX_TEXT = wasm.MAX_TEXT.value
/** Characters folded between looks at the room that is left. */
export const PIECE = wasm.PIECE.value
/** Characters of a page that are at hand at once; most pages have fewer. */
export const WINDOW = wasm.WINDOW.value
const WINDOW_AT = wasm.WINDOW_AT.value
/** Characters beside it: decoded references, and texts that are not part of the page. */
export const ASIDE = wasm.ASIDE.value
const ASIDE_AT = wasm.ASIDE_AT.value
export const MAX_RUNS = wasm.MAX_RUNS.value

export interface FoldedText {
  /** Characters. */
  length: number
  /** `hash64` of the text with the strings that are left out of it: of the text itself when there are none. */
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
}

/** One at a time in a memory: a new one ends what was before it. */
export class TextFolder {
  /** True when there was more text than is kept; known in the end. */
  cut = false
  readonly #max: number
  readonly #in: FoldingMemory
  readonly #runs: Int32Array
  /** What the window looks on, and from where to where. */
  #page = ''
  #windowFrom = 0
  #windowTo = 0
  /** How much of the place beside it is taken. */
  #aside = 0
  /** Twice as many as there are runs that wait. */
  #waiting = 0
  /** Before the next run. */
  #gap: Gap = 0
  /** Not shorter than the text will be when all runs are folded. */
  #length = 0

  constructor(max = MAX_TEXT, memory = MAIN) {
    this.#max = Math.min(max, MAX_TEXT)
    this.#in = memory
    this.#runs = memory.runs
    memory.wasm.begin(this.#max)
  }

  /** A tag that parts what stands before it from what follows. */
  part(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }

  /** Of a page, part after part; or a whole text that was made of one of its parts. */
  add(input: string, from: number, to: number): void {
    if (to - from === input.length && to - from <= ASIDE) this.#addAside(input.slice(from, to))
    else if (from >= this.#windowFrom && to <= this.#windowTo && input === this.#page) this.#addFromWindow(from, to)
    else this.#addFromPage(input, from, to)
  }

  /** Is there room for so many characters, however they are handed over? Before the first and after the last may be a gap. */
  fits(characters: number): boolean {
    if (this.#length + characters + 2 < this.#max) return true
    this.#fold()
    return this.#length + characters + 2 < this.#max
  }

  /** One that fits. */
  addCharacter(code: number): void {
    const at = this.#roomAside(1)
    this.#in.units[at / 2] = code
    this.#addRun(at, 1)
  }

  finish(): FoldedText {
    this.#fold()
    const { wasm, counts, hashes } = this.#in
    wasm.finish()
    this.#page = ''
    this.#windowTo = 0
    this.#length = counts[0]
    this.cut = counts[5] !== 0
    return {
      length: counts[0],
      digest: hashes[0],
      simhash: hashes[1],
      shape: hashes[2],
      words: counts[1],
      leftOut: counts[2],
      strings: counts[3],
      named: counts[4],
    }
  }

  /** After `finish`, and before another text is begun. */
  text(): string {
    return this.#in.bytes.toString('utf16le', TEXT, TEXT + this.#length * 2)
  }

  #addAside(text: string): void {
    const at = this.#roomAside(text.length)
    this.#in.bytes.write(text, at, 'utf16le')
    this.#addRun(at, text.length)
  }

  #roomAside(characters: number): number {
    if (this.#aside + characters > ASIDE) this.#fold()
    const at = ASIDE_AT + this.#aside * 2
    this.#aside += characters
    return at
  }

  #addFromWindow(from: number, to: number): void {
    this.#addRun(WINDOW_AT + (from - this.#windowFrom) * 2, to - from)
  }

  #addFromPage(input: string, from: number, to: number): void {
    for (let at = from; at < to; at = this.#windowTo) {
      this.#fold()
      this.#page = input
      this.#windowFrom = at
      this.#windowTo = Math.min(input.length, at + WINDOW)
      this.#in.bytes.write(input.slice(at, this.#windowTo), WINDOW_AT, 'utf16le')
      this.#addFromWindow(at, Math.min(to, this.#windowTo))
    }
  }

  #addRun(address: number, characters: number): void {
    const runs = this.#runs
    if (this.#waiting === runs.length) this.#foldRuns()
    runs[this.#waiting++] = (address << 2) | this.#gap
    runs[this.#waiting++] = characters
    this.#gap = 0
    this.#length += characters + 1
  }

  /** Makes room for what follows. */
  #fold(): void {
    this.#foldRuns()
    this.#aside = 0
  }

  #foldRuns(): void {
    this.#length = this.#in.wasm.add(this.#waiting / 2)
    this.#waiting = 0
  }
}
