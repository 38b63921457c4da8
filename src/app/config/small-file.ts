/** A file that a person wrote (settings, a secret): read whole, and never more of it than such a file could have. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'

/** How long a pipe is waited for, in all. */
export interface PipePatience {
  /** While somebody writes to it: enough for a program that asks a safe for a secret, or a person for a password. */
  open: Millis
  /** While nobody does, before its first byte. */
  alone: Millis
}

const PATIENCE: PipePatience = { open: 60_000, alone: 5_000 }
const LOOK_EVERY: Millis = 10

/**
 * Undefined when there is no such file. A pipe (`--config <(…)`) is read too, once, up to its end; and /dev/null, which has
 * nothing.
 */
export function readSmallFile(path: string, maxBytes: number, patience = PATIENCE): string | undefined {
  try {
    return readBounded(path, maxBytes, patience)
  } catch (error) {
    // ENOTDIR: the folder is a file; whoever needs it as a folder says so in clearer words.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new Problem('unreadable', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readBounded(path: string, maxBytes: number, patience: PipePatience): string {
  // Without waiting: a pipe to which nobody writes would never be opened.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new Error('it is a folder')
    if (!stat.isFile() && !stat.isFIFO() && !stat.isCharacterDevice())
      throw new Error('it is neither a file nor a pipe')
    // The size that is told may be wrong: files of /proc have none, others grow.
    const bytes = new Uint8Array(maxBytes + 1)
    const read = stat.isFIFO() ? fromPipe(fd, patience) : fromFile(fd)
    let filled = 0
    for (let got = -1; got !== 0 && filled < bytes.length; filled += got) got = read(bytes.subarray(filled), filled)
    if (filled > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
    return new TextDecoder().decode(bytes.subarray(0, filled))
  } finally {
    closeSync(fd)
  }
}

/** Reads some bytes into the buffer, behind so many that were read before; 0 at the end. */
type Read = (into: Uint8Array, before: number) => number

const fromFile =
  (fd: number): Read =>
  (into) =>
    readSync(fd, into)

/**
 * A pipe that nobody has opened yet looks like one that was closed: before the first byte somebody is waited for, after it
 * that is the end.
 */
function fromPipe(fd: number, patience: PipePatience): Read {
  const waited = { open: 0, alone: 0 }
  return (into, before) => {
    for (;;) {
      const got = readNow(fd, into)
      if (got !== undefined && (got > 0 || before > 0)) return got
      const state = got === undefined ? 'open' : 'alone'
      if (waited[state] >= patience[state])
        throw new Error(`it is a pipe, and ${before === 0 ? 'nothing came out of it' : 'it did not end'} in time`)
      rest(LOOK_EVERY)
      waited[state] += LOOK_EVERY
    }
  }
}

/** Undefined: somebody writes to it, but there is nothing yet. */
function readNow(fd: number, into: Uint8Array): number | undefined {
  try {
    return readSync(fd, into)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

function rest(ms: Millis): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
