/**
 * Loads a WebAssembly module from beside the code that uses it: built from `assembly/` by `npm run wasm`, without imports, with
 * its own memory. Compiling takes a millisecond, so each thread does it for itself.
 */
import { readFileSync } from 'node:fs'
import { Problem } from './errors.ts'

/** Node's types lack it, and the DOM's types would declare a thousand names that do not exist here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: object }
}

export function loadWasm<Exports extends object>(file: URL): Exports {
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports as Exports
  } catch (cause) {
    const what = 'this Node.js cannot run WebAssembly SIMD: the processor is too old, or --jitless is set'
    throw new Problem('bad-config', what, { cause })
  }
}
