/** Whether the CDXJ index says of every capture what the catalogue says, in the right order, and nothing else. */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { cdxjLine } from '../../collection/captures/cdxj.ts'
import { INDEX } from '../../collection/captures/cdxj-merge.ts'
import { everyCapture } from '../../collection/captures/find-captures.ts'
import { captureCount, capturesIn } from '../../collection/captures/read-captures.ts'
import { bucketOfId, numberOfId } from '../../collection/row-id.ts'
import type { Database, Tx } from '../../database/database.ts'
import { indexFileLines, lineText } from '../composition/open-index.ts'
import { Findings } from './faults.ts'

const LINES_AT_ONCE = 1000
/** The index, as findings name it. */
export const INDEX_HERE = `indexes/${INDEX}`

/** `mayLag`: a crawl runs, or was cut off: it completes the index at its end. */
export async function verifyIndex(
  { database, disk, indexes }: { database: Database; disk: Disk; indexes: string },
  findings: Findings,
  mayLag: () => Promise<boolean>,
): Promise<void> {
  const path = join(indexes, INDEX)
  const size = disk.size(path)
  const found = new Findings()
  const seen = await checkLines(database, disk, path, found)
  // An index only grows, so one of the same size is the same.
  if (disk.size(path) !== size) {
    findings.note(INDEX_HERE, 'was replaced while it was read, and is not judged')
    return
  }
  for (const { where, what } of found.all()) findings.fault(where, what)
  const captures = await database.read(captureCount)
  if (seen.size === captures) return
  if (await mayLag()) {
    const rest = 'the rest is added when the crawl, or the server of this folder, ends'
    findings.note(INDEX_HERE, `has ${seen.size} of ${captures} captures: ${rest}`)
  } else await nameMissing(database, findings, seen)
}

/** Every line against its capture; the captures that have one. */
async function checkLines(database: Database, disk: Disk, path: string, findings: Findings): Promise<IdSet> {
  const seen = new IdSet()
  let before = ''
  let number = 0
  for (const lines of piecesOf(indexFileLines(disk, path), LINES_AT_ONCE)) {
    for (const line of lines) {
      number++
      if (line <= before)
        findings.fault(whereOf(number), line === before ? 'stands there twice' : 'is not in its order')
      before = line
    }
    const first = number - lines.length + 1
    const { found, ids } = await database.read((tx) => compareLines(tx, lines, first))
    findings.include(found)
    for (const id of ids) seen.add(id)
  }
  return seen
}

const whereOf = (number: number) => `${INDEX_HERE} line ${number}`

async function compareLines(
  tx: Tx,
  lines: readonly string[],
  first: number,
): Promise<{ found: Findings; ids: number[] }> {
  const found = new Findings()
  const ids: number[] = []
  const locations = lines.map(locationOf)
  const asked = locations.map((location) => location && capturesIn(tx, location.filename, location.offset, 1))
  for (const [i, captures] of (await Promise.all(asked)).entries()) {
    const where = whereOf(first + i)
    const location = locations[i]
    const capture = captures?.at(0)
    if (location === undefined) found.fault(where, 'is no line of CDXJ')
    else if (capture?.offset !== location.offset) {
      found.fault(where, `names ${location.filename} at ${location.offset}, where the catalogue has no capture`)
    } else {
      ids.push(capture.id)
      if (cdxjLine({ ...capture, filename: capture.volume }) !== lineText(lines[i]))
        found.fault(where, `does not say of ${capture.url} what the catalogue says`)
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

async function nameMissing(database: Database, findings: Findings, seen: IdSet): Promise<void> {
  for await (const { id, url, volume, offset } of everyCapture(database)) {
    if (!seen.has(id)) findings.fault(INDEX_HERE, `lacks ${url}, which lies in ${volume} at ${offset}`)
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
