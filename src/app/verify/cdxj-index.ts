/** Checks that the CDXJ index says of every capture what the catalogue says, in order, and nothing else. */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { cdxjLine } from '../../collection/captures/cdxj.ts'
import { INDEX, indexLines, lineText } from '../../collection/captures/cdxj-merge.ts'
import { captureCount, capturesIn } from '../../collection/captures/read-captures.ts'
import type { Database, Tx } from '../../database/database.ts'
import { Faults } from './faults.ts'

const LINES_AT_ONCE = 1000
/** How faults name the index. */
export const INDEX_PATH = `indexes/${INDEX}`

/** `isStale`: a retention was cut off before it wrote the index anew. `mayLag`: a crawl is running or was cut off, and completes the index at its end. */
export async function verifyIndex(
  { database, disk, indexes }: { database: Database; disk: Disk; indexes: string },
  faults: Faults,
  isStale: boolean,
  mayLag: () => Promise<boolean>,
): Promise<void> {
  if (isStale) {
    faults.note(INDEX_PATH, 'has lines of captures that retention removed: the next crawl or clean writes it anew')
    return
  }
  const path = join(indexes, INDEX)
  const size = disk.size(path)
  const found = new Faults()
  const seen = await checkLines(database, disk, path, found)
  // An index only grows: with the same size it is the same.
  if (disk.size(path) !== size) {
    faults.note(INDEX_PATH, 'was replaced while it was read, and is not checked')
    return
  }
  faults.include(found)
  const captures = await database.read(captureCount)
  if (seen === captures) return
  const has = `has ${seen} of ${captures} captures`
  if (await mayLag())
    faults.note(INDEX_PATH, `${has}: the rest is added when the crawl, or the server of this folder, ends`)
  else
    faults.add(
      INDEX_PATH,
      `lacks captures: it ${has}; the next crawl adds the rest, or writes it anew if you remove the file`,
    )
}

/** Compares every line with its capture. Returns how many captures have a line. */
async function checkLines(database: Database, disk: Disk, path: string, faults: Faults): Promise<number> {
  let seen = 0
  let before = ''
  let last = ''
  let number = 0
  for (const lines of piecesOf(indexLines(disk, path), LINES_AT_ONCE)) {
    for (const line of lines) {
      number++
      if (line < before) faults.add(whereOf(number), 'is out of order')
      if (line === before) faults.add(whereOf(number), 'is there twice')
      before = line
    }
    const first = number - lines.length + 1
    const compared = await database.read((tx) => compareLines(tx, lines, first, last))
    last = before
    faults.include(compared.found)
    seen += compared.seen
  }
  return seen
}

const whereOf = (number: number) => `${INDEX_PATH} line ${number}`

/** `before`: the line before the first. */
async function compareLines(tx: Tx, lines: readonly string[], first: number, before: string) {
  const found = new Faults()
  let seen = 0
  const locations = lines.map(locationOf)
  const asked = locations.map((location) => location && capturesIn(tx, location.filename, location.offset, 1))
  for (const [i, captures] of (await Promise.all(asked)).entries()) {
    const where = whereOf(first + i)
    const location = locations[i]
    const capture = captures?.at(0)
    if (location === undefined) found.add(where, 'is not a line of CDXJ')
    else if (capture?.offset !== location.offset) {
      found.add(where, `names ${location.filename} at ${location.offset}, where the catalogue has no capture`)
    } else {
      if (lines[i] !== (i === 0 ? before : lines[i - 1])) seen++
      if (cdxjLine(capture) !== lineText(lines[i]))
        found.add(where, `does not say of ${capture.url} what the catalogue says`)
    }
  }
  return { found, seen }
}

function locationOf(line: string): { filename: string; offset: number } | undefined {
  const json = /^\S+ \d{14} (\{.*\})$/.exec(line)?.[1]
  if (json === undefined) return undefined
  try {
    const { filename, offset } = JSON.parse(json) as Record<string, unknown>
    if (typeof filename !== 'string' || typeof offset !== 'string' || !/^\d{1,15}$/.test(offset)) return undefined
    return { filename, offset: Number(offset) }
  } catch {
    return undefined
  }
}

function* piecesOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = []
  for (const item of items) {
    piece.push(item)
    if (piece.length < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}
