/** The lines of `index.cdxj`, one character a byte, in bounded memory. */
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'

const READ_BYTES = 256 * 1024
const LONGEST_LINE = 1024 * 1024

export function* indexFileLines(disk: Disk, path: string): Generator<string> {
  const size = disk.size(path) ?? 0
  let rest = ''
  for (let at = 0; at < size; ) {
    const bytes = disk.read(path, at, READ_BYTES)
    if (bytes.length === 0) break
    at += bytes.length
    const lines = (rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) throw new Problem('unreadable', `${path} is no index: it has a line of over 1 MB`)
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Lines are compared as bytes and shown as text. */
export function lineText(bytewise: string): string {
  return /^[\x00-\x7f]*$/.test(bytewise) ? bytewise : Buffer.from(bytewise, 'latin1').toString('utf8')
}
