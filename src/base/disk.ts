/**
 * Files, for the modules that write them. Two implementations: the machine's disk (`real-disk.ts`) and one in memory that
 * loses unsynced data in a simulated power cut (`testkit/memory-disk.ts`).
 *
 * Writing is synchronous (a copy into the page cache costs less than a trip through the thread pool); only a sync,
 * which waits for the device, is awaited. A new or renamed file is durable once the file *and its folder* are synced.
 */
import { dirname } from 'node:path'

export interface Disk {
  /** Opens for appending. Makes the file if there is none, with these permissions (default: the system's). */
  append(path: string, mode?: number): AppendFile
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(path: string, offset: number, length: number): Uint8Array
  size(path: string): number | undefined
  /** Names (not paths) in a folder, sorted; empty when there is no such folder. */
  list(folder: string): string[]
  makeFolder(folder: string): void
  rename(from: string, to: string): void
  remove(path: string): void
  truncate(path: string, size: number): void
  syncFolder(folder: string): Promise<void>
}

export interface AppendFile {
  readonly size: number
  write(bytes: Uint8Array): void
  /** fdatasync: returns when what was written before the call survives a loss of power (its name: `syncFolder`). */
  sync(): Promise<void>
  close(): void
}

/**
 * Writes a small file whole or not at all. Durable when it resolves; until then a reader of `path` finds the old file.
 * `mode`: of secrets, which nobody else may read at any moment.
 */
export async function replaceFile(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const unfinished = `${path}.new`
  try {
    disk.remove(unfinished)
    const file = disk.append(unfinished, mode)
    try {
      file.write(typeof content === 'string' ? new TextEncoder().encode(content) : content)
      await file.sync()
    } finally {
      file.close()
    }
    disk.rename(unfinished, path)
  } catch (error) {
    // The user knows nothing of the other file.
    throw error instanceof Error && 'path' in error ? Object.assign(error, { path }) : error
  }
  await disk.syncFolder(dirname(path))
}
