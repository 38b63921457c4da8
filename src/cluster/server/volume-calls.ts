/** Where volumes lie: what workers say of those that they send to no server, and bytes of those that lie here. */
import type { Disk } from '../../base/disk.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Database } from '../../database/database.ts'
import { ApiError } from '../wire/api-error.ts'
import { MAX_VOLUME_PIECE } from '../wire/protocol.ts'
import type { Handlers } from './handlers.ts'
import { checkJoin } from './join.ts'
import { volumeLocations } from './uploads.ts'

export interface VolumeCallTools {
  database: Database
  disk: Disk
  /** `archive/` of the collection. */
  folder: string
  joinSecret: string | undefined
}

export function volumeHandlers(tools: VolumeCallTools): Pick<Handlers, 'located' | 'readVolume'> {
  const { database, disk, folder, joinSecret } = tools
  return {
    async located({ worker, name }, { location, bytes, sealed }) {
      const locations = volumeLocations(database, location)
      const owner = (await locations.find(name))?.worker ?? (volumePath(disk, folder, name) === undefined ? worker : '')
      if (owner !== worker)
        throw new ApiError('forbidden', `volume ${name} is not yours`, 'name volumes so that no other worker does')
      await locations.note(name, worker, bytes, sealed)
      return {}
    },
    async readVolume(asked) {
      checkJoin(joinSecret, asked.join, asked)
      const { name, offset, length = 0, note } = asked
      if (length > MAX_VOLUME_PIECE)
        throw new ApiError('too-big', `at most ${MAX_VOLUME_PIECE} bytes at once`, 'ask for less at once')
      const path = volumePath(disk, folder, name)
      if (path === undefined) throw new ApiError('not-found', `${name} is not here`, 'ask where it lies')
      note.items = 1
      return readOrAgain(name, path, offset, length)
    },
  }

  /** It may be sealed, which renames it, between the question where it is and this. */
  function readOrAgain(name: string, path: string, offset: number, length: number): Uint8Array {
    try {
      return disk.read(path, offset, length)
    } catch (error) {
      const now = volumePath(disk, folder, name)
      if (now === undefined || now === path) throw error
      return disk.read(now, offset, length)
    }
  }
}
