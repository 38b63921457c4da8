/** Which volumes can be rewritten from here: those that are complete, in one place, and can be reached. */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { folderLocation, type OtherLocation } from '../locations/other-locations.ts'
import { describeLocation, isOwnFolder, locationsOf, type StoredLocation } from '../locations/read-volumes.ts'
import { DIR } from '../locations/volume-locations.ts'
import { volumeFiles } from '../volumes/volume-name.ts'

export interface VolumeParts {
  database: Database
  disk: Disk
  /** The collection's. */
  folder: string
  /** This server's name, if several share the database. */
  node: string | undefined
  /** Other folders and stores. */
  locations: readonly OtherLocation[]
}

interface KnownVolume {
  id: number
  name: string
  removedBytes: number
}

export interface LocatedVolume extends KnownVolume {
  location: OtherLocation
  size: number
}

const READ_VOLUMES = 'SELECT id, name, removed_bytes AS "removedBytes" FROM volume ORDER BY name'

export async function findVolumes({ database, disk, folder, node, locations }: VolumeParts) {
  const archive = folderLocation(disk, join(folder, 'archive'), node)
  const here = await archive.list()
  const found = {
    located: [] as LocatedVolume[],
    /** They should be there, but are not. */
    gone: [] as { name: string; location: OtherLocation }[],
    /** Why a volume stays as it is, by its id. */
    left: new Map<number, string>(),
    /** All volumes at each location that can be reached. */
    listed: new Map<OtherLocation, ReadonlyMap<string, number>>([[archive, here]]),
  }
  const troubles = new Map<string, string>()
  for (const location of locations)
    try {
      found.listed.set(location, await location.list())
    } catch (error) {
      troubles.set(location.node, reasonOf(error))
    }
  const open = new Set(volumeFiles(disk, join(folder, 'archive')).flatMap(({ name, isOpen }) => (isOpen ? [name] : [])))
  const volumes = await database.read((tx) => queries(tx).all<KnownVolume>(READ_VOLUMES))
  for (const volume of volumes) {
    const { id, name } = volume
    const rows = await database.read((tx) => locationsOf(tx, name))
    const elsewhere = rows.filter((row) => row.node !== archive.node)
    const isHere = here.has(name) || rows.length > elsewhere.length
    const [row] = elsewhere
    const location = row === undefined ? archive : locations.find((one) => one.node === row.node)
    const size = location && found.listed.get(location)?.get(name)
    if (rows.some(({ sealed }) => !sealed) || open.has(name)) found.left.set(id, NOT_COMPLETE)
    else if (elsewhere.length > 1 || (elsewhere.length === 1 && isHere)) found.left.set(id, SEVERAL)
    else if (location === undefined) found.left.set(id, whereToRun(row))
    else if (troubles.has(location.node))
      found.left.set(id, `${describeLocation(row)}, which cannot be reached: ${troubles.get(location.node)}`)
    else if (size === undefined && row?.node.startsWith(DIR) && !isOwnFolder(row))
      found.left.set(id, `${describeLocation(row)}: run this there, too`)
    else if (size === undefined) {
      found.gone.push({ name, location })
      found.left.set(id, MISSING)
    } else if (row !== undefined && row.bytes !== size)
      found.left.set(id, `${describeLocation(row)}, where they do not have the recorded size: run 'orbweaver verify'`)
    else found.located.push({ ...volume, location, size })
  }
  return found
}

const NOT_COMPLETE = 'that are not complete: the next crawl or refresh, or their workers, complete them'
const SEVERAL = "that lie in more than one place: run 'orbweaver clean' first"
const MISSING = "that are missing: run 'orbweaver verify'"

function whereToRun(row: StoredLocation): string {
  return `${describeLocation(row)}: run this on its machine, too, with -c and the folder whose file server-id has ${row.node}`
}
