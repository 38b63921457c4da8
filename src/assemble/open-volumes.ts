/** The volumes of an opened collection: those in its folder are read, of the others it can be said where they lie. */
import type { Disk } from '../base/disk.ts'
import { localVolumes, type ReadPlace } from '../collection/volumes/local-volumes.ts'
import type { Database, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

export function readVolumes(database: Database, disk: Disk, archive: string): ReadPlace {
  const local = localVolumes(disk, archive)
  return async (place) => {
    const read = await local(place)
    if (read.kind === 'bytes') return read
    const [elsewhere] = await database.read((tx) => placesOf(tx, place.volume))
    if (elsewhere === undefined) return read
    return { kind: 'absent', why: `lies with ${elsewhere.url ?? elsewhere.node}: ask there` }
  }
}

export interface VolumePlace {
  /** A server, or the worker that keeps it. */
  node: string
  /** Of a server. */
  url: string | null
}

/** Where a volume was sent to, or is kept, when it is not with the collection from the beginning. */
export function placesOf(tx: Tx, volume: string): Promise<VolumePlace[]> {
  const sql = `SELECT p.node, h.url FROM volume_place p LEFT JOIN house h ON h.id = p.node
    WHERE p.name = ? ORDER BY p.sealed DESC, p.node`
  return queries(tx).all<VolumePlace>(sql, volume)
}
