import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { likeness } from './rechecks.ts'

const memory = (digest: string, textDigest: bigint, simhash: bigint) => ({ digest, textDigest, simhash })

test('bytes, then words, then most of the words', () => {
  assert.equal(likeness(memory('x', 1n, 1n), memory('x', 2n, ~1n)), 'equal')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 1n, 2n ** 64n - 1n)), 'similar')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 2n, 0b1111_1111n)), 'similar')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 2n, 0b1_1111_1111n)), 'different')
})

test('it is the same from both sides, and whether the database holds the numbers signed or not', () => {
  const any = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const signed = (one: ReturnType<typeof memory>) =>
    memory(one.digest, BigInt.asIntN(64, one.textDigest), BigInt.asIntN(64, one.simhash))
  fc.assert(
    fc.property(any, any, any, any, (a, b, c, d) => {
      const [one, other] = [memory('x', a, b), memory('y', c, d)]
      assert.equal(likeness(one, other), likeness(other, one))
      assert.equal(likeness(signed(one), other), likeness(one, other))
    }),
  )
})
