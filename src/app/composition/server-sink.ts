/** The server as a place for volumes. Whoever has none does not load this: it takes the whole API with it. */
import { Refusal } from '../../cluster/wire/judge-answer.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import { Unreachable } from '../../cluster/wire/servers.ts'
import type { VolumeSink } from './ship-volumes.ts'
import { LocationFailed } from './volume-locations.ts'

/** Without a server nothing can be reported either, and no other place would help; one that is full or refuses is another matter. */
export function serverSink(volumes: Pick<RemoteServers['volumes'], 'append' | 'seal'>): VolumeSink {
  const orNext = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isFull = error instanceof Unreachable && error.isFull
      throw isFull || error instanceof Refusal ? new LocationFailed(error) : error
    }
  }
  return {
    append: (name, offset, bytes) => orNext(volumes.append(name, offset, bytes)),
    seal: (name, size) => orNext(volumes.seal(name, size)),
  }
}
