/**
 * Volumes of workers, as they grow: appended, never changed, durable when answered. What is there already may be sent again
 * and must be the same. They lie in the archive folder under the names that volumes have while they are written and when
 * they are complete, so that readers find them as they find any other.
 */
import { join } from 'node:path'
import type { Disk } from '../base/disk.ts'
import { OPEN } from '../collection/volumes/volume-name.ts'
import type { Database } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { ApiError } from '../wire/http/api-error.ts'
import type { Handlers } from './handlers.ts'

export interface UploadTools {
  disk: Disk
  /** `archive/` of the collection. */
  folder: string
  places: VolumePlaces
}

/** Where volumes lie, for all servers to see. */
export interface VolumePlaces {
  /** The worker that began it, wherever; undefined: nobody did. */
  ownerOf(name: string): Promise<string | undefined>
  /** It lies here, with so many bytes. */
  note(name: string, worker: string, bytes: number, sealed: boolean): Promise<void>
}

const PLACE = `
  INSERT INTO volume_place (name, node, worker, bytes, sealed) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name, node) DO UPDATE SET bytes = excluded.bytes, sealed = excluded.sealed
  WHERE volume_place.worker = excluded.worker`

export function volumePlaces(database: Database, node: string): VolumePlaces {
  return {
    ownerOf: (name) =>
      database.read(async (tx) => {
        const sql = 'SELECT worker FROM volume_place WHERE name = ? ORDER BY node LIMIT 1'
        return (await queries(tx).get<{ worker: string }>(sql, name))?.worker
      }),
    async note(name, worker, bytes, sealed) {
      await database.transact((tx) => queries(tx).run(PLACE, name, node, worker, bytes, sealed ? 1 : 0))
    },
  }
}

/** Volumes whose owner is remembered: each is asked about once a second while it grows. */
const MOST_OWNERS = 10_000
/** The table says how large a volume is, roughly: a row for each piece would be a commit for each. */
const NOTE_EVERY_BYTES = 64 * 2 ** 20

export function uploadHandlers({ disk, folder, places }: UploadTools): Pick<Handlers, 'upload' | 'seal'> {
  const owners = new Map<string, string>()
  const noted = new Map<string, number>()
  /** One piece of a volume at a time. */
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
  const checkOwner = async (name: string, worker: string): Promise<void> => {
    let owner = owners.get(name) ?? (await places.ownerOf(name))
    if (owner === undefined) {
      // A volume of the collection itself, or of somebody who is not in the table: not to be written to.
      if (sizeOf(name) !== undefined) owner = ''
      else await places.note(name, (owner = worker), 0, false)
    }
    if (owner !== worker)
      throw new ApiError('forbidden', `volume ${name} is not yours`, 'name volumes so that no other worker does')
    if (owners.size >= MOST_OWNERS) owners.delete(owners.keys().next().value!)
    owners.set(name, owner)
  }
  const sealedSize = (name: string) => disk.size(join(folder, name))
  const sizeOf = (name: string) => sealedSize(name) ?? disk.size(join(folder, name) + OPEN)

  return {
    upload: ({ worker, name, offset, bytes, note }) =>
      inTurn(name, async () => {
        await checkOwner(name, worker)
        const sealed = sealedSize(name)
        const path = join(folder, name) + (sealed === undefined ? OPEN : '')
        const size = sealed ?? disk.size(path) ?? 0
        if (offset > size) return { bytes: size }
        const known = Math.min(bytes.length, size - offset)
        if (known > 0 && Buffer.compare(disk.read(path, offset, known), bytes.subarray(0, known)) !== 0)
          throw new ApiError(
            'conflict',
            `${name} has other bytes at ${offset}`,
            'a volume is appended to, never changed',
          )
        if (known === bytes.length) return { bytes: size }
        if (sealed !== undefined)
          throw new ApiError('conflict', `${name} is complete: it has ${size} bytes`, 'begin another volume')
        await append(disk, folder, path, bytes.subarray(known))
        const after = size + bytes.length - known
        if (after - (noted.get(name) ?? 0) >= NOTE_EVERY_BYTES) {
          noted.set(name, after)
          await places.note(name, worker, after, false)
        }
        note.items = 1
        return { bytes: after }
      }),
    seal: ({ worker, name }, { bytes }) =>
      inTurn(name, async () => {
        await checkOwner(name, worker)
        const path = join(folder, name)
        const size = sizeOf(name)
        const sealed = sealedSize(name) !== undefined
        if (size === undefined || size < bytes || (sealed && size !== bytes))
          throw new ApiError('conflict', `${name} has ${size ?? 0} bytes here, not ${bytes}`, 'send the rest first')
        if (!sealed) {
          // A tail that its worker had cut after a crash: no report names anything in it.
          if (size > bytes) await cut(disk, path + OPEN, bytes)
          disk.rename(path + OPEN, path)
          await disk.syncFolder(folder)
        }
        await places.note(name, worker, bytes, true)
        noted.delete(name)
        return { bytes }
      }),
  }
}

async function append(disk: Disk, folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const isNew = disk.size(path) === undefined
  const file = disk.append(path)
  try {
    file.write(bytes)
    await file.sync()
  } finally {
    file.close()
  }
  if (isNew) await disk.syncFolder(folder)
}

async function cut(disk: Disk, path: string, size: number): Promise<void> {
  disk.truncate(path, size)
  const file = disk.append(path)
  await file.sync()
  file.close()
}
