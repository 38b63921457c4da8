import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf } from './hash-place.ts'

const KEYS = 4096
const BITS = 13

/** Different places of keys that agree in the low 18 bits of one half and in all of the other. */
function places(halves: (forged: number) => [low: number, high: number]): Set<number> {
  const found = new Set<number>()
  for (let i = 0; i < KEYS; i++) found.add(placeOf(...halves(i << 18), BITS))
  for (const place of found) assert.ok(Number.isInteger(place) && place >= 0 && place < 2 ** BITS)
  return found
}

test('keys that were forged to agree in their low bits are spread', () => {
  assert.ok(places((forged) => [forged | 12345, 99]).size >= KEYS / 2)
  assert.ok(places((forged) => [7, forged | 12345]).size >= KEYS / 2)
})
