/** Reads a file that the operator names (settings, a secret, seeds) as a whole, up to a maximum size; also a pipe (`--config <(…)`), to its end. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { getSystemErrorMessage } from 'node:util'
import { Problem, reasonOf } from '../../base/errors.ts'

const READ_AT_ONCE = 64 * 1024

/** Undefined when the file does not exist. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  try {
    return readBounded(path, maxBytes)
  } catch (error) {
    // ENOTDIR: the folder is a file; the code that needs the folder gives a clearer message.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new Problem('unreadable', `cannot read ${path}: ${whyUnreadable(error)}`)
  }
}

export function whyUnreadable(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException
  return errno === undefined ? reasonOf(error) : getSystemErrorMessage(errno)
}

/** `-` is standard input. The size is checked while reading: that of a pipe is not known before, and files in /proc report none. */
export function readBounded(path: string, maxBytes: number): string {
  const fd = path === '-' ? 0 : openSync(path, 'r')
  try {
    if (fstatSync(fd).isDirectory()) throw new Error('it is a folder')
    const pieces: Uint8Array[] = []
    for (let size = 0; ; ) {
      const piece = new Uint8Array(READ_AT_ONCE)
      const got = readSync(fd, piece)
      if (got === 0) return new TextDecoder().decode(Buffer.concat(pieces))
      size += got
      if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
      pieces.push(piece.subarray(0, got))
    }
  } finally {
    if (fd !== 0) closeSync(fd)
  }
}
