/**
 * Text as a reader sees it: white space folded, one line per block, no control characters, no long strings; and its
 * digest, simhash and shape.
 *
 * A string of over 30 characters without white space is left out (V14): encoded data, URLs and code without spaces
 * would mislead classifiers. In scripts without spaces (Han, Kana, Thai, Khmer …) each letter is a word by itself and
 * ends the string before it, so only a long run of *other* letters among them is left out. The price is German words of
 * 39 letters, as in the paper.
 *
 * That rule is for the indexed text. Pages may differ in such strings alone ("No usage of
 * java.nio.channels.ClosedSelectorException"), so the digest includes them, and the words in those of up to 256
 * characters (identifiers, URLs) count in simhash and shape; longer ones are data.
 *
 * WebAssembly does all of it, sixteen characters at a time (`assembly/`). The page is copied into its memory, a window
 * at a time; runs of text are recorded, and one call folds hundreds of them. Nothing becomes a string until `text` is
 * called.
 */
import { loadWasm } from '../../base/load-wasm.ts'
import type { Gap } from '../parse/tags.ts'

/**
 * Names of months and days in en, pt, es, de, fr, it: in a page's shape they are numbers. Short ones that are common
 * words (`set`, `out`, `sun`, `mar` …) are left out where a language would lose more than calendars gain.
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

/** Their hashes, as in `assembly/words.ts`. */
export function dateWords(): number[] {
  return NAMES.trim().split(/\s+/).map(wordHash)
}

/** One bit for each of the 16,384 remainders, and each hash in the first free slot from its remainder on. */
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

/** The role of each character in text. `assembly/kinds.ts` computes most of it without this table. */

export const KIND = {
  /** Part of a word; the default. */
  letter: 0,
  /** Part of a word, like letters; texts that differ only in digits have the same shape. */
  digit: 1,
  /** Visible, but not in a word. */
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
  /** Two numbers per run: its address with the gap before it in the last two bits, and its length. */
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

/** One memory per thread is enough for pages read in one stretch. */
const MAIN = openMemory()
const { wasm } = MAIN

const TEXT = wasm.TEXT.value
export const MAX_TEXT = wasm.MAX_TEXT.value
/** Characters folded between checks of the room that is left. */
export const PIECE = wasm.PIECE.value
/** Characters of a page in memory at once; most pages have fewer. */
export const WINDOW = wasm.WINDOW.value
const WINDOW_AT = wasm.WINDOW_AT.value
/** Characters beside the window: decoded references, and texts that are not part of the page. */
export const ASIDE = wasm.ASIDE.value
const ASIDE_AT = wasm.ASIDE_AT.value
export const MAX_RUNS = wasm.MAX_RUNS.value

export interface FoldedText {
  /** Characters. */
  length: number
  /** `hash64` of the text with the strings that are left out of it. */
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

/** One at a time per memory: a new one ends the one before. */
export class TextFolder {
  /** There was more text than is kept; known after `finish`. */
  cut = false
  readonly #max: number
  readonly #in: FoldingMemory
  readonly #runs: Int32Array
  /** The text under the window, and the window's bounds. */
  #page = ''
  #windowFrom = 0
  #windowTo = 0
  /** Characters used beside the window. */
  #aside = 0
  /** Twice the number of waiting runs. */
  #waiting = 0
  /** Before the next run. */
  #gap: Gap = 0
  /** At least the length of the text after all runs are folded. */
  #length = 0

  constructor(max = MAX_TEXT, memory = MAIN) {
    this.#max = Math.min(max, MAX_TEXT)
    this.#in = memory
    this.#runs = memory.runs
    memory.wasm.begin(this.#max)
  }

  /** A tag that separates the text before it from what follows. */
  part(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }

  /** Part after part of a page; or a whole text made from one of its parts. */
  add(input: string, from: number, to: number): void {
    if (to - from === input.length && to - from <= ASIDE) this.#addAside(input.slice(from, to))
    else if (from >= this.#windowFrom && to <= this.#windowTo && input === this.#page) this.#addFromWindow(from, to)
    else this.#addFromPage(input, from, to)
  }

  /** Whether so many characters fit, in however many pieces. There may be a gap before the first and after the last. */
  fits(characters: number): boolean {
    if (this.#length + characters + 2 < this.#max) return true
    this.#fold()
    return this.#length + characters + 2 < this.#max
  }

  /** The character must fit. */
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

  /** After `finish`, and before another text begins. */
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
