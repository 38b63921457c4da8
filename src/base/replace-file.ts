/** A small file written whole or not at all, whatever happens meanwhile. */
import { dirname } from 'node:path'
import type { Disk } from './disk.ts'

/**
 * Durable when it resolves; until then whoever reads `path` finds what was there before. `mode`: of secrets, which nobody
 * else may read at any moment.
 */
export async function replaceFile(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const unfinished = `${path}.new`
  disk.remove(unfinished)
  const file = disk.append(unfinished, mode)
  try {
    file.write(typeof content === 'string' ? new TextEncoder().encode(content) : content)
    await file.sync()
  } finally {
    file.close()
  }
  disk.rename(unfinished, path)
  await disk.syncFolder(dirname(path))
}
