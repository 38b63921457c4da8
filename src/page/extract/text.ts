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
import { type FoldedText, PlainFolder, type TextFolder } from './fold-plainly.ts'

/** `assembly/fold-text.wasm.ts`. */
interface FoldingModule extends Record<FoldingPlace, { readonly value: number }> {
  readonly memory: { readonly buffer: ArrayBuffer }
  begin(max: number): void
  add(runs: number): number
  finish(): void
}
type FoldingPlace =
  | ('ASIDE' | 'ASIDE_AT' | 'BINS' | 'DATES' | 'DATE_BITS' | 'DATE_SLOTS' | 'KIND_OF' | 'LINES' | 'MAX_LINES')
  | ('MAX_RUNS' | 'MAX_TEXT' | 'MINIMA' | 'PIECE' | 'RESULT' | 'RUNS' | 'TEXT' | 'WINDOW' | 'WINDOW_AT')

/** Where one text at a time is folded. */
export interface FoldingMemory {
  /** One at a time: a new one ends the one before. */
  folder(max?: number): TextFolder
}

/** Addresses are in bytes. */
class ModuleFolder implements FoldingMemory, TextFolder {
  cut = false
  readonly #module: FoldingModule
  readonly #bytes: Buffer
  /** Two numbers per run: its address with the gap before it in the last two bits, and its length. */
  readonly #runs: Int32Array
  readonly #hashes: BigUint64Array
  readonly #counts: Int32Array
  readonly #lines: Uint32Array
  readonly #minima: Uint16Array
  /** Characters of a page in memory at once; most pages have fewer. */
  readonly #window: number
  readonly #windowAt: number
  /** Characters beside the window: decoded references, and texts that are not part of the page. */
  readonly #asideSize: number
  readonly #asideAt: number
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
  /** Of the text; known after `finish`. */
  #length = 0

  constructor(module: FoldingModule) {
    const { buffer } = module.memory
    new Uint8Array(buffer).set(kindsOfCharacters(), module.KIND_OF.value)
    placeDateWords(
      new Int32Array(buffer, module.DATE_BITS.value, 512),
      new Int32Array(buffer, module.DATES.value, module.DATE_SLOTS.value),
    )
    this.#module = module
    this.#bytes = Buffer.from(buffer)
    this.#runs = new Int32Array(buffer, module.RUNS.value, module.MAX_RUNS.value * 2)
    this.#hashes = new BigUint64Array(buffer, module.RESULT.value, 3)
    this.#counts = new Int32Array(buffer, module.RESULT.value + this.#hashes.byteLength, 7)
    this.#lines = new Uint32Array(buffer, module.LINES.value, module.MAX_LINES.value)
    this.#minima = new Uint16Array(buffer, module.MINIMA.value, module.BINS.value)
    this.#window = module.WINDOW.value
    this.#windowAt = module.WINDOW_AT.value
    this.#asideSize = module.ASIDE.value
    this.#asideAt = module.ASIDE_AT.value
  }

  folder(max = Number.POSITIVE_INFINITY): TextFolder {
    this.cut = false
    this.#page = ''
    this.#windowFrom = 0
    this.#windowTo = 0
    this.#aside = 0
    this.#waiting = 0
    this.#gap = 0
    this.#module.begin(Math.min(max, this.#module.MAX_TEXT.value))
    return this
  }

  part(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }

  add(input: string, from: number, to: number): void {
    if (to - from === input.length && to - from <= this.#asideSize) this.#addAside(input.slice(from, to))
    else if (from >= this.#windowFrom && to <= this.#windowTo && input === this.#page) this.#addFromWindow(from, to)
    else this.#addFromPage(input, from, to)
  }

  finish(): FoldedText {
    this.#fold()
    this.#module.finish()
    const [counts, hashes] = [this.#counts, this.#hashes]
    this.#page = ''
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
      lines: this.#lines.slice(0, counts[6]),
      minima: this.#minima.slice(),
    }
  }

  text(): string {
    const at = this.#module.TEXT.value
    return this.#bytes.toString('utf16le', at, at + this.#length * 2)
  }

  #addAside(text: string): void {
    if (this.#aside + text.length > this.#asideSize) this.#fold()
    const at = this.#asideAt + this.#aside * 2
    this.#aside += text.length
    this.#bytes.write(text, at, 'utf16le')
    this.#addRun(at, text.length)
  }

  #addFromWindow(from: number, to: number): void {
    this.#addRun(this.#windowAt + (from - this.#windowFrom) * 2, to - from)
  }

  #addFromPage(input: string, from: number, to: number): void {
    for (let at = from; at < to; at = this.#windowTo) {
      this.#fold()
      this.#page = input
      this.#windowFrom = at
      this.#windowTo = Math.min(input.length, at + this.#window)
      this.#bytes.write(input.slice(at, this.#windowTo), this.#windowAt, 'utf16le')
      this.#addFromWindow(at, Math.min(to, this.#windowTo))
    }
  }

  #addRun(address: number, characters: number): void {
    const runs = this.#runs
    if (this.#waiting === runs.length) this.#foldRuns()
    runs[this.#waiting++] = (address << 2) | this.#gap
    runs[this.#waiting++] = characters
    this.#gap = 0
  }

  /** Makes room for what follows. */
  #fold(): void {
    this.#foldRuns()
    this.#aside = 0
  }

  #foldRuns(): void {
    this.#module.add(this.#waiting / 2)
    this.#waiting = 0
  }
}

export function openMemory(): FoldingMemory {
  const module = loadWasm<FoldingModule>(new URL('fold-text.wasm', import.meta.url))
  if (module === undefined) return { folder: (max) => new PlainFolder(max) }
  return new ModuleFolder(module)
}

/** One memory per thread is enough for pages read in one stretch. */
const MAIN = openMemory()

export function textFolder(max?: number, memory = MAIN): TextFolder {
  return memory.folder(max)
}

/** Of a short text by itself. */
export function foldText(text: string): FoldedText {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  return folder.finish()
}
