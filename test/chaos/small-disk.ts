/** A disk that is soon full: a small tmpfs, where the user may mount one. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  readonly folder: string
  fill(): void
  makeRoom(): void
}

const BYTES = 64 * 2 ** 20

/** Undefined when this user may not mount. */
export function smallDisk(folder: string): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${BYTES}`, 'orbweaver-chaos', folder], {
    stdio: 'ignore',
  })
  if (mounted.status !== 0) return undefined
  const junk = join(folder, 'junk')
  const release = () => void spawnSync('umount', ['-l', folder], { stdio: 'ignore' })
  process.once('exit', release)
  return {
    folder,
    fill() {
      const piece = Buffer.alloc(2 ** 20)
      try {
        for (;;) writeFileSync(junk, piece, { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    makeRoom: () => rmSync(junk, { force: true }),
    [Symbol.dispose]() {
      process.off('exit', release)
      release()
    },
  }
}
