/**
 * Unpacks deflate streams, raw or wrapped in gzip or zlib: whole, or as far as they go.
 *
 * CPU per gzip answer, measured in turns in one process (2026-11, an AMD EPYC), against Node's `gunzipSync` with a
 * buffer of the right size:
 *
 *     answers                         zlib    here
 *     pages of the benchmark  14 KB   33 µs   21 µs
 *     HTML from disks         51 KB   47 µs   43 µs
 *     JavaScript              23 KB   46 µs   36 µs
 *     JSON                     2 KB    9 µs    6 µs
 *
 * Whole crawls save 30 µs per page, because zlib makes a stream, a state and a window per answer, and its memory is
 * freed only by the collector.
 *
 * Input comes 64 KB at a time and output goes 256 KB at a time, with the last 32 KB kept: the module needs 0.4 MB.
 */
import { crc32 } from 'node:zlib'
import { loadWasm } from '../../base/load-wasm.ts'

export type Wrapping = 'gzip' | 'zlib' | 'raw'

export interface Inflated {
  /** Everything that came out, in memory of its own. */
  bytes: Uint8Array<ArrayBuffer>
  /** `early`: the input ends before the stream does. `full`: there is more than the limit, and `bytes` are as many. */
  end: 'whole' | 'early' | 'damaged' | 'full'
}

/** Never throws because of the input. Bytes after a stream are ignored, but gzip may have several members. */
export type Inflate = (input: Uint8Array, wrapping: Wrapping, max: number) => Inflated

interface Inflater {
  memory: { buffer: ArrayBuffer }
  input(): number
  inputBytes(): number
  output(): number
  outputEnd(): number
  made(): number
  read(): number
  touched(): number
  feed(bytes: number): void
  begin(at: number): void
  clear(): void
  slide(): void
  run(end: number): number
  adler32(sums: number, from: number, to: number): number
}

/** What `run` returns: see `assembly/inflate/memory.ts`. */
const HUNGRY = 0
const FULL = 1
const DONE = 2

const EMPTY = new Uint8Array(0)

type Sum = 'crc32' | 'adler32' | 'none'
type End = Inflated['end']

export function openInflate(): Inflate {
  const unpacker = new Unpacker()
  return (input, wrapping, max) => unpacker.unpack(input, wrapping, max)
}

class Unpacker {
  readonly #inflater = loadWasm<Inflater>(new URL('inflate.wasm', import.meta.url))
  readonly #memory = new Uint8Array(this.#inflater.memory.buffer)
  readonly #inputAddress = this.#inflater.input()
  readonly #inputBytes = this.#inflater.inputBytes()
  readonly #outputAddress = this.#inflater.output()
  readonly #outputEnd = this.#inflater.outputEnd()

  #input: Uint8Array = EMPTY
  /** What the module has of it. */
  #fedFrom = 0
  #fedTo = 0
  #max = 0
  /** What was taken from the module already, and where the rest begins. */
  #parts: Uint8Array[] = []
  #taken = 0
  #start = 0
  /** Of the stream so far. */
  #sum = 0
  #size = 0

  unpack(input: Uint8Array, wrapping: Wrapping, max: number): Inflated {
    this.#input = input
    this.#max = max
    this.#taken = 0
    this.#start = this.#outputAddress
    this.#inflater.clear()
    this.#feed(0)
    const end = wrapping === 'gzip' ? this.#gzip() : wrapping === 'zlib' ? this.#zlib() : this.#raw()
    const bytes = this.#result()
    this.#input = EMPTY
    return { bytes, end }
  }

  /** Consecutive members. Zeros after them are padding; anything else must be another member. */
  #gzip(): End {
    const input = this.#input
    let at = 0
    do {
      const header = gzipHeader(input, at)
      if (typeof header === 'string') return header
      const end = this.#stream(header, 'crc32')
      if (end !== 'whole') return end
      const trailer = this.#streamEnd()
      if (trailer + 4 > input.length) return 'early'
      if (wordAt(input, trailer) !== this.#sum) return 'damaged'
      if (trailer + 8 > input.length) return 'early'
      if (wordAt(input, trailer + 4) !== this.#size % 2 ** 32) return 'damaged'
      at = trailer + 8
    } while (at < input.length && input[at] !== 0)
    return 'whole'
  }

  #zlib(): End {
    const header = zlibHeader(this.#input)
    if (typeof header === 'string') return header
    const end = this.#stream(header, 'adler32')
    if (end !== 'whole') return end
    const trailer = this.#streamEnd()
    if (trailer + 4 > this.#input.length) return 'early'
    const [a, b, c, d] = this.#input.subarray(trailer)
    return ((a << 24) | (b << 16) | (c << 8) | d) === (this.#sum | 0) ? 'whole' : 'damaged'
  }

  #raw(): End {
    return this.#stream(0, 'none')
  }

  #stream(at: number, sum: Sum): End {
    const inflater = this.#inflater
    // If that is beyond what the module has, it will ask for more input.
    inflater.begin(at - this.#fedFrom)
    this.#sum = sum === 'adler32' ? 1 : 0
    this.#size = 0
    for (;;) {
      const before = inflater.made()
      const room = this.#max - this.#taken - (before - this.#start)
      // One byte more than fits shows that the limit was exceeded.
      const finding = inflater.run(Math.min(this.#outputEnd, before + room + 1))
      const made = inflater.made()
      if (made - before > room) return 'full'
      this.#add(sum, before, made)
      if (finding === DONE) return 'whole'
      if (finding === FULL) {
        this.#take(made)
        inflater.slide()
        this.#start = inflater.made()
      } else if (finding === HUNGRY) {
        if (this.#fedTo === this.#input.length) return 'early'
        this.#feed(this.#fedFrom + inflater.read())
      } else {
        return 'damaged'
      }
    }
  }

  #streamEnd(): number {
    return this.#fedFrom + this.#inflater.touched()
  }

  #feed(from: number): void {
    const to = Math.min(this.#input.length, from + this.#inputBytes)
    this.#memory.set(
      from === 0 && to === this.#input.length ? this.#input : this.#input.subarray(from, to),
      this.#inputAddress,
    )
    this.#inflater.feed(to - from)
    this.#fedFrom = from
    this.#fedTo = to
  }

  #add(sum: Sum, from: number, to: number): void {
    this.#size += to - from
    if (sum === 'crc32') this.#sum = crc32(this.#memory.subarray(from, to), this.#sum)
    else if (sum === 'adler32') this.#sum = this.#inflater.adler32(this.#sum, from, to) >>> 0
  }

  #take(to: number): void {
    this.#parts.push(this.#memory.slice(this.#start, to))
    this.#taken += to - this.#start
  }

  #result(): Uint8Array<ArrayBuffer> {
    const left = Math.min(this.#inflater.made() - this.#start, this.#max - this.#taken)
    const bytes = Buffer.allocUnsafeSlow(this.#taken + left)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    bytes.set(this.#memory.subarray(this.#start, this.#start + left), at)
    this.#parts = []
    return bytes
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}

/**
 * The wrapping of a deflate stream: a header, and checksums that must agree. Checked field by field as in zlib: a wrong
 * field counts, whatever is missing behind it.
 */

/** `early`: the input ends before the beginning of the stream is known. */
export type Header = number | 'early' | 'damaged'

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, unknown: 0xe0 } as const
const DEFLATED = 8

/** Where the stream of the member at `start` begins. */
export function gzipHeader(bytes: Uint8Array, start: number): Header {
  const left = bytes.length - start
  if (left < 2) return 'early'
  if (bytes[start] !== 0x1f || bytes[start + 1] !== 0x8b) return 'damaged'
  if (left < 4) return 'early'
  const flags = bytes[start + 3]
  if (bytes[start + 2] !== DEFLATED || flags & FLAG.unknown) return 'damaged'
  let at = start + 10
  if (flags & FLAG.extra) {
    if (at + 2 > bytes.length) return 'early'
    at += 2 + bytes[at] + bytes[at + 1] * 256
  }
  for (const text of [FLAG.name, FLAG.comment]) {
    if (!(flags & text)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return 'early'
    at = end + 1
  }
  if (flags & FLAG.headerCrc) {
    if (at + 2 > bytes.length) return 'early'
    if ((bytes[at] | (bytes[at + 1] << 8)) !== (crc32(bytes.subarray(start, at)) & 0xffff)) return 'damaged'
    at += 2
  }
  return at > bytes.length ? 'early' : at
}

const LARGEST_WINDOW = 7
const NEEDS_DICTIONARY = 0x20

export function zlibHeader(bytes: Uint8Array): Header {
  if (bytes.length < 2) return 'early'
  const [method, flags] = bytes
  if (((method << 8) | flags) % 31 !== 0 || (method & 15) !== DEFLATED || method >> 4 > LARGEST_WINDOW) return 'damaged'
  if (!(flags & NEEDS_DICTIONARY)) return 2
  return bytes.length < 6 ? 'early' : 'damaged'
}
