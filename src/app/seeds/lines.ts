/** Splits bytes into lines, in batches and bounded memory. A line that is too long is cut and marked. */
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
const LONGEST_LINE = 64 * 1024
const SHOWN_OF_TOO_LONG = 200

/** What a reader of lines finds in a file. */
export async function* foundIn(chunks: Chunks, read: (line: Line) => Found[]): AsyncGenerator<readonly Found[]> {
  for await (const lines of linesOf(unfolded(chunks)))
    yield lines.flatMap((line) =>
      line.isTooLong ? [refused(line.text, line.number, 'the line is too long')] : read(line),
    )
}

/** Lines end with LF, CRLF or a lone CR; a byte order mark at the start is dropped. */
export async function* linesOf(chunks: Chunks, longest = LONGEST_LINE): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder()
  let number = 0
  let rest = ''
  const lineOf = (text: string): Line => {
    const isTooLong = text.length > longest
    return { number: ++number, text: isTooLong ? text.slice(0, SHOWN_OF_TOO_LONG) : text, isTooLong }
  }
  for await (const chunk of chunks) {
    // A CR at the end may be half of a line end.
    const texts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = texts.pop()!
    if (rest.length > longest + 1) rest = rest.slice(0, longest + 1) + (rest.endsWith('\r') ? '\r' : '')
    if (texts.length > 0) yield texts.map(lineOf)
  }
  const last = (rest + decoder.decode()).split(/\r\n|\n|\r/)
  if (last.at(-1) === '') last.pop()
  if (last.length > 0) yield last.map(lineOf)
}
