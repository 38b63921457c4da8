/**
 * Receives workers' volumes as they grow: append only, durable when answered. A range may be sent again if it is
 * identical. They have the usual open and complete names in the archive folder, so readers find them like any other
 * volume.
 */
import type { Disk } from '../../base/disk.ts'
import { noteLocation } from '../../collection/locations/own-locations.ts'
import { grownVolumes, VolumeConflict } from '../../collection/volumes/grown-volumes.ts'
import { readOrAgain } from '../../collection/volumes/local-volumes.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { ApiError, MAX_VOLUME_PIECE } from '../wire/protocol.ts'
import type { CallTools, Handlers } from './handlers.ts'

/** Where volumes are, shared by all servers. */
export function volumeLocations(database: Database, node: string) {
  return {
    /** The worker that began it, anywhere, and the bytes known to be durable here, if it ever came here; undefined: unknown. */
    find: (name: string): Promise<{ worker: string; bytes: number | undefined } | undefined> =>
      database.read(async (tx) => {
        const sql = 'SELECT node, worker, bytes FROM volume_location WHERE name = ? ORDER BY node'
        const rows = await queries(tx).all<{ node: string; worker: string; bytes: number }>(sql, name)
        if (rows.length === 0) return undefined
        return { worker: rows[0].worker, bytes: rows.find((row) => row.node === node)?.bytes }
      }),
    /** Records that it is here, with this many bytes. */
    note: (name: string, worker: string, bytes: number, sealed: boolean): Promise<void> =>
      noteLocation({ database, owner: worker }, name, node, bytes, sealed),
  }
}

/** Volumes cached: a growing volume is looked up once a second. */
const MAX_KNOWN = 10_000
/** The table has a volume's size only roughly, to save commits. After a restart the worker sends the rest again. */
const NOTE_EVERY_BYTES = 8 * 2 ** 20

interface Known {
  worker: string
  /** Bytes acknowledged by this process, or in the table. A crash may have left more behind them. */
  durable: number
  noted: number
}

/** `folder`: `archive/` of the collection. */
export function uploadHandlers(
  disk: Disk,
  folder: string,
  locations: ReturnType<typeof volumeLocations>,
): Pick<Handlers, 'upload' | 'seal'> {
  const copies = grownVolumes(disk, folder)
  const volumes = new Map<string, Known>()
  /** One piece per volume at a time. */
  const queues = new Map<string, Promise<unknown>>()

  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(name) ?? Promise.resolve()).then(work)
    const quiet = turn
      .catch(() => {})
      .then(() => {
        if (queues.get(name) === quiet) queues.delete(name)
      })
    queues.set(name, quiet)
    return turn
  }
  const known = async (name: string, worker: string): Promise<Known> => {
    const remembered = volumes.get(name)
    if (remembered !== undefined) return remembered
    const found = await locations.find(name)
    const owner = found?.worker ?? worker
    if (found?.bytes !== undefined) return { worker: owner, durable: found.bytes, noted: found.bytes }
    // A volume of the collection itself or of an unknown worker: refuse to write.
    if (found === undefined && copies.sizeOf(name) !== undefined) return { worker: '', durable: 0, noted: 0 }
    // Before the first byte, also when another server has its beginning: after a crash, this one must not take it for its own.
    if (owner === worker) await locations.note(name, worker, 0, false)
    return { worker: owner, durable: 0, noted: 0 }
  }
  const ownVolume = async (name: string, worker: string): Promise<Known> => {
    const volume = await known(name, worker)
    if (volume.worker !== worker) throw notYours(name)
    if (volumes.size >= MAX_KNOWN) volumes.delete(volumes.keys().next().value!)
    volumes.set(name, volume)
    return volume
  }

  return {
    upload: ({ worker, name, query: { offset = 0 }, bytes, note }) =>
      inTurn(name, async () => {
        const volume = await ownVolume(name, worker)
        const end = await orConflict(copies.append(name, volume.durable, Number(offset), bytes))
        note.items = 1
        volume.durable = end
        if (end - volume.noted >= NOTE_EVERY_BYTES) {
          volume.noted = end
          await locations.note(name, worker, end, false)
        }
        return { bytes: end }
      }),
    seal: ({ worker, name }, { bytes }) =>
      inTurn(name, async () => {
        await ownVolume(name, worker)
        await orConflict(copies.seal(name, bytes))
        await locations.note(name, worker, bytes, true)
        volumes.delete(name)
        return { bytes }
      }),
  }
}

const notYours = (name: string) =>
  new ApiError('forbidden', `volume ${name} is not yours`, 'name volumes so that no other worker does')

async function orConflict<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof VolumeConflict) throw new ApiError('conflict', error.message, error.hint)
    throw error
  }
}

/** Locations of volumes that workers keep elsewhere, and bytes of those here. */
export function volumeHandlers(tools: CallTools): Pick<Handlers, 'located' | 'readVolume'> {
  const { database, disk, archiveFolder: folder } = tools
  return {
    async located({ worker, name }, { location, bytes, sealed }) {
      const locations = volumeLocations(database, location)
      const owner = (await locations.find(name))?.worker ?? (volumePath(disk, folder, name) === undefined ? worker : '')
      if (owner !== worker) throw notYours(name)
      await locations.note(name, worker, bytes, sealed)
      return {}
    },
    async readVolume({ name, query, note }) {
      const [offset, length] = [Number(query.offset), Number(query.length)]
      if (length > MAX_VOLUME_PIECE)
        throw new ApiError('too-big', `at most ${MAX_VOLUME_PIECE} bytes at once`, 'ask for less at once')
      const path = volumePath(disk, folder, name)
      if (path === undefined) throw new ApiError('not-found', `${name} is not here`, 'ask where it lies')
      note.items = 1
      return readOrAgain(disk, folder, path, { volume: name, offset, length })
    },
  }
}
