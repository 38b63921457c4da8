/**
 * Volumes that the threads of this house write and that do not lie in its archive folder: rows of `volume_place` under the
 * house's own name. Those in folders of this machine are put right after a crash like the ones in the archive.
 */
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { knownEnd } from '../../collection/captures/read-captures.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import { isOpenVolume, OPEN, volumePath } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { DIR } from './volume-locations.ts'

/** The owner, where one house alone stands over its database. */
export const EMBEDDED_OWNER = 'crawl'

const PLACE = `INSERT INTO volume_location (name, node, worker, bytes, sealed) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name, node) DO UPDATE SET bytes = excluded.bytes, sealed = excluded.sealed`
const FORGET = 'DELETE FROM volume_location WHERE name = ? AND node = ?'
const READ_OWN = 'SELECT name, node FROM volume_location WHERE sealed = 0 AND worker = ? ORDER BY node, name'
const READ_OTHERS = 'SELECT DISTINCT name FROM volume_location WHERE sealed = 0 AND worker <> ?'

export interface OwnLocations {
  database: Database
  disk: Disk
  journal: Journal<Event>
  /** Of the rows. */
  owner: string
}

export async function noteLocation(
  { database, owner }: Pick<OwnLocations, 'database' | 'owner'>,
  name: string,
  location: string,
  bytes: number,
  isSealed: boolean,
): Promise<void> {
  await database.transact((tx) => queries(tx).run(PLACE, name, location, owner, bytes, isSealed ? 1 : 0))
}

/** Volumes that a worker elsewhere has begun to send and not ended: they grow on when it comes back. */
export async function volumesOfOthers({ database, owner }: OwnLocations): Promise<ReadonlySet<string>> {
  const rows = await database.read((tx) => queries(tx).all<{ name: string }>(READ_OTHERS, owner))
  return new Set(rows.map(({ name }) => name))
}

/** How far the catalogue vouches for each. */
export function durableEnds(database: Database, names: readonly string[]): Promise<Map<string, number>> {
  return database.read(async (tx) => {
    const ends = new Map<string, number>()
    for (const name of names) ends.set(name, await knownEnd(tx, name))
    return ends
  })
}

export function openVolumesIn(disk: Disk, folder: string): string[] {
  return disk
    .list(folder)
    .filter(isOpenVolume)
    .map((name) => name.slice(0, -OPEN.length))
}

/** Those that were left open in folders of this machine are closed. When nobody writes them any more. */
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
  // Another collection may have volumes in the same folder, and write them now.
  const others = new Set(openVolumesIn(disk, folder).filter((name) => !ours.has(name)))
  await repairVolumes(disk, folder, journal, ends, others)
  for (const name of names) {
    const path = volumePath(disk, folder, name)
    if (path !== undefined) await noteLocation(parts, name, DIR + folder, disk.size(path) ?? 0, !isOpenVolume(path))
    else if (ends.get(name) === 0) await database.transact((tx) => queries(tx).run(FORGET, name, DIR + folder))
    else throw new Error(`${name} is not there`)
  }
}
