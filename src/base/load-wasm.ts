/**
 * Loads a WebAssembly module from beside the code that uses it: built from `assembly/` by `npm run wasm`, without imports, with
 * its own memory. Compiling takes a millisecond, so each thread does it for itself.
 */
import { readFileSync } from 'node:fs'

/** Node's types lack it, and the DOM's types would declare a thousand names that do not exist here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: object }
  validate(bytes: Uint8Array): boolean
}

/** A function that makes a vector: `i32.const 0; i8x16.splat; i8x16.popcnt`. */
const VECTORS = '0061736d010000000105016000017b030201000a0a0108004100fd0ffd620b'

/** What to tell the operator; undefined where vectors work, as on nearly every machine. */
export function missingVectors(): string | undefined {
  // Node has no WebAssembly at all with --jitless.
  const isThere = typeof WebAssembly !== 'undefined'
  if (isThere && WebAssembly.validate(Buffer.from(VECTORS, 'hex'))) return undefined
  return 'this processor, or a flag of Node.js, has no WebAssembly SIMD; pages are read and packed by slower code, with the same results'
}

/** Undefined where vectors are missing. */
export function loadWasm<Exports extends object>(file: URL): Exports | undefined {
  if (missingVectors() !== undefined) return undefined
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports as Exports
}
