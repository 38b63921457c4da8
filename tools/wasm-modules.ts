/** Where the modules of WebAssembly are, as written and as compiled. */
import { globSync } from 'node:fs'
import { join } from 'node:path'

export interface WasmModule {
  /** Both from the root of the tree. */
  source: string
  compiled: string
}

/** `src/ROOM/…/assembly/NAME.wasm.ts` becomes `src/ROOM/…/NAME.wasm`; other files of the folder are what it imports. */
export function wasmModules(): WasmModule[] {
  return globSync('src/**/assembly/*.wasm.ts', { cwd: join(import.meta.dirname, '..') })
    .sort()
    .map((source) => ({ source, compiled: source.replace(/assembly\/([^/]+)\.ts$/, '$1') }))
}
