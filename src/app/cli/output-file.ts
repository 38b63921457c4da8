/** Where `-o FILE` writes. Like a shell's `>` it empties what is there and replaces nothing: devices and links stay. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Screen } from './screen.ts'

export interface Output {
  write(bytes: Uint8Array | string): Promise<void>
  close(): void
}

/** No file, or `-`: standard output. */
export function openOutput(path: string | undefined, screen: Screen): Output {
  if (path === undefined || path === '-') return { write: (bytes) => screen.write(bytes), close() {} }
  const fd = openSync(path, 'w')
  return {
    async write(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    },
    close: () => closeSync(fd),
  }
}
