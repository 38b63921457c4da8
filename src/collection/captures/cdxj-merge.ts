/**
 * Keeps `index.cdxj` sorted, whatever its size, in bounded memory: new lines are sorted in runs, and the runs are merged
 * with the index that is there into a new one, which takes its place by a rename. A crash leaves the old index or the
 * new one, and the same lines may be given again: a line that is there already is dropped.
 *
 * Order is bytewise (LC_ALL=C), which binary search in pywb relies on. Lines are held as one character a byte, so that
 * comparing strings compares bytes.
 */
import { turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'

export const INDEX = 'index.cdxj'
/** New index and runs begin with this; what is left of them after a crash is removed. Not `.cdxj` at the end: pywb reads all of those. */
const PARTIAL = 'index.partial-'

export interface MergeOptions {
  /** Lines sorted in memory at a time. */
  linesARun?: number
}

const LINES_A_RUN = 200_000
const MAX_RUNS = 32
const LINES_A_TURN = 20_000
const LONGEST_LINE = 1024 * 1024

/** Returns how many lines the index has now. */
export async function mergeIndex(
  disk: Disk,
  folder: string,
  lines: Iterable<string> | AsyncIterable<string>,
  options: MergeOptions = {},
): Promise<number> {
  disk.makeFolder(folder)
  removePartials(disk, folder)
  const runs = new Runs(disk, folder)
  let run: string[] = []
  for await (const line of lines) {
    run.push(bytewise(line))
    if (run.length >= (options.linesARun ?? LINES_A_RUN)) {
      runs.spill(run)
      run = []
      await turn()
    }
  }
  if (run.length === 0 && runs.paths.length === 0) return countLines(disk, `${folder}/${INDEX}`)
  run.sort(byBytes)
  const sources = [...runs.paths.map((path) => indexLines(disk, path)), run[Symbol.iterator]()]
  if (disk.size(`${folder}/${INDEX}`) !== undefined) sources.unshift(indexLines(disk, `${folder}/${INDEX}`))
  const count = await writeMerged(disk, folder, sources)
  for (const path of runs.paths) disk.remove(path)
  return count
}

async function writeMerged(disk: Disk, folder: string, sources: Iterator<string>[]): Promise<number> {
  const path = `${folder}/${PARTIAL}new`
  const file = disk.append(path)
  let count = 0
  try {
    const out = new LineWriter((bytes) => file.write(bytes))
    for (const line of merged(sources)) {
      out.line(line)
      if (++count % LINES_A_TURN === 0) await turn()
    }
    out.end()
    // The contents before the name: a rename that survives must not lead to an empty file.
    await file.sync()
  } finally {
    file.close()
  }
  disk.rename(path, `${folder}/${INDEX}`)
  await disk.syncFolder(folder)
  return count
}

/** Sorted files beside the index. They need no sync: after a crash they are made anew. */
class Runs {
  paths: string[] = []
  readonly #disk: Disk
  readonly #folder: string
  #made = 0

  constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#folder = folder
  }

  spill(lines: string[]): void {
    this.#write(lines.sort(byBytes))
    if (this.paths.length < MAX_RUNS) return
    // Each open run holds a piece of its file in memory: many become one.
    const small = this.paths
    this.paths = []
    this.#write(merged(small.map((path) => indexLines(this.#disk, path))))
    for (const path of small) this.#disk.remove(path)
  }

  #write(lines: Iterable<string>): void {
    const path = `${this.#folder}/${PARTIAL}run-${this.#made++}`
    const file = this.#disk.append(path)
    this.paths.push(path)
    try {
      const out = new LineWriter((bytes) => file.write(bytes))
      for (const line of lines) out.line(line)
      out.end()
    } finally {
      file.close()
    }
  }
}

/** The lines of all sources in order, each once. There are few sources, so the smallest line is simply looked for. */
function* merged(sources: Iterator<string>[]): Generator<string> {
  const heads = sources.map((source) => source.next())
  let last: string | undefined
  for (;;) {
    let min = -1
    for (let i = 0; i < heads.length; i++) {
      if (!heads[i].done && (min < 0 || heads[i].value < heads[min].value)) min = i
    }
    if (min < 0) return
    const line: string = heads[min].value
    heads[min] = sources[min].next()
    if (line === last || line === '') continue
    last = line
    yield line
  }
}

const READ_BYTES = 256 * 1024

/** The lines of an index, one character per byte, in bounded memory. */
export function* indexLines(disk: Disk, path: string): Generator<string> {
  const size = disk.size(path) ?? 0
  let rest = ''
  for (let at = 0; at < size; ) {
    const bytes = disk.read(path, at, READ_BYTES)
    if (bytes.length === 0) break
    at += bytes.length
    const lines = (rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) {
      throw new Problem('unreadable', `${path} is no index: it has a line of over 1 MB. Remove it and export it again.`)
    }
    yield* lines
  }
  if (rest !== '') yield rest
}

function countLines(disk: Disk, path: string): number {
  let count = 0
  for (const line of indexLines(disk, path)) if (line !== '') count++
  return count
}

class LineWriter {
  readonly #write: (bytes: Uint8Array) => void
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  #filled = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  line(line: string): void {
    if (this.#filled + line.length + 1 > this.#buffer.length) this.end()
    if (line.length + 1 > this.#buffer.length) {
      this.#write(Buffer.from(line + '\n', 'latin1'))
      return
    }
    this.#filled += this.#buffer.write(line, this.#filled, 'latin1')
    this.#buffer[this.#filled++] = 10
  }

  end(): void {
    if (this.#filled > 0) this.#write(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }
}

function removePartials(disk: Disk, folder: string): void {
  for (const name of disk.list(folder)) if (name.startsWith(PARTIAL)) disk.remove(`${folder}/${name}`)
}

/** Lines are compared as bytes and shown as text. */
export function lineText(bytewise: string): string {
  return /^[\x00-\x7f]*$/.test(bytewise) ? bytewise : Buffer.from(bytewise, 'latin1').toString('utf8')
}

/** A line's end inside a line is two lines; here it can only be a fault, and becomes a space. */
function bytewise(line: string): string {
  const one = /[\r\n]/.test(line) ? line.trimEnd().replace(/[\r\n]+/g, ' ') : line
  return /[^\x00-\x7f]/.test(one) ? Buffer.from(one, 'utf8').toString('latin1') : one
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
