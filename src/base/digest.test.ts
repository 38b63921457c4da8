import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64, sha1, signed64, unsigned64 } from './digest.ts'

test('sha1 is SHA-1 in the Base32 of RFC 4648', () => {
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const numberOf = (base32: string) =>
    [...base32].reduce((sum, letter) => sum * 32n + BigInt(LETTERS.indexOf(letter)), 0n)
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const hex = createHash('sha1').update(bytes).digest('hex')
      assert.equal(numberOf(sha1(bytes).slice('sha1:'.length)), BigInt(`0x${hex}`))
    }),
  )
})

test('sha1 as archives write it: that of nothing is well known', () => {
  assert.equal(sha1(new Uint8Array(0)), 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ')
  const [a, b] = [new TextEncoder().encode('ab'), new TextEncoder().encode('c')]
  assert.equal(sha1(a, b), sha1(new TextEncoder().encode('abc')))
})

test('xxHash64 as published, and as a database holds it', () => {
  assert.equal(hash64(''), 0xef46db3751d8e999n)
  assert.equal(signed64(2n ** 64n - 1n), -1n)
  assert.equal(unsigned64(-1n), 2n ** 64n - 1n)
})
