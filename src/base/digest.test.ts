import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base32, fromBase32, hash64, sha1, signed64, unsigned64 } from './digest.ts'

test('Base32 of RFC 4648 §10, without padding', () => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' }
  for (const [text, expected] of Object.entries(vectors)) assert.equal(base32(new TextEncoder().encode(text)), expected)
})

test('Base32 there and back', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(fromBase32(base32(bytes)), bytes)))
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
