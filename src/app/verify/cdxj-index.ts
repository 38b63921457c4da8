/** Checks that the CDXJ index says of every capture what the catalogue says, in order, and nothing else. */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { cdxjLine } from '../../collection/captures/cdxj.ts'
import { INDEX, indexLines, lineText } from '../../collection/captures/cdxj-merge.ts'
import { captureCount, capturesIn, everyCapture } from '../../collection/captures/read-captures.ts'
import { bucketOfId, numberOfId } from '../../collection/row-id.ts'
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
  for (const { where, what } of found.all()) faults.add(where, what)
  const captures = await database.read(captureCount)
  if (seen.size === captures) return
  if (await mayLag()) {
    const rest = 'the rest is added when the crawl, or the server of this folder, ends'
    faults.note(INDEX_PATH, `has ${seen.size} of ${captures} captures: ${rest}`)
  } else await nameMissing(database, faults, seen)
}

/** Compares every line with its capture. Returns the captures that have a line. */
async function checkLines(database: Database, disk: Disk, path: string, faults: Faults): Promise<IdSet> {
  const seen = new IdSet()
  let before = ''
  let number = 0
  for (const lines of piecesOf(indexLines(disk, path), LINES_AT_ONCE)) {
    for (const line of lines) {
      number++
      if (line <= before) faults.add(whereOf(number), line === before ? 'is there twice' : 'is out of order')
      before = line
    }
    const first = number - lines.length + 1
    const { found, ids } = await database.read((tx) => compareLines(tx, lines, first))
    faults.include(found)
    for (const id of ids) seen.add(id)
  }
  return seen
}

const whereOf = (number: number) => `${INDEX_PATH} line ${number}`

async function compareLines(tx: Tx, lines: readonly string[], first: number) {
  const found = new Faults()
  const ids: number[] = []
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
      ids.push(capture.id)
      if (cdxjLine(capture) !== lineText(lines[i]))
        found.add(where, `does not say of ${capture.url} what the catalogue says`)
    }
  }
  return { found, ids }
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

async function nameMissing(database: Database, faults: Faults, seen: IdSet): Promise<void> {
  for await (const { id, url, volume, offset } of everyCapture(database)) {
    if (!seen.has(id)) faults.add(INDEX_PATH, `lacks ${url}, which lies in ${volume} at ${offset}`)
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

/** A bit for each capture: 100 million take 12 MB. */
class IdSet {
  /** By bucket, for ids of one bucket lie close together. */
  readonly #buckets = new Map<number, Uint8Array>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(id: number): boolean {
    const number = numberOfId(id)
    return ((this.#buckets.get(bucketOfId(id))?.[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0
  }

  add(id: number): void {
    if (this.has(id)) return
    const number = numberOfId(id)
    this.#bitsFor(bucketOfId(id), number)[Math.floor(number / 8)] |= 1 << (number % 8)
    this.#size++
  }

  #bitsFor(bucket: number, number: number): Uint8Array {
    const bits = this.#buckets.get(bucket) ?? new Uint8Array(1024)
    const at = Math.floor(number / 8)
    if (at < bits.length && this.#buckets.has(bucket)) return bits
    const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
    grown.set(bits)
    this.#buckets.set(bucket, grown)
    return grown
  }
}
