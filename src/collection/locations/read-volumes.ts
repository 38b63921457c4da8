/**
 * The one way to the bytes of volumes, wherever they lie: in the collection's folder, in another folder of this machine,
 * with a server, in a store. Of those that cannot be reached it is said where they lie.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VolumeSources } from '../../app/composition/volume-sources.ts'
import type { Disk } from '../../base/disk.ts'
import type { ReadAt } from '../../cluster/wire/volume-reader.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { localVolumes, type ReadLocation } from '../volumes/local-volumes.ts'
import { volumePath } from '../volumes/volume-name.ts'
import { EMBEDDED_OWNER } from './own-locations.ts'
import { DIR } from './volume-locations.ts'

export interface VolumeLocation {
  /** The id of a server, `dir:/PATH` of a worker, or `s3://BUCKET/PREFIX`. */
  node: string
  bytes: number
  sealed: boolean
  /** Of a server that runs. */
  url: string | null
  /** The worker that wrote it, by the name it was given. */
  worker: string
}

/** Where a volume was sent to, or is kept, when it is not with the collection from the beginning: the best first. */
export async function locationsOf(tx: Tx, volume: string): Promise<VolumeLocation[]> {
  const sql = `SELECT p.node, p.bytes, p.sealed, h.url, coalesce(w.name, p.worker) AS worker
    FROM volume_location p LEFT JOIN server h ON h.id = p.node LEFT JOIN worker w ON w.id = p.worker
    WHERE p.name = ? ORDER BY p.sealed DESC, p.bytes DESC, p.node`
  const rows = await queries(tx).all<Omit<VolumeLocation, 'sealed'> & { sealed: number }>(sql, volume)
  return rows.map((row) => ({ ...row, sealed: row.sealed === 1 }))
}

export function locationWords({ node, url, worker }: VolumeLocation): string {
  if (node.startsWith(DIR)) {
    const folder = node.slice(DIR.length)
    return worker === EMBEDDED_OWNER ? `in ${folder}` : `in ${folder} on the machine of worker ${worker}`
  }
  if (node.startsWith('s3:')) return `in ${node}`
  return url === null ? `with server ${node}, which does not run now` : `with ${url}`
}

export function readVolumes(database: Database, disk: Disk, archive: string, sources: VolumeSources): ReadLocation {
  const local = localVolumes(disk, archive)
  return async (location) => {
    const read = await local(location)
    // Less than asked for: the beginning of a volume that went on elsewhere.
    if (read.kind === 'bytes' && read.bytes.length === location.length) return read
    const troubles: string[] = []
    for (const elsewhere of await database.read((tx) => locationsOf(tx, location.volume))) {
      const found = await readWhole(elsewhere, disk, sources, location)
      if (typeof found !== 'string') return { kind: 'bytes', bytes: found }
      troubles.push(found)
    }
    return troubles.length === 0 ? read : { kind: 'absent', why: troubles.join('; ') }
  }
}

/** A folder of the machine that the collection was made on. */
export function isOwnFolder({ node, worker }: VolumeLocation): boolean {
  return node.startsWith(DIR) && worker === EMBEDDED_OWNER
}

/** Of a volume in a folder, when that folder is one of this machine. */
export function pathAt({ node }: VolumeLocation, name: string, disk: Disk): string | undefined {
  return node.startsWith(DIR) ? volumePath(disk, node.slice(DIR.length), name) : undefined
}

/** How to read there; undefined when it cannot be reached from here. */
export async function readerAt(
  location: VolumeLocation,
  disk: Disk,
  sources: VolumeSources,
): Promise<ReadAt | undefined> {
  if (location.node.startsWith('s3:')) return sources.store(location.node)
  if (location.node.startsWith(DIR)) {
    const local = localVolumes(disk, location.node.slice(DIR.length))
    return async (volume, offset, length) => {
      const read = await local({ volume, offset, length })
      if (read.kind === 'absent') throw new Error('here is no such file')
      return read.bytes
    }
  }
  return location.url === null ? undefined : sources.server(location.url)
}

/** Or why not. */
async function readWhole(
  location: VolumeLocation,
  disk: Disk,
  sources: VolumeSources,
  { volume, offset, length }: { volume: string; offset: number; length: number },
): Promise<Uint8Array | string> {
  const where = `lies ${locationWords(location)}`
  try {
    const readAt = await readerAt(location, disk, sources)
    if (readAt === undefined) return where
    const bytes = await readAt(volume, offset, length)
    return bytes.length === length ? bytes : `${where}, but ends before that`
  } catch (error) {
    return `${where}, but cannot be read there: ${error instanceof Error ? error.message : error}`
  }
}

/** A whole volume that lies elsewhere, brought here for as long as it is looked at. */

const AT_ONCE = 4 * 2 ** 20

/** Throws when it cannot be had. Who asks for it disposes of it. */
export async function fetchVolume(
  location: VolumeLocation,
  name: string,
  disk: Disk,
  sources: VolumeSources,
): Promise<{ path: string } & Disposable> {
  const readAt = await readerAt(location, disk, sources)
  if (readAt === undefined) throw new Error('it cannot be reached')
  return copyVolume(readAt, name, disk, location.bytes)
}

/** `bytes`: so many there are; undefined: as many as there are. */
export async function copyVolume(
  readAt: ReadAt,
  name: string,
  disk: Disk,
  bytes?: number,
): Promise<{ path: string } & Disposable> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-volume-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const path = join(folder, name)
    const file = disk.append(path)
    try {
      while (file.size < (bytes ?? Number.POSITIVE_INFINITY)) {
        const piece = await readAt(name, file.size, Math.min(AT_ONCE, (bytes ?? Number.POSITIVE_INFINITY) - file.size))
        if (piece.length === 0 && bytes === undefined) break
        if (piece.length === 0) throw new Error(`it has ${file.size} bytes there, not ${bytes}`)
        file.write(piece)
      }
    } finally {
      file.close()
    }
    return { path, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}
