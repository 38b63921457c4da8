/**
 * Volumes that the threads of one coordinator write outside its archive folder: rows of `volume_location` under the
 * coordinator's own name. After a crash, those in folders of this machine are repaired like the ones in the archive.
 */
import { join } from 'node:path'
import { type Disk, replaceFile } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { freshId } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { knownEnd } from '../captures/read-captures.ts'
import { repairVolumes } from '../volumes/repair.ts'
import { isOpenVolume, volumeFiles, volumePath } from '../volumes/volume-name.ts'
import { DIR } from './volume-locations.ts'

/** The owner where one coordinator has its database to itself. */
export const EMBEDDED_OWNER = 'crawl'

const NODE_FILE = 'server-id'
const MAX_NODE_BYTES = 100

/** The name of a folder among all servers that share a database, the same after each start. */
export async function nodeId(disk: Disk, folder: string): Promise<string> {
  const known = knownNodeId(disk, folder)
  if (known !== undefined) return known
  const id = freshId()
  await replaceFile(disk, join(folder, NODE_FILE), `${id}\n`)
  return id
}

/** Undefined: no server was ever started here. */
export function knownNodeId(disk: Disk, folder: string): string | undefined {
  const path = join(folder, NODE_FILE)
  const size = disk.size(path)
  if (size === undefined) return undefined
  return new TextDecoder().decode(disk.read(path, 0, Math.min(size, MAX_NODE_BYTES))).trim()
}

const RECORD = `INSERT INTO volume_location (name, node, worker, bytes, sealed) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name, node) DO UPDATE SET bytes = excluded.bytes, sealed = excluded.sealed
  WHERE volume_location.worker = excluded.worker`
/** One location of a volume. */
export const FORGET_LOCATION = 'DELETE FROM volume_location WHERE name = ? AND node = ?'
const READ_OWN = 'SELECT name, node FROM volume_location WHERE sealed = 0 AND worker = ? ORDER BY node, name'
const READ_OTHERS = 'SELECT DISTINCT name FROM volume_location WHERE sealed = 0 AND worker <> ?'

export interface OwnLocations {
  database: Database
  disk: Disk
  journal: Journal<Event>
  /** The owner named in the rows. */
  owner: string
}

export async function noteLocation(
  { database, owner }: Pick<OwnLocations, 'database' | 'owner'>,
  name: string,
  location: string,
  bytes: number,
  isSealed: boolean,
): Promise<void> {
  await database.transact((tx) => queries(tx).run(RECORD, name, location, owner, bytes, isSealed ? 1 : 0))
}

/** Volumes that a remote worker began to send and did not complete: it continues them when it returns. */
export async function volumesOfOthers({ database, owner }: OwnLocations): Promise<ReadonlySet<string>> {
  const rows = await database.read((tx) => queries(tx).all<{ name: string }>(READ_OTHERS, owner))
  return new Set(rows.map(({ name }) => name))
}

/** The end of the last capture that the catalogue has in each. */
export function durableEnds(database: Database, names: readonly string[]): Promise<Map<string, number>> {
  return database.read(async (tx) => {
    const ends = new Map<string, number>()
    for (const name of names) ends.set(name, await knownEnd(tx, name))
    return ends
  })
}

export function openVolumesIn(disk: Disk, folder: string): string[] {
  return volumeFiles(disk, folder).flatMap(({ name, isOpen }) => (isOpen ? [name] : []))
}

/** Closes the volumes left open in folders of this machine. Call it only while none of them is being written. */
export async function repairOwnLocations(parts: OwnLocations): Promise<void> {
  const { database, journal, owner } = parts
  const rows = await database.read((tx) => queries(tx).all<{ name: string; node: string }>(READ_OWN, owner))
  const folders = Map.groupBy(
    rows.filter(({ node }) => node.startsWith(DIR)),
    ({ node }) => node.slice(DIR.length),
  )
  for (const [folder, inside] of folders) {
    const names = inside.map(({ name }) => name)
    await repairFolder(parts, folder, names).catch((error) => {
      journal.record({ kind: 'trouble', what: `${names.length} volumes in ${folder} cannot be closed: ${error}` })
    })
  }
}

async function repairFolder(parts: OwnLocations, folder: string, names: readonly string[]): Promise<void> {
  const { database, disk, journal } = parts
  const ours = new Set(names)
  const ends = await durableEnds(database, names)
  // Another collection may be writing volumes in the same folder.
  const others = new Set(openVolumesIn(disk, folder).filter((name) => !ours.has(name)))
  await repairVolumes(disk, folder, journal, ends, others)
  for (const name of names) {
    const path = volumePath(disk, folder, name)
    if (path !== undefined) await noteLocation(parts, name, DIR + folder, disk.size(path) ?? 0, !isOpenVolume(path))
    else if (ends.get(name) === 0) await database.transact((tx) => queries(tx).run(FORGET_LOCATION, name, DIR + folder))
    else throw new Error(`${name} is not there`)
  }
}
