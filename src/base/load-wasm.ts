/**
 * A module of WebAssembly that lies beside the code that uses it: compiled from `assembly/` by `npm run wasm`, without imports, its
 * memory its own. Small ones are compiled in a millisecond, so each thread does it for itself.
 */
import { readFileSync } from 'node:fs'
import { Problem } from './errors.ts'

/** The types of Node leave it to those of browsers, which would bring a thousand names that are not here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: object }
}

export function loadWasm<Exports extends object>(file: URL): Exports {
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports as Exports
  } catch (cause) {
    const what = 'this Node cannot run WebAssembly with vectors: the processor is too old for it, or --jitless is set'
    throw new Problem('bad-config', what, { cause })
  }
}
