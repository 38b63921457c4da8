/**
 * `npm run wasm`: compiles the modules that are written in AssemblyScript (a TypeScript for WebAssembly) and puts each beside
 * the file that loads it. The compiled modules are committed, so that nobody needs the compiler to run the program;
 * `tools/wasm.test.ts` says when one is not what its source says.
 */
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main } from 'assemblyscript/asc'

const root = join(import.meta.dirname, '..')

/** No runtime and no collector: memory is laid out by the module itself. */
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']

export async function compile({ source }: WasmModule): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined
  const { error, stderr } = await main([source, ...OPTIONS, '--baseDir', root, '--outFile', 'module.wasm'], {
    writeFile: (name, contents) => {
      if (name === 'module.wasm') wasm = contents as Uint8Array
    },
  })
  if (error !== null || wasm === undefined) throw new Error(`${source} does not compile\n${stderr.toString()}`)
  return wasm
}

if (import.meta.main) {
  for (const module of wasmModules()) {
    const bytes = await compile(module)
    writeFileSync(join(root, module.compiled), bytes)
    console.log(`${module.compiled}: ${bytes.length} bytes`)
  }
}

/** Where the modules of WebAssembly are, as written and as compiled. */

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
