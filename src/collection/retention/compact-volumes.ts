/**
 * Rewrites volumes without the records that retention removed from the catalogue.
 *
 * A crash costs nothing: the new volume is written beside the old one under a name that nobody reads, synced and renamed; one
 * transaction moves the captures to it; the index is written anew; then the old volume is removed. A new volume that no capture
 * names, or an old one that was not removed, is an orphan, which the next run (and `clean`) removes.
 */
import { join } from 'node:path'
import { assert } from '../../base/assert.ts'
import { type Clock, turn } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import type { Random } from '../../base/random.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { zlibGzip } from '../../web/deflate/gzip.ts'
import { bytesOf, MemberReader, parseRecord, type WarcRecord } from '../../web/warc/reader.ts'
import { RECORD_END, recordIds, warcinfoHead } from '../../web/warc/record.ts'
import type { DigestFilter } from '../captures/digest-filter.ts'
import { indexCaptures, markIndexStale } from '../captures/index-captures.ts'
import { capturesIn } from '../captures/read-captures.ts'
import { copyOf } from '../captures/stored-copies.ts'
import { EXTENSION, volumeFiles } from '../volumes/volume-name.ts'

export interface Compaction {
  database: Database
  disk: Disk
  clock: Clock
  random: Random
  /** The collection's. */
  folder: string
  /** This server's name, if several share the database. */
  node: string | undefined
  /** Payloads that revisits refer to. */
  needed: DigestFilter
  /** Called in each transaction that moves captures. */
  guard: (tx: Tx) => Promise<void>
}

export interface Compacted {
  /** Rewritten or removed. */
  volumes: number
  bytes: number
  notes: string[]
}

interface OwnVolume {
  id: number
  name: string
  removedBytes: number
}

/** Below this share of a volume, rewriting it costs more than it frees. */
const MIN_SHARE = 0.05
/** Old volumes that wait for the index. */
const MAX_WAITING_BYTES = 4e9
/** Nothing reads a file of such a name; those that a crash left are removed. */
const UNFINISHED = '.new'

const READ_VOLUMES = 'SELECT id, name, removed_bytes AS "removedBytes" FROM volume ORDER BY name'
const READ_NODES = 'SELECT node, sealed FROM volume_location WHERE name = ?'

/** The complete volumes of this folder, and of no other place: those that can be rewritten. */
export async function ownVolumes({
  database,
  disk,
  folder,
  node,
}: Pick<Compaction, 'database' | 'disk' | 'folder' | 'node'>) {
  const here = new Set(volumeFiles(disk, join(folder, 'archive')).flatMap(({ name, isOpen }) => (isOpen ? [] : [name])))
  return database.read(async (tx) => {
    const own: OwnVolume[] = []
    for (const volume of await queries(tx).all<OwnVolume>(READ_VOLUMES)) {
      if (!here.has(volume.name)) continue
      const nodes = await queries(tx).all<{ node: string; sealed: number }>(READ_NODES, volume.name)
      if (nodes.every((location) => location.node === node && location.sealed === 1)) own.push(volume)
    }
    return own
  })
}

export async function compactVolumes(compaction: Compaction): Promise<Compacted> {
  const { database, disk, folder, node } = compaction
  const archive = join(folder, 'archive')
  const done: Compacted = { volumes: 0, bytes: 0, notes: [] }
  const old = await removeLeftovers(compaction)
  let waiting = 0
  const removeOld = async () => {
    await indexCaptures(database, disk, join(folder, 'indexes'), node)
    if (old.length === 0) return
    for (const name of old) disk.remove(join(archive, name))
    await disk.syncFolder(archive)
    await database.transact((tx) => Promise.all(old.map((name) => queries(tx).run(FORGET_VOLUME, name))))
    old.length = 0
    waiting = 0
  }
  for (const volume of await ownVolumes(compaction)) {
    if (volume.removedBytes === 0) continue
    const size = disk.size(join(archive, volume.name)) ?? 0
    const isNamed = (await database.read((tx) => capturesIn(tx, volume.name, 0, 1))).length > 0
    if (isNamed && volume.removedBytes < MIN_SHARE * size) continue
    const rewritten = await rewrite(compaction, volume).catch((error: unknown) => {
      if (error instanceof Damaged) return error
      throw error
    })
    if (rewritten instanceof Damaged) {
      done.notes.push(
        `${volume.name} is not rewritten, because it is damaged (${rewritten.message}): run 'orbweaver verify'`,
      )
      continue
    }
    done.volumes++
    done.bytes += size - rewritten
    old.push(volume.name)
    waiting += size
    if (waiting > MAX_WAITING_BYTES) await removeOld()
  }
  await removeOld()
  return done
}

/** What a run that was cut off left: removes new volumes that it did not come to use, and returns old ones. */
async function removeLeftovers({ database, disk, folder }: Compaction): Promise<string[]> {
  const archive = join(folder, 'archive')
  if (disk.list(archive).length === 0) return []
  const unfinished = disk.list(archive).filter((file) => file.endsWith(EXTENSION + UNFINISHED))
  for (const file of unfinished) disk.remove(join(archive, file))
  const files = new Set(volumeFiles(disk, archive).map(({ file }) => file))
  const isNamed = (name: string) =>
    database.read(
      async (tx) => (await queries(tx).get('SELECT 1 AS one FROM volume WHERE name = ?', name)) !== undefined,
    )
  const old: string[] = []
  for (const file of files) {
    const next = successorOf(file)
    if (!files.has(next)) continue
    if (!(await isNamed(file))) old.push(file)
    else if (!(await isNamed(next))) disk.remove(join(archive, next))
  }
  await disk.syncFolder(archive)
  return old
}

const GENERATION = /~r(\d+)\.warc\.gz$/

/** `X.warc.gz`, `X~r1.warc.gz`, `X~r2.warc.gz` … */
export function successorOf(name: string): string {
  const found = GENERATION.exec(name)
  const next = found === null ? 1 : Number(found[1]) + 1
  return `${name.slice(0, found === null ? -EXTENSION.length : found.index)}~r${next}${EXTENSION}`
}

class Damaged extends Error {}

/** Returns the size of the new volume; 0 if nothing in the old one is wanted. */
async function rewrite(compaction: Compaction, volume: OwnVolume): Promise<number> {
  const { database, disk, folder, node, guard } = compaction
  const archive = join(folder, 'archive')
  const name = successorOf(volume.name)
  const unfinished = join(archive, name + UNFINISHED)
  let written: Written
  try {
    written = await writeWanted(compaction, volume.name, unfinished, name)
  } catch (error) {
    disk.remove(unfinished)
    throw error
  }
  const isEmpty = written.runs.length === 0
  if (isEmpty) disk.remove(unfinished)
  else disk.rename(unfinished, join(archive, name))
  await disk.syncFolder(archive)
  await database.transact(async (tx) => {
    await guard(tx)
    await markIndexStale(tx)
    await moveCaptures(tx, volume, isEmpty ? undefined : name, written.runs)
    await moveLocation(tx, volume.name, node, isEmpty ? undefined : { name, bytes: written.size })
  })
  return isEmpty ? 0 : written.size
}

/** Records that stay, one after the other: they move by the same number of bytes. */
interface Run {
  from: number
  to: number
  by: number
}

interface Written {
  /** Of wanted records, in the order of the file; none but a warcinfo is left when it is empty. */
  runs: Run[]
  size: number
}

const RECORDS_PER_TURN = 200
const COPIED_AT_ONCE = 1024 * 1024

async function writeWanted(compaction: Compaction, from: string, unfinished: string, name: string): Promise<Written> {
  const { disk, folder } = compaction
  const path = join(folder, 'archive', from)
  const wanted = new WantedRecords(compaction, from)
  const runs: Run[] = []
  const file = disk.append(unfinished)
  const copyLast = () => {
    const run = runs.at(-1)
    for (let at = run?.from ?? 0; run !== undefined && at < run.to; at += COPIED_AT_ONCE)
      file.write(disk.read(path, at, Math.min(COPIED_AT_ONCE, run.to - at)))
  }
  try {
    const reader = new MemberReader(bytesOf(disk, path))
    for (let count = 1; ; count++) {
      const member = reader.next()
      if (member === undefined) break
      const record = member.kind === 'fault' ? member : parseRecord(member)
      if (record.kind === 'fault') throw new Damaged(`at ${record.offset}: ${record.detail}`)
      const { offset, length } = record
      if (count === 1 && record.headers.get('WARC-Type') === 'warcinfo') writeInfo(compaction, file, record, name)
      else if (await wanted.has(record)) {
        const last = runs.at(-1)
        if (last?.to === offset) last.to += length
        else {
          copyLast()
          runs.push({ from: offset, to: offset + length, by: file.size - offset })
        }
      }
      if (count % RECORDS_PER_TURN === 0) await turn()
    }
    wanted.end()
    copyLast()
    await file.sync()
    return { runs, size: file.size }
  } finally {
    file.close()
  }
}

/** The first record, with the volume's new name. */
function writeInfo({ clock, random }: Compaction, file: AppendFile, { block }: WarcRecord, filename: string): void {
  const at = clock.now()
  const id = recordIds(random, `${filename} ${at}`)()
  const head = warcinfoHead({ id, at, filename, blockDigest: sha1(block), length: block.length })
  zlibGzip((bytes) => file.write(bytes), [Buffer.from(head), block, RECORD_END])
}

const ROWS_AT_ONCE = 1000

/** Which records of a volume stay: those of captures, the only copies of payloads, and what belongs to either. */
class WantedRecords {
  readonly #compaction: Compaction
  readonly #volume: string
  /** The next offsets in the catalogue, and where to read on. */
  #offsets: number[] = []
  #next = 0
  #readFrom = 0
  /** The last answer, to which requests belong. */
  #answer: { id: string | undefined; stays: boolean } = { id: undefined, stays: true }

  constructor(compaction: Compaction, volume: string) {
    this.#compaction = compaction
    this.#volume = volume
  }

  async has({ offset, headers }: WarcRecord): Promise<boolean> {
    const type = headers.get('WARC-Type')
    if (type !== 'response' && type !== 'revisit') {
      const answer = headers.uri('WARC-Concurrent-To')
      return answer === undefined || answer !== this.#answer.id || this.#answer.stays
    }
    const stays =
      (await this.#isNamed(offset)) ||
      (type === 'response' && (await this.#isOnlyCopy(headers.get('WARC-Payload-Digest'))))
    this.#answer = { id: headers.uri('WARC-Record-ID'), stays }
    return stays
  }

  /** A capture of the catalogue that is not there can't be moved. */
  end(): void {
    if (this.#next < this.#offsets.length) throw new Damaged(`at ${this.#offsets[this.#next]}: a capture is missing`)
  }

  async #isNamed(offset: number): Promise<boolean> {
    if (this.#next === this.#offsets.length && this.#readFrom < Number.POSITIVE_INFINITY) {
      const from = this.#readFrom
      const rows = await this.#compaction.database.read((tx) => capturesIn(tx, this.#volume, from, ROWS_AT_ONCE))
      this.#offsets = [...new Set(rows.map((row) => row.offset))]
      this.#next = 0
      this.#readFrom = rows.length < ROWS_AT_ONCE ? Number.POSITIVE_INFINITY : rows[rows.length - 1].offset + 1
    }
    const next = this.#offsets[this.#next]
    if (next < offset) this.end()
    if (next !== offset) return false
    this.#next++
    return true
  }

  /** A revisit may refer to a record whose own report never came. */
  async #isOnlyCopy(digest: string | undefined): Promise<boolean> {
    if (digest === undefined) return true
    const { database, needed } = this.#compaction
    return needed.mayHave(digest) && (await database.read((tx) => copyOf(tx, digest))) === undefined
  }
}

const ADD_VOLUME = 'INSERT INTO volume (name) VALUES (?)'
const READ_ID = 'SELECT id FROM volume WHERE name = ?'
const MOVE = `UPDATE capture SET volume = ?, "offset" = "offset" + ? WHERE volume = ? AND "offset" >= ? AND "offset" < ?`
const LEFT = 'SELECT count(*) AS n FROM capture WHERE volume = ?'
const FORGET_VOLUME = 'DELETE FROM volume WHERE name = ?'
const RUNS_AT_ONCE = 1000

async function moveCaptures(
  tx: Tx,
  { id, name: from }: OwnVolume,
  to: string | undefined,
  runs: readonly Run[],
): Promise<void> {
  const db = queries(tx)
  if (to !== undefined) {
    await db.run(ADD_VOLUME, to)
    const next = (await db.get<{ id: number }>(READ_ID, to))!.id
    for (let at = 0; at < runs.length; at += RUNS_AT_ONCE)
      await Promise.all(
        runs.slice(at, at + RUNS_AT_ONCE).map((run) => db.run(MOVE, next, run.by, id, run.from, run.to)),
      )
  }
  const { n } = (await db.get<{ n: number }>(LEFT, id))!
  assert(n === 0, `${n} captures are left in ${from}`)
  // The row of one that has no successor goes when the file has gone: until then it tells that the file can go.
  if (to !== undefined) await db.run(FORGET_VOLUME, from)
}

const MOVE_LOCATION = 'UPDATE volume_location SET name = ?, bytes = ? WHERE name = ? AND node = ?'
const FORGET_LOCATION = 'DELETE FROM volume_location WHERE name = ? AND node = ?'

/** Only of a server: a collection of its own has no rows for its archive. */
async function moveLocation(
  tx: Tx,
  from: string,
  node: string | undefined,
  to: { name: string; bytes: number } | undefined,
): Promise<void> {
  if (node === undefined) return
  if (to === undefined) await queries(tx).run(FORGET_LOCATION, from, node)
  else await queries(tx).run(MOVE_LOCATION, to.name, to.bytes, from, node)
}
