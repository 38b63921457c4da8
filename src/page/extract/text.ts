/**
 * Text as a reader sees it: white space folded, one line per block, no control characters, no long strings; and its
 * digest, simhash, shape, lines and minima.
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
 * WebAssembly does all of it, sixteen characters at a time (`assembly/`), or `fold-plainly.ts` where that is missing. The page is copied into its memory, a window
 * at a time; runs of text are recorded, and one call folds hundreds of them. Nothing becomes a string until `text` is
 * called.
 */
import { loadWasm } from '../../base/load-wasm.ts'
import type { Gap } from '../parse/tags.ts'
import { kindsOfCharacters, placeDateWords } from './characters.ts'
import { type Folding, openPlainFolding, type Place } from './fold-plainly.ts'

/** The tables of the module are filled from here. */
interface FoldingModule extends Folding {
  readonly DATES: Place
  readonly DATE_BITS: Place
  readonly DATE_SLOTS: Place
  readonly KIND_OF: Place
}

/** Where one text at a time is folded. Addresses are in bytes. */
export interface FoldingMemory {
  readonly folding: Folding
  readonly text: number
  readonly window: number
  readonly aside: number
  readonly bytes: Buffer
  readonly units: Uint16Array
  /** Two numbers per run: its address with the gap before it in the last two bits, and its length. */
  readonly runs: Int32Array
  readonly hashes: BigUint64Array
  readonly counts: Int32Array
  readonly lines: Uint32Array
  readonly minima: Uint16Array
}

function openModule(): Folding | undefined {
  const wasm = loadWasm<FoldingModule>(new URL('fold-text.wasm', import.meta.url))
  if (wasm === undefined) return undefined
  const { buffer } = wasm.memory
  new Uint8Array(buffer).set(kindsOfCharacters(), wasm.KIND_OF.value)
  placeDateWords(
    new Int32Array(buffer, wasm.DATE_BITS.value, 512),
    new Int32Array(buffer, wasm.DATES.value, wasm.DATE_SLOTS.value),
  )
  return wasm
}

export function openMemory(folding = openModule() ?? openPlainFolding()): FoldingMemory {
  const { buffer } = folding.memory
  const hashes = new BigUint64Array(buffer, folding.RESULT.value, 3)
  return {
    folding,
    text: folding.TEXT.value,
    window: folding.WINDOW_AT.value,
    aside: folding.ASIDE_AT.value,
    bytes: Buffer.from(buffer),
    units: new Uint16Array(buffer),
    runs: new Int32Array(buffer, folding.RUNS.value, folding.MAX_RUNS.value * 2),
    hashes,
    counts: new Int32Array(buffer, folding.RESULT.value + hashes.byteLength, 7),
    lines: new Uint32Array(buffer, folding.LINES.value, folding.MAX_LINES.value),
    minima: new Uint16Array(buffer, folding.MINIMA.value, folding.BINS.value),
  }
}

/** One memory per thread is enough for pages read in one stretch. */
const MAIN = openMemory()
const { folding } = MAIN

export const MAX_TEXT = folding.MAX_TEXT.value
/** Characters folded between checks of the room that is left. */
export const PIECE = folding.PIECE.value
/** Characters of a page in memory at once; most pages have fewer. */
export const WINDOW = folding.WINDOW.value
/** Characters beside the window: decoded references, and texts that are not part of the page. */
export const ASIDE = folding.ASIDE.value
export const MAX_RUNS = folding.MAX_RUNS.value

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
  /** A hash of each line of the text; what is behind the first 8,192 lines is one more. */
  lines: Uint32Array
  /** Of the hashes of the shingles of three words, the smallest in each of 64 bins; 65,535: none. */
  minima: Uint16Array
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
    memory.folding.begin(this.#max)
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
    const { folding, counts, hashes, lines, minima } = this.#in
    folding.finish()
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
      lines: lines.slice(0, counts[6]),
      minima: minima.slice(),
    }
  }

  /** After `finish`, and before another text begins. */
  text(): string {
    const { bytes, text } = this.#in
    return bytes.toString('utf16le', text, text + this.#length * 2)
  }

  #addAside(text: string): void {
    const at = this.#roomAside(text.length)
    this.#in.bytes.write(text, at, 'utf16le')
    this.#addRun(at, text.length)
  }

  #roomAside(characters: number): number {
    if (this.#aside + characters > ASIDE) this.#fold()
    const at = this.#in.aside + this.#aside * 2
    this.#aside += characters
    return at
  }

  #addFromWindow(from: number, to: number): void {
    this.#addRun(this.#in.window + (from - this.#windowFrom) * 2, to - from)
  }

  #addFromPage(input: string, from: number, to: number): void {
    for (let at = from; at < to; at = this.#windowTo) {
      this.#fold()
      this.#page = input
      this.#windowFrom = at
      this.#windowTo = Math.min(input.length, at + WINDOW)
      this.#in.bytes.write(input.slice(at, this.#windowTo), this.#in.window, 'utf16le')
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
    this.#length = this.#in.folding.add(this.#waiting / 2)
    this.#waiting = 0
  }
}

/** Of a short text by itself. */
export function foldText(text: string): FoldedText {
  const folder = new TextFolder()
  folder.add(text, 0, text.length)
  return folder.finish()
}
