/** Splits bytes into lines, in batches and bounded memory. A line that is too long is cut, marked and counted. */
import { type Chunks, unfolded } from './decompress.ts'
import { type Found, refused } from './found.ts'

export interface Line {
  /** Starts at 1. */
  number: number
  /** Without the line end; only the beginning if the line is too long. */
  text: string
  isTooLong: boolean
}

/** Longer than any accepted URL plus the other fields on a line of an index. */
export const LONGEST_LINE = 64 * 1024
const SHOWN_OF_TOO_LONG = 200

const LF = 0x0a
const CR = 0x0d
const BOM = [0xef, 0xbb, 0xbf]

/** What a reader of lines finds in a file. */
export async function* foundIn(chunks: Chunks, read: (line: Line) => Found[]): AsyncGenerator<readonly Found[]> {
  for await (const lines of linesOf(unfolded(chunks)))
    yield lines.flatMap((line) =>
      line.isTooLong ? [refused(line.text, line.number, 'the line is too long')] : read(line),
    )
}

/** Lines end with LF, CRLF or a lone CR; a byte order mark at the start is dropped. */
export async function* linesOf(chunks: Chunks, longest = LONGEST_LINE): AsyncGenerator<readonly Line[]> {
  const gather = new LineGatherer(longest)
  for await (const chunk of chunks) {
    const lines = gather.push(chunk)
    if (lines.length > 0) yield lines
  }
  const last = gather.end()
  if (last !== undefined) yield [last]
}

class LineGatherer {
  readonly #longest: number
  /** The bytes of the unfinished line, at most a little more than `#longest`. */
  #pieces: Uint8Array[] = []
  #length = 0
  #number = 1
  /** The last byte was a CR, so a following LF belongs to it. */
  #afterCr = false

  constructor(longest: number) {
    this.#longest = longest
  }

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = []
    let from = this.#afterCr && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) this.#afterCr = false
    // Each kind of line end is searched for once: a chunk without CR is not searched again for every line.
    let cr = chunk.indexOf(CR, from)
    let lf = chunk.indexOf(LF, from)
    while (cr >= 0 || lf >= 0) {
      const isCr = cr >= 0 && (lf < 0 || cr < lf)
      const end = isCr ? cr : lf
      lines.push(this.#line(chunk.subarray(from, end)))
      from = end + 1
      if (isCr && chunk[from] === LF) from++
      else if (isCr && from === chunk.length) this.#afterCr = true
      if (cr >= 0 && cr < from) cr = chunk.indexOf(CR, from)
      if (lf >= 0 && lf < from) lf = chunk.indexOf(LF, from)
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  end(): Line | undefined {
    return this.#length === 0 ? undefined : this.#line(new Uint8Array(0))
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    // A copy, so that a few bytes do not keep a whole chunk in memory.
    if (this.#length <= this.#longest) this.#pieces.push(new Uint8Array(bytes.subarray(0, this.#longest + 1)))
    this.#length += bytes.length
  }

  #line(rest: Uint8Array): Line {
    const number = this.#number++
    const whole = this.#pieces.length === 0 ? rest : Buffer.concat([...this.#pieces, rest])
    const isTooLong = this.#length + rest.length > this.#longest
    this.#pieces = []
    this.#length = 0
    const bytes = number === 1 && BOM.every((byte, i) => whole[i] === byte) ? whole.subarray(3) : whole
    const shown = isTooLong ? bytes.subarray(0, SHOWN_OF_TOO_LONG) : bytes
    return { number, text: textOf(shown), isTooLong }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
