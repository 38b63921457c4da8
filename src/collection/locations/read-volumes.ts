/**
 * Reads the bytes of volumes wherever they lie: in the collection's folder, in another folder of this machine, with a
 * server, in a store. For volumes that cannot be reached it says where they lie.
 */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { scratchFolder } from '../../base/real-disk.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { localVolumes, type ReadLocation } from '../volumes/local-volumes.ts'
import { volumePath } from '../volumes/volume-name.ts'
import { EMBEDDED_OWNER } from './own-locations.ts'
import { DIR } from './volume-locations.ts'

/** `length` bytes from `offset`; fewer at the end of the volume. */
export type ReadAt = (name: string, offset: number, length: number) => Promise<Uint8Array>

/** How other machines are reached. */
export interface VolumeSources {
  server(url: string): Promise<ReadAt>
  /** `location`: s3://BUCKET/PREFIX. */
  store(location: string): Promise<ReadAt>
  close(): void
}

export interface StoredLocation {
  /** The id of a server, `dir:/PATH` of a worker, or `s3://BUCKET/PREFIX`. */
  node: string
  bytes: number
  sealed: boolean
  /** Of a running server. */
  url: string | null
  /** The name of the worker that wrote it. */
  worker: string
}

/** Where a volume was sent to, or is kept, if that is not the archive folder. The best location comes first. */
export async function locationsOf(tx: Tx, volume: string): Promise<StoredLocation[]> {
  const sql = `SELECT p.node, p.bytes, p.sealed, h.url, coalesce(w.name, p.worker) AS worker
    FROM volume_location p LEFT JOIN server h ON h.id = p.node LEFT JOIN worker w ON w.id = p.worker
    WHERE p.name = ? ORDER BY p.sealed DESC, p.bytes DESC, p.node`
  const rows = await queries(tx).all<Omit<StoredLocation, 'sealed'> & { sealed: number }>(sql, volume)
  return rows.map((row) => ({ ...row, sealed: row.sealed === 1 }))
}

/** The names of all volumes that captures lie in. */
export async function volumeNames(tx: Tx): Promise<string[]> {
  return (await queries(tx).all<{ name: string }>('SELECT name FROM volume')).map(({ name }) => name)
}

export function describeLocation({ node, url, worker }: StoredLocation): string {
  if (node.startsWith(DIR)) {
    const folder = node.slice(DIR.length)
    return worker === EMBEDDED_OWNER ? `in ${folder}` : `in ${folder} on the machine of worker ${worker}`
  }
  if (node.startsWith('s3:')) return `in ${node}`
  return url === null ? `with server ${node}, which is not running` : `with ${url}`
}

export function readVolumes(database: Database, disk: Disk, archive: string, sources: VolumeSources): ReadLocation {
  const local = localVolumes(disk, archive)
  return async (location) => {
    const read = await local(location)
    // Fewer bytes than asked for: a beginning of a volume that was completed elsewhere.
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

/** A folder of the machine on which the collection was made. */
export function isOwnFolder({ node, worker }: StoredLocation): boolean {
  return node.startsWith(DIR) && worker === EMBEDDED_OWNER
}

/** The path of a volume that lies in a folder of this machine. */
export function pathAt({ node }: StoredLocation, name: string, disk: Disk): string | undefined {
  return node.startsWith(DIR) ? volumePath(disk, node.slice(DIR.length), name) : undefined
}

/** Undefined when the location cannot be reached from here. */
async function readerAt(location: StoredLocation, disk: Disk, sources: VolumeSources): Promise<ReadAt | undefined> {
  if (location.node.startsWith('s3:')) return sources.store(location.node)
  if (location.node.startsWith(DIR)) {
    const local = localVolumes(disk, location.node.slice(DIR.length))
    return async (volume, offset, length) => {
      const read = await local({ volume, offset, length })
      if (read.kind === 'absent') throw new Error('there is no such file here')
      return read.bytes
    }
  }
  return location.url === null ? undefined : sources.server(location.url)
}

/** The bytes, or why they cannot be had. */
async function readWhole(
  location: StoredLocation,
  disk: Disk,
  sources: VolumeSources,
  { volume, offset, length }: { volume: string; offset: number; length: number },
): Promise<Uint8Array | string> {
  const where = `lies ${describeLocation(location)}`
  try {
    const readAt = await readerAt(location, disk, sources)
    if (readAt === undefined) return where
    const bytes = await readAt(volume, offset, length)
    return bytes.length === length ? bytes : `${where}, but ends before that`
  } catch (error) {
    return `${where}, but cannot be read there: ${error instanceof Error ? error.message : error}`
  }
}

const COPY_BYTES = 4 * 2 ** 20

/** Copies a whole volume into a scratch folder, which is removed when the result is disposed of. */
export async function fetchVolume(location: StoredLocation, name: string, disk: Disk, sources: VolumeSources) {
  const readAt = await readerAt(location, disk, sources)
  if (readAt === undefined) throw new Error('it cannot be reached')
  return copyVolume(readAt, name, disk, location.bytes)
}

/** `bytes`: the size it must have; infinite where that is not known. */
export async function copyVolume(readAt: ReadAt, name: string, disk: Disk, bytes = Number.POSITIVE_INFINITY) {
  const folder = scratchFolder('volume')
  try {
    const path = join(folder.path, name)
    const file = disk.append(path)
    try {
      while (file.size < bytes) {
        const piece = await readAt(name, file.size, Math.min(COPY_BYTES, bytes - file.size))
        if (piece.length === 0 && bytes === Number.POSITIVE_INFINITY) break
        if (piece.length === 0) throw new Error(`it has ${file.size} bytes there, not ${bytes}`)
        file.write(piece)
      }
    } finally {
      file.close()
    }
    return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  } catch (error) {
    folder[Symbol.dispose]()
    throw error
  }
}
