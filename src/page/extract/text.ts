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

/** Of the module. Addresses are in bytes. */
interface ModuleMemory {
  readonly folding: FoldingModule
  readonly text: number
  readonly window: number
  readonly aside: number
  readonly bytes: Buffer
  /** Two numbers per run: its address with the gap before it in the last two bits, and its length. */
  readonly runs: Int32Array
  readonly hashes: BigUint64Array
  readonly counts: Int32Array
  readonly lines: Uint32Array
  readonly minima: Uint16Array
}

function openModule(folding: FoldingModule): ModuleMemory {
  const { buffer } = folding.memory
  new Uint8Array(buffer).set(kindsOfCharacters(), folding.KIND_OF.value)
  placeDateWords(
    new Int32Array(buffer, folding.DATE_BITS.value, 512),
    new Int32Array(buffer, folding.DATES.value, folding.DATE_SLOTS.value),
  )
  const hashes = new BigUint64Array(buffer, folding.RESULT.value, 3)
  return {
    folding,
    text: folding.TEXT.value,
    window: folding.WINDOW_AT.value,
    aside: folding.ASIDE_AT.value,
    bytes: Buffer.from(buffer),
    runs: new Int32Array(buffer, folding.RUNS.value, folding.MAX_RUNS.value * 2),
    hashes,
    counts: new Int32Array(buffer, folding.RESULT.value + hashes.byteLength, 7),
    lines: new Uint32Array(buffer, folding.LINES.value, folding.MAX_LINES.value),
    minima: new Uint16Array(buffer, folding.MINIMA.value, folding.BINS.value),
  }
}

export function openMemory(): FoldingMemory {
  const module = loadWasm<FoldingModule>(new URL('fold-text.wasm', import.meta.url))
  if (module === undefined) return { folder: (max) => new PlainFolder(max) }
  const memory = openModule(module)
  return { folder: (max) => new ModuleFolder(memory, max) }
}

/** One memory per thread is enough for pages read in one stretch. */
const MAIN = openMemory()

export function textFolder(max?: number, memory = MAIN): TextFolder {
  return memory.folder(max)
}

class ModuleFolder implements TextFolder {
  cut = false
  readonly #in: ModuleMemory
  readonly #runs: Int32Array
  /** Characters of a page in memory at once; most pages have fewer. */
  readonly #window: number
  /** Characters beside the window: decoded references, and texts that are not part of the page. */
  readonly #asideSize: number
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

  constructor(memory: ModuleMemory, max = Number.POSITIVE_INFINITY) {
    const { folding } = memory
    this.#in = memory
    this.#runs = memory.runs
    this.#window = folding.WINDOW.value
    this.#asideSize = folding.ASIDE.value
    folding.begin(Math.min(max, folding.MAX_TEXT.value))
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

  text(): string {
    const { bytes, text } = this.#in
    return bytes.toString('utf16le', text, text + this.#length * 2)
  }

  #addAside(text: string): void {
    if (this.#aside + text.length > this.#asideSize) this.#fold()
    const at = this.#in.aside + this.#aside * 2
    this.#aside += text.length
    this.#in.bytes.write(text, at, 'utf16le')
    this.#addRun(at, text.length)
  }

  #addFromWindow(from: number, to: number): void {
    this.#addRun(this.#in.window + (from - this.#windowFrom) * 2, to - from)
  }

  #addFromPage(input: string, from: number, to: number): void {
    for (let at = from; at < to; at = this.#windowTo) {
      this.#fold()
      this.#page = input
      this.#windowFrom = at
      this.#windowTo = Math.min(input.length, at + this.#window)
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
  }

  /** Makes room for what follows. */
  #fold(): void {
    this.#foldRuns()
    this.#aside = 0
  }

  #foldRuns(): void {
    this.#in.folding.add(this.#waiting / 2)
    this.#waiting = 0
  }
}

/** Of a short text by itself. */
export function foldText(text: string): FoldedText {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  return folder.finish()
}
