/** Where a command writes: results on one side, progress and problems on the other, so that results can be piped. */

import { wrap } from '../config/describe.ts'

export interface Screen {
  /** Standard output, with a line's end. */
  print(text: string): void
  /** The same of a sentence: on a terminal it is broken between words, and keeps its indent. */
  printSentence(text: string): void
  /** Standard output, as it is; waits while a slow reader catches up. */
  write(bytes: Uint8Array | string): Promise<void>
  /** Standard error, with a line's end. Never disturbs a live view that is being drawn. */
  say(text: string): void
  /** Draws the live view anew in the place of the last one; an empty list takes it away. */
  draw(lines: readonly string[]): void
  /** Whether standard error is a terminal on which a live view can be drawn. */
  readonly isTerminal: boolean
  readonly colour: boolean
  /** Columns, now. */
  width(): number
}

/** The part of a stream that a screen needs. */
export interface Stream {
  write(data: string | Uint8Array, done?: () => void): boolean
  once(event: 'drain', call: () => void): unknown
  isTTY?: boolean
  columns?: number
}

/** A terminal that does not know its width says 0. */
const USUAL_WIDTH = 80

const UP = (lines: number) => (lines === 0 ? '' : `\x1b[${lines}A`)
const CLEAR_BELOW = '\r\x1b[J'
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'

export function makeScreen(out: Stream, err: Stream, env: Readonly<Record<string, string | undefined>>): Screen {
  let drawn: readonly string[] = []
  const isTerminal = err.isTTY === true && env['TERM'] !== 'dumb'
  const width = () => Math.max(10, Math.min(err.columns || USUAL_WIDTH, 200))
  // On a terminal that became narrower since, a line takes several rows.
  const rows = () => drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / width())), 0)
  const erase = () => (drawn.length === 0 ? '' : UP(rows()) + CLEAR_BELOW)
  // Not in the middle of a word; a command to copy stays in one piece, however the terminal breaks it.
  const fit = (line: string) =>
    columnsOf(line) <= width() || /\borbweaver [a-z]/.test(line) ? line : wrap(line, width()).join('\n')
  const picture = () => drawn.map((line) => `${line}\n`).join('')
  const print = (text: string) => {
    // Both streams may be the same terminal: the view makes room and comes back.
    if (drawn.length > 0) err.write(erase())
    out.write(`${text}\n`)
    if (drawn.length > 0) err.write(picture())
  }
  return {
    isTerminal,
    colour: isTerminal && (env['NO_COLOR'] ?? '') === '',
    // A line that is longer than the terminal takes two rows, and the next picture would begin in the wrong place.
    width,
    print,
    printSentence(text) {
      const columns = out.isTTY === true ? Math.max(20, out.columns || USUAL_WIDTH) : Number.POSITIVE_INFINITY
      const indent = text.slice(0, text.length - text.trimStart().length)
      const lines =
        columnsOf(text) <= columns ? [text] : wrap(text.trim(), columns - indent.length).map((line) => indent + line)
      print(lines.join('\n'))
    },
    write(bytes) {
      return new Promise((resolve) => {
        if (out.write(bytes)) resolve()
        else out.once('drain', resolve)
      })
    },
    say(text) {
      const fitted = isTerminal ? text.split('\n').map(fit).join('\n') : text
      err.write(`${erase()}${fitted}\n${picture()}`)
    },
    draw(lines) {
      if (!isTerminal) return
      const before = erase()
      const cursor = drawn.length === 0 && lines.length > 0 ? HIDE_CURSOR : ''
      const after = drawn.length > 0 && lines.length === 0 ? SHOW_CURSOR : ''
      drawn = lines
      err.write(cursor + before + picture() + after)
    },
  }
}

function columnsOf(line: string): number {
  return [...line.replace(/\x1b\[\d+m/g, '')].length
}
