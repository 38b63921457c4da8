/** A file that a person wrote (settings, a secret): read whole, and never more of it than such a file could have. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '../base/errors.ts'

/**
 * Undefined when there is no such file. Only ordinary files: a pipe to which nobody writes would never be opened, and
 * /dev/zero never ends.
 */
export function readSmallFile(path: string, mostBytes: number): string | undefined {
  try {
    return readBounded(path, mostBytes)
  } catch (error) {
    // ENOTDIR: the folder is a file; whoever needs it as a folder says so in clearer words.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new Problem('unreadable', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readBounded(path: string, mostBytes: number): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new Error('it is a folder')
    if (!stat.isFile()) throw new Error('it is no ordinary file but a pipe, a socket or a device')
    // The size that is told may be wrong: files of /proc have none, others grow.
    const bytes = new Uint8Array(mostBytes + 1)
    let filled = 0
    for (let got = -1; got !== 0 && filled < bytes.length; filled += got)
      got = readSync(fd, bytes, filled, bytes.length - filled, null)
    if (filled > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
    return new TextDecoder().decode(bytes.subarray(0, filled))
  } finally {
    closeSync(fd)
  }
}
