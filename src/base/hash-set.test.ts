import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HashSet64, hashSlot } from './hash-set.ts'

test('behaves as a Set of 64-bit numbers, zero and clashing low bits included', () => {
  const key = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.integer({ max: 40, min: 0 }).map((n) => BigInt(n) << 32n),
  )
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), fc.array(key), (members, others) => {
      const model = new Set<bigint>()
      const set = new HashSet64()
      for (const member of members) {
        assert.equal(set.add(member), !model.has(member))
        model.add(member)
      }
      assert.equal(set.size, model.size)
      for (const other of [...members, ...others]) assert.equal(set.has(other), model.has(other))
    }),
  )
})

test('is made from a BigUint64Array', () => {
  const set = new HashSet64(BigUint64Array.of(1n, 2n, 2n, 0n))
  assert.deepEqual([set.size, set.has(0n), set.has(3n)], [3, true, false])
})

test('cleared, it is as new, whatever it held', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 10, 700, 5000), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (count, key) => {
      const set = new HashSet64()
      for (let i = 0; i < count; i++) set.add(BigInt(i) * 0x9e3779b97f4a7c15n)
      set.clear()
      assert.equal(set.size, 0)
      for (let i = 0; i < count; i++) assert.equal(set.has(BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n)), false)
      assert.deepEqual([set.has(key), set.add(key), set.add(key), set.size], [false, true, false, 1])
    }),
  )
})

const KEYS = 4096
const BITS = 13

/** Different places of keys that agree in the low 18 bits of one half and in all of the other. */
function places(halves: (forged: number) => [low: number, high: number]): Set<number> {
  const found = new Set<number>()
  for (let i = 0; i < KEYS; i++) found.add(hashSlot(...halves(i << 18), BITS))
  for (const place of found) assert.ok(Number.isInteger(place) && place >= 0 && place < 2 ** BITS)
  return found
}

test('keys that were forged to agree in their low bits are spread', () => {
  assert.ok(places((forged) => [forged | 12345, 99]).size >= KEYS / 2)
  assert.ok(places((forged) => [7, forged | 12345]).size >= KEYS / 2)
})
