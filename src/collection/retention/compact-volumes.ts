/**
 * Rewrites volumes without the records that retention removed from the catalogue.
 *
 * A crash costs nothing: the new volume is written under a name that nobody reads, synced, and renamed or sent to where the
 * old one lies; one transaction moves the captures to it; the index is written anew; then the old volume is removed. The next
 * run removes a new volume that no capture names, and an old one that was not removed.
 */
import { join } from 'node:path'
import { assert } from '../../base/assert.ts'
import { type Clock, turn } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile } from '../../base/disk.ts'
import type { Random } from '../../base/random.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'
import { zlibGzip } from '../../web/deflate/gzip.ts'
import { bytesOf, MemberReader, parseRecord, type WarcRecord } from '../../web/warc/reader.ts'
import { RECORD_END, recordIds, warcinfoHead } from '../../web/warc/record.ts'
import type { DigestFilter } from '../captures/digest-filter.ts'
import { indexCaptures, markIndexStale } from '../captures/index-captures.ts'
import { capturesIn } from '../captures/read-captures.ts'
import { copyOf } from '../captures/stored-copies.ts'
import { type OtherLocation, UNFINISHED } from '../locations/other-locations.ts'
import { FORGET_LOCATION } from '../locations/own-locations.ts'
import { EXTENSION } from '../volumes/volume-name.ts'
import { findVolumes, type LocatedVolume, type VolumeParts } from './find-volumes.ts'

export interface Compaction extends VolumeParts {
  clock: Clock
  random: Random
  /** Payloads that revisits refer to. */
  needed: DigestFilter
  /** Called in each transaction that moves captures. */
  guard: (tx: Tx) => Promise<void>
}

interface OldVolume {
  location: OtherLocation
  name: string
}

/** Below this share of a volume, rewriting it costs more than it frees. */
const MIN_SHARE = 0.05
/** Old volumes that wait for the index. */
const MAX_WAITING_BYTES = 4e9

export async function compactVolumes(compaction: Compaction) {
  const { database, disk, folder, node } = compaction
  /** Rewritten or removed, and what that freed. */
  const done = { volumes: 0, bytes: 0, notes: [] as string[] }
  const found = await findVolumes(compaction)
  const old = await removeLeftovers(compaction, found.listed)
  const isNamed = async (name: string) => (await database.read((tx) => capturesIn(tx, name, 0, 1))).length > 0
  for (const gone of found.gone) if (!(await isNamed(gone.name))) old.push(gone)
  let waiting = 0
  const removeOld = async () => {
    await indexCaptures(database, disk, join(folder, 'indexes'), node)
    for (const { location, name } of old) await location.remove(name)
    if (old.length > 0) await database.transact((tx) => forgetVolumes(tx, old))
    old.length = 0
    waiting = 0
  }
  for (const volume of found.located) {
    const { name, size, removedBytes } = volume
    if (removedBytes === 0) continue
    if (removedBytes < MIN_SHARE * size && (await isNamed(name))) continue
    const rewritten = await rewrite(compaction, volume).catch((error: unknown) => {
      if (error instanceof Damaged) return error
      throw error
    })
    if (rewritten instanceof Damaged) {
      done.notes.push(`${name} is not rewritten, because it is damaged (${rewritten.message}): run 'orbweaver verify'`)
      continue
    }
    done.volumes++
    done.bytes += size - rewritten
    old.push(volume)
    waiting += size
    if (waiting > MAX_WAITING_BYTES) await removeOld()
  }
  await removeOld()
  return done
}

/** Cleans up after an interrupted run: removes new volumes that it did not come to use, and returns old ones. */
async function removeLeftovers(
  { database, disk, folder }: Compaction,
  listed: ReadonlyMap<OtherLocation, ReadonlyMap<string, number>>,
): Promise<OldVolume[]> {
  const isKnown = (name: string) => isKnownTo(database, name)
  const archive = join(folder, 'archive')
  for (const file of disk.list(archive)) if (file.endsWith(EXTENSION + UNFINISHED)) disk.remove(join(archive, file))
  const old: OldVolume[] = []
  for (const [location, there] of listed)
    for (const name of there.keys())
      for (let next = successorOf(name); there.has(next); next = successorOf(next)) {
        // Volumes of another collection have neither row. Both exist when a late report named the old one again.
        const [isOldKnown, isNextKnown] = [await isKnown(name), await isKnown(next)]
        if (isOldKnown && !isNextKnown) await location.remove(next)
        else if (isNextKnown && !isOldKnown) old.push({ location, name })
      }
  return old
}

const isKnownTo = (database: Database, name: string) =>
  database.read(async (tx) => (await queries(tx).get(READ_ID, name)) !== undefined)

const GENERATION = /~r(\d+)\.warc\.gz$/

/** `X.warc.gz`, `X~r1.warc.gz`, `X~r2.warc.gz` … */
export function successorOf(name: string): string {
  const found = GENERATION.exec(name)
  const next = found === null ? 1 : Number(found[1]) + 1
  return `${name.slice(0, found === null ? -EXTENSION.length : found.index)}~r${next}${EXTENSION}`
}

class Damaged extends Error {}

/** Returns the size of the new volume; 0 if nothing in the old one is wanted. */
async function rewrite(compaction: Compaction, volume: LocatedVolume): Promise<number> {
  const { database, disk, guard } = compaction
  const { location } = volume
  let name = successorOf(volume.name)
  while (await isKnownTo(database, name)) name = successorOf(name)
  const unfinished = location.unfinished(name)
  using file = await location.open(volume.name, volume.size)
  disk.remove(unfinished)
  let written: Awaited<ReturnType<typeof writeWanted>>
  try {
    written = await writeWanted(compaction, { ...volume, path: file.path }, unfinished, name)
  } catch (error) {
    disk.remove(unfinished)
    throw error
  }
  const isEmpty = written.runs.length === 0
  if (isEmpty) disk.remove(unfinished)
  else await location.complete(name)
  await database.transact(async (tx) => {
    await guard(tx)
    await markIndexStale(tx)
    await moveCaptures(tx, volume, isEmpty ? undefined : { name, bytes: written.size }, written.runs)
  })
  return isEmpty ? 0 : written.size
}

/** Records that stay, one after the other: they move by the same number of bytes. */
interface Run {
  from: number
  to: number
  by: number
}

const RECORDS_PER_TURN = 200
const COPIED_AT_ONCE = 1024 * 1024

/** `runs`: of wanted records, in the order of the file; none but a warcinfo is left when it is empty. */
async function writeWanted(
  compaction: Compaction,
  { name: from, path }: { name: string; path: string },
  unfinished: string,
  name: string,
) {
  const { disk } = compaction
  const wanted = wantedRecords(compaction, from)
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
function wantedRecords({ database, needed }: Compaction, volume: string) {
  /** The next offsets in the catalogue, and where to read on. */
  let offsets: number[] = []
  let next = 0
  let readFrom = 0
  /** The last answer, to which requests belong. */
  let answer: { id: string | undefined; stays: boolean } = { id: undefined, stays: true }

  /** A capture of the catalogue that is not there can't be moved. */
  const end = (): void => {
    if (next < offsets.length) throw new Damaged(`at ${offsets[next]}: a capture is missing`)
  }
  const isNamed = async (offset: number): Promise<boolean> => {
    if (next === offsets.length && readFrom < Number.POSITIVE_INFINITY) {
      const rows = await database.read((tx) => capturesIn(tx, volume, readFrom, ROWS_AT_ONCE))
      offsets = [...new Set(rows.map((row) => row.offset))]
      next = 0
      readFrom = rows.length < ROWS_AT_ONCE ? Number.POSITIVE_INFINITY : rows[rows.length - 1].offset + 1
    }
    if (offsets[next] < offset) end()
    if (offsets[next] !== offset) return false
    next++
    return true
  }
  /** A revisit may refer to a record whose own report never came. */
  const isOnlyCopy = async (digest: string | undefined): Promise<boolean> => {
    if (digest === undefined) return true
    return needed.mayHave(digest) && (await database.read((tx) => copyOf(tx, digest))) === undefined
  }

  return {
    async has({ offset, headers }: WarcRecord): Promise<boolean> {
      const type = headers.get('WARC-Type')
      if (type !== 'response' && type !== 'revisit') {
        const of = headers.uri('WARC-Concurrent-To')
        return of === undefined || of !== answer.id || answer.stays
      }
      const stays =
        (await isNamed(offset)) || (type === 'response' && (await isOnlyCopy(headers.get('WARC-Payload-Digest'))))
      answer = { id: headers.uri('WARC-Record-ID'), stays }
      return stays
    },
    end,
  }
}

const ADD_VOLUME = 'INSERT INTO volume (name) VALUES (?)'
const READ_ID = 'SELECT id FROM volume WHERE name = ?'
const MOVE = `UPDATE capture SET volume = ?, "offset" = "offset" + ? WHERE volume = ? AND "offset" >= ? AND "offset" < ?`
const LEFT = 'SELECT count(*) AS n FROM capture WHERE volume = ?'
/** No row: the archive of an embedded collection. */
const MOVE_LOCATION = 'UPDATE volume_location SET name = ?, bytes = ? WHERE name = ? AND node = ?'
const FORGET_VOLUME = 'DELETE FROM volume WHERE name = ?'
const RUNS_AT_ONCE = 1000

async function moveCaptures(
  tx: Tx,
  { id, name: from, location }: LocatedVolume,
  to: { name: string; bytes: number } | undefined,
  runs: readonly Run[],
): Promise<void> {
  const db = queries(tx)
  if (to !== undefined) {
    await db.run(ADD_VOLUME, to.name)
    const next = (await db.get<{ id: number }>(READ_ID, to.name))!.id
    for (let at = 0; at < runs.length; at += RUNS_AT_ONCE)
      await Promise.all(
        runs.slice(at, at + RUNS_AT_ONCE).map((run) => db.run(MOVE, next, run.by, id, run.from, run.to)),
      )
  }
  const n = await countOf(tx, LEFT, id)
  assert(n === 0, `${n} captures are left in ${from}`)
  // The rows of one that has no successor go when the volume has gone: until then they tell that it can go, and from where.
  if (to === undefined) return
  await db.run(MOVE_LOCATION, to.name, to.bytes, from, location.node)
  await db.run(FORGET_VOLUME, from)
}

async function forgetVolumes(tx: Tx, old: readonly OldVolume[]): Promise<void> {
  for (const { location, name } of old) {
    await queries(tx).run(FORGET_VOLUME, name)
    await queries(tx).run(FORGET_LOCATION, name, location.node)
  }
}
