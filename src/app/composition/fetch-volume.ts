/** A whole volume that lies elsewhere, brought here for as long as it is looked at. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import type { ReadAt } from '../../cluster/wire/volume-reader.ts'
import { readerAt, type VolumeLocation } from './open-volumes.ts'
import type { VolumeSources } from './volume-sources.ts'

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
