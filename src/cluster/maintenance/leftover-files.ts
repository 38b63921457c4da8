/** Files that were never finished, and batches of reports that no server would take. None has a reader any more. */
import { join } from 'node:path'
import type { Orphan, OwnFolder } from './orphan.ts'

interface Leftover {
  /** Inside the folder. */
  inside: string
  pattern: RegExp
  why: string
}

const UNFINISHED = 'never finished: a crash came between'

const LEFTOVERS: readonly Leftover[] = [
  { inside: '.', pattern: /\.new$/, why: UNFINISHED },
  { inside: 'outbox', pattern: /\.parts\.new$/, why: UNFINISHED },
  { inside: 'indexes', pattern: /^index\.partial-/, why: UNFINISHED },
  { inside: 'outbox', pattern: /\.parts\.refused$/, why: 'reports that no server would take; kept to be looked at' },
]

export function leftoverFiles({ disk, folder }: OwnFolder): Orphan[] {
  return LEFTOVERS.flatMap(({ inside, pattern, why }) =>
    disk
      .list(join(folder, inside))
      .filter((name) => pattern.test(name))
      .map((name): Orphan => {
        const path = join(folder, inside, name)
        return {
          kind: 'file',
          name: join(inside, name),
          why,
          bytes: disk.size(path) ?? 0,
          async remove() {
            disk.remove(path)
            await disk.syncFolder(join(folder, inside))
            return true
          },
        }
      }),
  )
}
