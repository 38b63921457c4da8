/**
 * Keeps `index.cdxj` sorted, whatever its size, in bounded memory: new lines are sorted in runs, and the runs are merged with
 * the old index into a new one, which replaces it by a rename. A crash leaves one of the two, and lines may be given again:
 * duplicates are dropped.
 *
 * pywb's binary search needs byte order (LC_ALL=C). Lines are held with one character per byte, so comparing strings compares
 * bytes.
 */
import { turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'

export const INDEX = 'index.cdxj'
/** Prefix of the new index and of runs; those left by a crash are removed. They do not end in `.cdxj`, because pywb reads all of those. */
const PARTIAL = 'index.partial-'

/** Lines sorted in memory at a time. */
const LINES_PER_RUN = 200_000
const MAX_RUNS = 32
const LINES_PER_TURN = 20_000
const LONGEST_LINE = 1024 * 1024

/** Lines come in pieces. Returns the number of lines in the index. `anew`: without the lines that it has. */
export async function mergeIndex(
  disk: Disk,
  folder: string,
  pieces: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
  anew = false,
  linesPerRun = LINES_PER_RUN,
): Promise<number> {
  disk.makeFolder(folder)
  for (const name of disk.list(folder)) if (name.startsWith(PARTIAL)) disk.remove(`${folder}/${name}`)
  const runs = sortedRuns(disk, folder)
  let run: string[] = []
  for await (const lines of pieces) {
    for (const line of lines) {
      const text = bytewise(line)
      if (text !== '') run.push(text)
      if (run.length < linesPerRun) continue
      await runs.spill(run)
      run = []
    }
  }
  if (!anew && run.length === 0 && runs.paths.length === 0) {
    let count = 0
    for (const _ of indexLines(disk, `${folder}/${INDEX}`)) count++
    return count
  }
  run.sort(byBytes)
  const sources = [...runs.paths.map((path) => indexLines(disk, path)), run[Symbol.iterator]()]
  if (!anew && disk.size(`${folder}/${INDEX}`) !== undefined) sources.unshift(indexLines(disk, `${folder}/${INDEX}`))
  const path = `${folder}/${PARTIAL}new`
  const count = await writeLines(disk, path, merged(sources), true)
  disk.rename(path, `${folder}/${INDEX}`)
  await disk.syncFolder(folder)
  for (const path of runs.paths) disk.remove(path)
  return count
}

/** Returns the number of lines. */
async function writeLines(disk: Disk, path: string, lines: Iterable<string>, sync: boolean): Promise<number> {
  const file = disk.append(path)
  let count = 0
  let text = ''
  try {
    for (const line of lines) {
      text += line + '\n'
      if (text.length >= PIECE_BYTES) {
        file.write(Buffer.from(text, 'latin1'))
        text = ''
      }
      if (++count % LINES_PER_TURN === 0) await turn()
    }
    file.write(Buffer.from(text, 'latin1'))
    // Before the rename: a crash must not leave an empty index.
    if (sync) await file.sync()
  } finally {
    file.close()
  }
  return count
}

/** Sorted files beside the index. They need no sync: after a crash they are written again. */
function sortedRuns(disk: Disk, folder: string) {
  let paths: string[] = []
  let made = 0
  const write = async (lines: Iterable<string>): Promise<void> => {
    const path = `${folder}/${PARTIAL}run-${made++}`
    paths.push(path)
    await writeLines(disk, path, lines, false)
  }
  return {
    get paths() {
      return paths
    },
    async spill(lines: string[]): Promise<void> {
      await write(lines.sort(byBytes))
      if (paths.length < MAX_RUNS) return
      // Each open run holds a piece of its file in memory, so many are merged into one.
      const small = paths
      paths = []
      await write(merged(small.map((path) => indexLines(disk, path))))
      for (const path of small) disk.remove(path)
    },
  }
}

/** The lines of all sources in order, each once. With so few sources a linear search for the smallest line is enough. */
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
    if (line === last) continue
    last = line
    yield line
  }
}

/** Read or written at once. */
const PIECE_BYTES = 256 * 1024

/** The lines of an index, one character per byte, in bounded memory. */
export function* indexLines(disk: Disk, path: string): Generator<string> {
  const size = disk.size(path) ?? 0
  let rest = ''
  for (let at = 0; at < size; ) {
    const bytes = disk.read(path, at, PIECE_BYTES)
    if (bytes.length === 0) break
    at += bytes.length
    const lines = (rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) {
      throw new Problem(
        'unreadable',
        `${path} is not an index: it has a line of over 1 MB. Remove it and export it again.`,
      )
    }
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}

/** Lines are compared as bytes and shown as text. */
export function lineText(bytewise: string): string {
  return /^[\x00-\x7f]*$/.test(bytewise) ? bytewise : Buffer.from(bytewise, 'latin1').toString('utf8')
}

/** A line break inside a line can only be a fault, and becomes a space. */
function bytewise(line: string): string {
  const one = /[\r\n]/.test(line) ? line.trimEnd().replace(/[\r\n]+/g, ' ') : line
  return /[^\x00-\x7f]/.test(one) ? Buffer.from(one, 'utf8').toString('latin1') : one
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
