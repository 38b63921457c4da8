/** What a folder is called among all that share a database: a server's own name, the same after each start. */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { replaceFile } from '../../base/disk.ts'
import { freshId } from '../../base/random.ts'

const FILE = 'server-id'
const LONGEST = 100

export async function nodeId(disk: Disk, folder: string): Promise<string> {
  const known = knownNodeId(disk, folder)
  if (known !== undefined) return known
  const id = freshId()
  await replaceFile(disk, join(folder, FILE), `${id}\n`)
  return id
}

/** Undefined: no server was ever started here. */
export function knownNodeId(disk: Disk, folder: string): string | undefined {
  const path = join(folder, FILE)
  const size = disk.size(path)
  if (size === undefined) return undefined
  return new TextDecoder().decode(disk.read(path, 0, Math.min(size, LONGEST))).trim()
}
