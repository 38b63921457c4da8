/** Decodes the chunked coding, however the bytes are cut into pieces. */

/** Where the payload goes. */
interface PayloadSink {
  readonly length: number
  add(piece: Uint8Array): void
}

/** A size with its extensions, or one trailer line. */
const LONGEST_LINE = 4_096
const MAX_TRAILER_BYTES = 16_384
/** One-byte chunks need 5 bytes of framing per byte; more than this is not a page. */
const FRAMING_ALLOWANCE = 65_536
const FRAMING_PER_BYTE = 8
const SIZE_LINE = /^0*([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i
const LF = 10
const CR = 13

export type ChunkedState =
  | 'more' // incomplete so far
  | 'done' // the last chunk and its trailers were read
  | 'limit' // the size limit is reached, and more are announced
  | 'broken' // this is not the chunked coding, or too much framing

export class ChunkedBody {
  readonly #payload: PayloadSink
  readonly #max: number
  #at: 'size' | 'data' | 'data-end' | 'data-end-lf' | 'trailers' = 'size'
  /** The part of a line from earlier pieces. */
  #line = ''
  #left = 0
  #framing = 0
  #trailerBytes = 0

  constructor(payload: PayloadSink, max: number) {
    this.#payload = payload
    this.#max = max
  }

  /** The last chunk was read: the payload is complete. */
  get isWhole(): boolean {
    return this.#at === 'trailers'
  }

  /** Reads from `from` on; `end` is the offset after the last byte that belongs to the body. */
  feed(bytes: Buffer, from = 0): { state: ChunkedState; end: number } {
    let at = from
    while (at < bytes.length) {
      switch (this.#at) {
        case 'data': {
          const end = Math.min(at + this.#left, at + this.#max - this.#payload.length, bytes.length)
          this.#payload.add(bytes.subarray(at, end))
          this.#left -= end - at
          at = end
          if (this.#left === 0) this.#at = 'data-end'
          else if (this.#payload.length >= this.#max) return { state: 'limit', end: at }
          break
        }
        case 'data-end':
        case 'data-end-lf': {
          const byte = bytes[at++]
          this.#framing++
          if (byte === LF) this.#at = 'size'
          else if (byte === CR && this.#at === 'data-end') this.#at = 'data-end-lf'
          else return { state: 'broken', end: at }
          break
        }
        case 'size':
        case 'trailers': {
          const lineEnd = bytes.indexOf(LF, at)
          const until = lineEnd < 0 ? bytes.length : lineEnd
          if (this.#line.length + until - at > LONGEST_LINE) return { state: 'broken', end: at }
          this.#line += bytes.toString('latin1', at, until)
          at = until
          if (lineEnd < 0) break
          at++
          const state = this.#takeLine()
          if (state !== 'more') return { state, end: at }
        }
      }
    }
    return { state: 'more', end: at }
  }

  #takeLine(): ChunkedState {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    const bytes = this.#line.length + 1
    this.#line = ''
    if (this.#at === 'trailers') {
      if (line === '') return 'done'
      this.#trailerBytes += bytes
      return this.#trailerBytes > MAX_TRAILER_BYTES ? 'broken' : 'more'
    }
    this.#framing += bytes
    if (this.#framing > FRAMING_ALLOWANCE + FRAMING_PER_BYTE * this.#payload.length) return 'broken'
    const size = SIZE_LINE.exec(line)
    if (size === null) return 'broken'
    this.#left = Number.parseInt(size[1], 16)
    if (this.#left === 0) {
      this.#at = 'trailers'
      return 'more'
    }
    this.#at = 'data'
    return this.#payload.length >= this.#max ? 'limit' : 'more'
  }
}

/** The payload of a chunked body as far as it came: of a chunk that was cut, the part that is there. */
export function dechunk(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  const sink = {
    length: 0,
    add(piece: Uint8Array) {
      parts.push(piece)
      this.length += piece.length
    },
  }
  new ChunkedBody(sink, Number.POSITIVE_INFINITY).feed(Buffer.from(body.buffer, body.byteOffset, body.length))
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, sink.length)
}
