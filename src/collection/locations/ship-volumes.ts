/**
 * Sends a worker's volumes to a location (a server, a store) as they grow. A report part may be delivered only when the bytes
 * it names are durable where they will be read, so volumes are shipped before parts are delivered. The location holds a beginning of
 * what is here and says how long it is. The rest follows from there, also after either side was killed or another server
 * took over.
 */
import type { Disk } from '../../base/disk.ts'
import { inOrder } from '../../base/in-order.ts'
import { volumeFiles } from '../volumes/volume-name.ts'

export interface VolumeSink {
  /** Resolves when the bytes are durable there, with the size of what is there now. Shipping goes on from that size. */
  append(name: string, offset: number, bytes: Uint8Array): Promise<number>
  /** The volume is complete with this size; anything beyond it is cut. Resolves when that is durable. */
  seal(name: string, size: number): Promise<void>
}

/** A request body: large enough to cost little each, small enough for any proxy and for memory. */
const MAX_AT_ONCE = 4 * 2 ** 20
/** Answers in a row without progress before shipping gives up. */
const MAX_SETBACKS = 20

export type Shipper = ReturnType<typeof shipperOf>

/** `stays`: complete volumes that are where they belong. */
export function shipperOf(
  disk: Disk,
  folder: string,
  sink: VolumeSink,
  stays: (name: string) => boolean = () => false,
) {
  /** How much of a volume is there, as far as is known. */
  const known = new Map<string, number>()
  /** Complete volumes that are being sealed. */
  const sealing = new Map<string, Promise<void>>()
  /** Why the last seal failed: the next `ship` throws it. */
  let trouble: unknown
  const inTurn = inOrder()

  /** Its size when all of it was sent; undefined when there is no file of this name any more. */
  const shipGrown = async (file: string, name: string): Promise<number | undefined> => {
    const path = `${folder}/${file}`
    const size = disk.size(path)
    if (size === undefined) return undefined
    let setbacks = 0
    for (let at = known.get(name) ?? 0; at < size; ) {
      const bytes = readIfThere(disk, path, at, Math.min(MAX_AT_ONCE, size - at))
      if (bytes === undefined) return undefined
      const there = await sink.append(name, at, bytes)
      if (there <= at && ++setbacks > MAX_SETBACKS)
        throw new Error(`the bytes of ${name} are not accepted: there are ${there} there, ${size} here`)
      // The location has more: a tail that was cut here when the worker was killed.
      at = Math.min(there, size)
      known.set(name, at)
    }
    return size
  }
  /** Not awaited by `ship`: a store may take minutes, and reports only name bytes that are there already. */
  const seal = async (name: string, size: number): Promise<void> => {
    try {
      await sink.seal(name, size)
      disk.remove(`${folder}/${name}`)
    } catch (error) {
      trouble = error
    } finally {
      // When it failed, it may have gone to another server, which has nothing of the volume: ask again how much is there.
      known.delete(name)
      sealing.delete(name)
    }
  }
  const shipWhole = async (name: string): Promise<void> => {
    if (sealing.has(name)) return
    const size = await shipGrown(name, name)
    if (size !== undefined) sealing.set(name, seal(name, size))
  }
  /** A full volume is renamed at any moment. If that hid one, all are listed again. */
  const shipAll = async (): Promise<void> => {
    const failed = trouble
    trouble = undefined
    if (failed !== undefined) throw failed
    for (let missed = true; missed; ) {
      missed = false
      for (const { name, file, isOpen } of volumeFiles(disk, folder)) {
        if (isOpen) missed = (await shipGrown(file, name)) === undefined || missed
        else if (!stays(name)) await shipWhole(name)
      }
    }
  }

  return {
    /** Resolves when all that the volumes have now is there. Calls run one after the other. */
    ship: () => inTurn(shipAll),
    /** Resolves when every seal under way has ended, well or not. */
    settled: async () => void (await Promise.all(sealing.values())),
  }
}

function readIfThere(disk: Disk, path: string, at: number, length: number): Uint8Array | undefined {
  try {
    return disk.read(path, at, length)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
