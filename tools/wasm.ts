/**
 * `npm run wasm`: compiles the modules written in AssemblyScript (a TypeScript for WebAssembly) and puts each beside the file
 * that loads it. The compiled modules are committed, so that the program runs without the compiler; `tools/wasm.test.ts` fails
 * when a module does not match its source.
 */
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Both paths are relative to the root of the tree. */
export interface WasmModule {
  source: string
  compiled: string
}

/** `src/MODULE/…/assembly/NAME.wasm.ts` becomes `src/MODULE/…/NAME.wasm`; it imports the other files of its folder. */
export function wasmModules(): WasmModule[] {
  return globSync('src/**/assembly/*.wasm.ts', { cwd: root })
    .sort()
    .map((source) => ({ source, compiled: source.replace(/assembly\/([^/]+)\.ts$/, '$1') }))
}

/** No runtime and no garbage collector: the modules lay out their memory themselves. */
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']

export async function compile({ source }: WasmModule): Promise<Uint8Array> {
  const { main } = await import('assemblyscript/asc')
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
