/** Where a command writes: results on standard output, progress and problems on standard error, so that results can be piped. */

import { closeSync, openSync, writeSync } from 'node:fs'
import { columnsOf, plainJson, wrap } from './text.ts'

export interface Screen {
  /** A line on standard output. */
  print(text: string): void
  /** What `--json` prints. */
  printJson(value: object): void
  /** A sentence on standard output: on a terminal it is wrapped between words and keeps its indentation. */
  printSentence(text: string): void
  /** Bytes on standard output; waits for a slow reader. */
  write(bytes: Uint8Array | string): Promise<void>
  /** A line on standard error, above the live view if there is one. */
  say(text: string): void
  /** Replaces the live view; an empty list erases it. */
  draw(lines: readonly string[]): void
  /** Whether standard error is a terminal that can show a live view. */
  readonly isTerminal: boolean
  readonly colour: boolean
  /** Whether standard output is a terminal that can show colours. */
  readonly printsColour: boolean
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

/** For a terminal that reports width 0. */
const USUAL_WIDTH = 80

const UP = (lines: number) => (lines === 0 ? '' : `\x1b[${lines}A`)
const CLEAR_BELOW = '\r\x1b[J'
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'

export function makeScreen(out: Stream, err: Stream, env: Readonly<Record<string, string | undefined>>): Screen {
  let drawn: readonly string[] = []
  const mayColour = env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === ''
  const isTerminal = err.isTTY === true && env['TERM'] !== 'dumb'
  const width = () => Math.max(10, Math.min(err.columns || USUAL_WIDTH, 200))
  // If the terminal has become narrower, a line takes several rows.
  const rows = () => drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / width())), 0)
  const erase = () => (drawn.length === 0 ? '' : UP(rows()) + CLEAR_BELOW)
  // A command to copy stays in one piece, however the terminal breaks it.
  const fit = (line: string) =>
    columnsOf(line) <= width() || /\borbweaver [a-z]/.test(line) ? line : wrap(line, width()).join('\n')
  const picture = () => drawn.map((line) => `${line}\n`).join('')
  const print = (text: string) => {
    // Both streams may be the same terminal: erase the view, then draw it again.
    if (drawn.length > 0) err.write(erase())
    out.write(`${text}\n`)
    if (drawn.length > 0) err.write(picture())
  }
  return {
    isTerminal,
    colour: isTerminal && mayColour,
    printsColour: out.isTTY === true && mayColour,
    width,
    print,
    printJson: (value) => print(plainJson(JSON.stringify(value, undefined, 2))),
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

export interface Output {
  write(data: Uint8Array | string): Promise<void> | void
  /** A reader now finds everything that was written. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Text is written in pieces of this many characters, because a call per line costs more than the line. */
const BLOCK = 64 * 1024

/** Where `-o FILE` writes; no file, or `-`: standard output. Like a shell's `>` it truncates an existing file, so devices and links keep working. */
export function openOutput(path: string | undefined, screen: Screen): Output {
  return outputTo(path === undefined || path === '-' ? undefined : openSync(path, 'w'), screen)
}

/** Writes to an open file, and closes it. Undefined: to standard output. */
export function outputTo(fd: number | undefined, screen: Screen): Output {
  let text = ''
  const put = async (bytes: Uint8Array) => {
    if (fd === undefined) return screen.write(bytes)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  }
  const flush = async () => {
    const block = Buffer.from(text)
    text = ''
    if (block.length > 0) await put(block)
  }
  return {
    write(data) {
      if (typeof data !== 'string') return flush().then(() => put(data))
      text += data
      return text.length < BLOCK ? undefined : flush()
    },
    flush,
    async close() {
      await flush()
      if (fd !== undefined) closeSync(fd)
    },
  }
}
