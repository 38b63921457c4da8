/**
 * Volumes in the archive folder without any catalogued capture. A report may still arrive: while the inbox has parts no
 * volume is judged, and a worker's volume is orphaned only after the worker was silent for very long. Also incomplete
 * volumes that are complete elsewhere: their workers switched to another server or store before the end.
 */
import { join } from 'node:path'
import type { Instant, Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { reasonOf } from '../../base/errors.ts'
import { knownEnd } from '../../collection/captures/read-captures.ts'
import { copyOf } from '../../collection/captures/stored-copies.ts'
import type { OtherLocation } from '../../collection/locations/other-locations.ts'
import { FORGET_LOCATION } from '../../collection/locations/own-locations.ts'
import { DIR } from '../../collection/locations/volume-locations.ts'
import { inPieces } from '../../collection/row-id.ts'
import { verifyVolume } from '../../collection/volumes/verify-volume.ts'
import { volumeFiles } from '../../collection/volumes/volume-name.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'

export type OrphanKind = 'lease' | 'part' | 'volume' | 'file' | 'location' | 'worker' | 'server' | 'calls'

export interface Orphan {
  kind: OrphanKind
  name: string
  /** The reason, for people. */
  why: string
  bytes?: number
  /** How many items it stands for. */
  count?: number
  /** False: it is no longer an orphan, or is removed in another way. */
  remove(): Promise<boolean>
}

export interface Findings {
  orphans: Orphan[]
  /** What was not checked, and why; faults that can't be cleaned. */
  notes: string[]
}

/** The locked folder of a collection, a server or a worker. */
export interface OwnFolder {
  disk: Disk
  folder: string
  /** The server that owns the folder, if several share the database. */
  node: string | undefined
  /** The name under which its coordinator records its own volumes. */
  owner: string
}

export interface CleanerParts {
  /** Other locations of volumes; none if files must not be touched. */
  locations: readonly OtherLocation[]
  /** Undefined for a worker's folder, which has none. */
  database: Database | undefined
  /** `left`: why files must not be touched. */
  files: OwnFolder | { left: string }
  now: Instant
  /** Members silent for longer count as gone. */
  olderThan: Millis
  /** Retention of the call log. */
  keepCallsFor: Millis
  /** No process uses this database, so all leases are left over. */
  isAtRest: boolean
}

/** Maximum per kind and run; run again for more. */
export const MAX_OF_A_KIND = 10_000

const COUNT_INBOX = 'SELECT count(*) AS n FROM inbox'
/** The worker that sent it, and when it was last seen; null: an unknown worker. */
const READ_OWNERS = `SELECT p.worker, w.seen_at AS "seenAt" FROM volume_location p LEFT JOIN worker w ON w.id = p.worker
  WHERE p.name = ?`
/** Complete copies, and whether their server is known. */
const READ_COMPLETE = `SELECT p.node, p.bytes, h.id AS server FROM volume_location p LEFT JOIN server h ON h.id = p.node
  WHERE p.name = ? AND p.sealed = 1 ORDER BY p.node`

const partsIn = (database: Database) => database.read((tx) => countOf(tx, COUNT_INBOX))

export async function orphanVolumes(
  database: Database,
  { disk, folder, node }: OwnFolder,
  silentSince: Instant,
): Promise<Findings> {
  const archive = join(folder, 'archive')
  const files = volumeFiles(disk, archive)
  const waiting = await partsIn(database)
  if (waiting > 0 && files.length > 0)
    return {
      orphans: [],
      notes: [`volumes were not looked at: ${waiting} parts in the inbox may name what is in them`],
    }
  const orphans: Orphan[] = []
  const add = ({ file, name }: (typeof files)[number], why: string, isStillOne: () => Promise<boolean>) => {
    const remove = async () => {
      if (!(await isStillOne())) return false
      disk.remove(join(archive, file))
      // Remove the file first: a row without a file is found next time; a file without a row has no known owner.
      await disk.syncFolder(archive)
      if (node !== undefined) await database.transact((tx) => queries(tx).run(FORGET_LOCATION, name, node))
      return true
    }
    orphans.push({ kind: 'volume', name: file, why, bytes: disk.size(join(archive, file)) ?? 0, remove })
  }
  const unnamed = new Map<string, () => void>()
  for (const one of files) {
    if (unnamed.size + orphans.length >= MAX_OF_A_KIND) break
    const { name, file, isOpen } = one
    const complete = async () => (isOpen ? database.read((tx) => completeElsewhere(tx, disk, name, node)) : undefined)
    const isUnneeded = () => database.read((tx) => isUnnamed(tx, name, silentSince))
    const location = await complete()
    if (location !== undefined)
      add(
        one,
        `a beginning that its worker left: all of it lies ${location}`,
        async () => (await complete()) !== undefined,
      )
    else if (await isUnneeded()) unnamed.set(join(archive, file), () => add(one, NOTHING_NAMED, isUnneeded))
  }
  const needed = await onlyCopies(database, disk, [...unnamed.keys()])
  const notes = [...needed].map((path) => `${path} stays: no capture names it, but revisits refer to payloads in it`)
  for (const [path, add] of unnamed) if (!needed.has(path)) add()
  return { orphans, notes }
}

const NOTHING_NAMED = 'no capture names anything in it, and no report of it can come any more'

/** Where the complete copy of an incomplete volume is. A folder must be checked to hold it: it may be this one. */
async function completeElsewhere(
  tx: Tx,
  disk: Disk,
  name: string,
  node: string | undefined,
): Promise<string | undefined> {
  const known = await knownEnd(tx, name)
  type Place = { node: string; bytes: number; server: string | null }
  for (const { node: at, bytes, server } of await queries(tx).all<Place>(READ_COMPLETE, name)) {
    if (at === node || bytes < known) continue
    if (server !== null) return `with server ${server}`
    if (at.startsWith('s3:')) return `in ${at}`
    if (!at.startsWith(DIR)) continue
    const folder = at.slice(DIR.length)
    if (disk.size(join(folder, name)) === bytes) return `in ${folder}`
  }
  return undefined
}

async function isUnnamed(tx: Tx, name: string, silentSince: Instant): Promise<boolean> {
  if ((await knownEnd(tx, name)) > 0) return false
  const owners = await queries(tx).all<{ worker: string; seenAt: Instant | null }>(READ_OWNERS, name)
  return owners.every(({ seenAt }) => seenAt === null || seenAt < silentSince)
}

/**
 * A revisit may reference a record whose own report never arrived. The catalogue does not know that record, yet the
 * page has no other bytes: its volume is not an orphan.
 */
/** Maximum payloads without another copy to compare with revisits: 100 MB. Volumes with more stay. */
const MAX_PAYLOADS = 1_000_000
const READ_REVISITS = `SELECT digest FROM capture WHERE kind = 'revisit'`

/** Which of these files must stay. Reads each from end to end, and the catalogue's revisits once. */
export async function onlyCopies(database: Database, disk: Disk, paths: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>()
  const holders = new Map<string, string[]>()
  for (const path of paths)
    for (const digest of await payloadsOf(disk, path)) {
      if (await database.read((tx) => copyOf(tx, digest))) continue
      if (holders.size < MAX_PAYLOADS) holders.set(digest, [...(holders.get(digest) ?? []), path])
      else needed.add(path)
    }
  if (holders.size === 0) return needed
  await database.read(async (tx) => {
    for await (const { digest } of queries(tx).each<{ digest: string }>(READ_REVISITS))
      for (const path of holders.get(digest) ?? []) needed.add(path)
  })
  return needed
}

async function payloadsOf(disk: Disk, path: string): Promise<Set<string>> {
  const found = new Set<string>()
  const reading = verifyVolume(disk, path, ({ kind, digest }) => {
    if (kind === 'response') found.add(digest)
  })
  // Damage in it doesn't matter: no report references it.
  while (!(await reading.next()).done);
  return found
}

/**
 * Volumes outside the archive folder: in another folder or a store. Only volumes in this collection's table are judged,
 * and only its own or those of workers silent for very long. A folder or bucket may hold volumes of other collections;
 * they are counted and left alone.
 */
interface Row {
  name: string
  worker: string
  bytes: number
  /** When its worker was last seen; null: an unknown worker. */
  seenAt: Instant | null
}

const READ_NODES = `SELECT DISTINCT node FROM volume_location WHERE node LIKE 'dir:%' OR node LIKE 's3:%' ORDER BY node`
const READ_ROWS = `SELECT p.name, p.worker, p.bytes, w.seen_at AS "seenAt" FROM volume_location p LEFT JOIN worker w ON w.id = p.worker
  WHERE p.node = ? AND p.name > ? ORDER BY p.name LIMIT ?`
const PIECE = 1000

/** The locations in the table, except servers. */
export async function locationNodes(database: Database): Promise<string[]> {
  const rows = await database.read((tx) => queries(tx).all<{ node: string }>(READ_NODES))
  return rows.map(({ node }) => node)
}

/** `own`: the name under which this folder's coordinator records its own volumes. */
export async function orphansAt(
  database: Database,
  disk: Disk,
  location: OtherLocation,
  own: string,
  silentSince: Instant,
): Promise<Findings> {
  let there: ReadonlyMap<string, number>
  try {
    there = await location.list()
  } catch (error) {
    return { orphans: [], notes: [`${location.node} was not checked: ${reasonOf(error)}`] }
  }
  const found: Findings = { orphans: [], notes: [] }
  const waiting = await partsIn(database)
  let known = 0
  for await (const row of rowsAt(database, location.node)) {
    const bytes = there.get(row.name)
    if (bytes !== undefined) known++
    // An unknown worker may still come back: it may belong to another server's crawl.
    const isJudged = row.worker === own || (row.seenAt !== null && row.seenAt < silentSince)
    if (found.orphans.length >= MAX_OF_A_KIND || !isJudged) continue
    const isNamed = (await database.read((tx) => knownEnd(tx, row.name))) > 0
    if (isNamed && bytes === undefined && row.worker === own)
      found.notes.push(`${row.name} is missing in ${location.node}, though captures are in it`)
    // A report may still arrive.
    if (isNamed || waiting > 0) continue
    const stays = bytes === undefined ? undefined : await whyNeeded(database, disk, location, row.name)
    if (stays === undefined) found.orphans.push(orphanOf(database, location, row.name, bytes))
    else found.notes.push(`${row.name} in ${location.node} stays: no capture names it, but ${stays}`)
  }
  const unknown = there.size - known
  if (unknown > 0)
    found.notes.push(
      `${unknown} volumes in ${location.node} are not in this collection's table and stay: they belong to another collection, or a killed worker began them`,
    )
  return found
}

export async function* rowsAt(database: Database, node: string): AsyncGenerator<Row> {
  const read = (last?: Row) => database.read((tx) => queries(tx).all<Row>(READ_ROWS, node, last?.name ?? '', PIECE))
  for await (const piece of inPieces(read)) yield* piece
}

async function whyNeeded(
  database: Database,
  disk: Disk,
  location: OtherLocation,
  volume: string,
): Promise<string | undefined> {
  const opened = await location.open(volume).catch((error: unknown) => ({ why: reasonOf(error) }))
  if ('why' in opened) return `it cannot be read (${opened.why})`
  using file = opened
  return (await onlyCopies(database, disk, [file.path])).size > 0 ? 'revisits reference payloads in it' : undefined
}

function orphanOf(database: Database, location: OtherLocation, volume: string, bytes: number | undefined): Orphan {
  const forget = (tx: Tx) => queries(tx).run(FORGET_LOCATION, volume, location.node)
  const isThere = bytes !== undefined
  return {
    kind: isThere ? 'volume' : 'location',
    name: `${volume} in ${location.node}`,
    why: `no capture is in it, and no report about it can arrive any more${isThere ? '' : '; it does not exist'}`,
    bytes: bytes ?? 0,
    async remove() {
      if ((await database.read((tx) => knownEnd(tx, volume))) > 0) return false
      // Remove the volume first: a row without a volume is found next time; a volume without a row has no known owner.
      if (isThere) await location.remove(volume)
      await database.transact(forget)
      return true
    },
  }
}
