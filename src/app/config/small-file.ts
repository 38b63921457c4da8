/** Reads a small file that a person wrote (settings, a secret) as a whole, up to a maximum size. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Millis } from '../../base/clock.ts'
import { fileErrorText, Problem, reasonOf } from '../../base/errors.ts'

/**
 * How long to wait for a pipe, in total: while a writer has it open (enough for a program that asks a vault for a secret or a person for
 * a password), and before any writer has opened it.
 */
const PATIENCE = { open: 60_000, alone: 5_000 }
export type PipePatience = typeof PATIENCE
const POLL_MS: Millis = 10

/**
 * Undefined when the file does not exist. Also reads a pipe (`--config <(…)`), once, to its end, and /dev/null.
 */
export function readSmallFile(path: string, maxBytes: number, patience = PATIENCE): string | undefined {
  try {
    return readBounded(path, maxBytes, patience)
  } catch (error) {
    // ENOTDIR: the folder is a file; the code that needs the folder gives a clearer message.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new Problem('unreadable', `cannot read ${path}: ${fileErrorText(error) ?? reasonOf(error)}`)
  }
}

function readBounded(path: string, maxBytes: number, patience: PipePatience): string {
  // Without blocking: opening a pipe without a writer would wait forever.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new Error('it is a folder')
    if (!stat.isFile() && !stat.isFIFO() && !stat.isCharacterDevice())
      throw new Error('it is neither a file nor a pipe')
    // The reported size may be wrong: files in /proc have none, others grow.
    const bytes = new Uint8Array(maxBytes + 1)
    const read: Read = stat.isFIFO() ? fromPipe(fd, patience) : (into) => readSync(fd, into)
    let filled = 0
    for (let got = -1; got !== 0 && filled < bytes.length; filled += got) got = read(bytes.subarray(filled), filled)
    if (filled > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
    return new TextDecoder().decode(bytes.subarray(0, filled))
  } finally {
    closeSync(fd)
  }
}

/** Reads some bytes into the buffer; `before` is the number already read. Returns 0 at the end. */
type Read = (into: Uint8Array, before: number) => number

/**
 * A pipe without a writer looks like a closed one. Before the first byte this waits for a writer; after it, it is the end.
 */
function fromPipe(fd: number, patience: PipePatience): Read {
  const waited = { open: 0, alone: 0 }
  return (into, before) => {
    for (;;) {
      const got = readNow(fd, into)
      if (got !== undefined && (got > 0 || before > 0)) return got
      const state = got === undefined ? 'open' : 'alone'
      if (waited[state] >= patience[state])
        throw new Error(`it is a pipe, and ${before === 0 ? 'no data arrived' : 'it did not end'} in time`)
      rest(POLL_MS)
      waited[state] += POLL_MS
    }
  }
}

/** Undefined: a writer has it open, but there is no data yet. */
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
