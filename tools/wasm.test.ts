import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { compile, wasmModules } from './wasm.ts'

const modules = wasmModules()

test('there are modules to compile', () => assert.notEqual(modules.length, 0))

for (const module of modules) {
  test(`${module.compiled} matches its source (otherwise: npm run wasm)`, async () => {
    const committed = readFileSync(join(import.meta.dirname, '..', module.compiled))
    assert.deepEqual(committed, Buffer.from(await compile(module)))
  })
}
