/**
 * A module of WebAssembly that lies beside the code that uses it: compiled from `assembly/` by `npm run wasm`, without imports, its
 * memory its own. Small ones are compiled in a millisecond, so each thread does it for itself, when it first needs one.
 */
import { readFileSync } from 'node:fs'

/** The types of Node leave it to those of browsers, which would bring a thousand names that are not here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: object }
}

export function loadWasm<Exports extends object>(file: URL): Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports as Exports
}
