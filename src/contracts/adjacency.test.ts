import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type OutLink, packLinks, unpackLinks } from './adjacency.ts'

const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const links = fc.array(
  fc.record<OutLink>(
    { key, siteKey: key, url: fc.webUrl(), kind: fc.constantFrom('embed', 'link', 'form') },
    { requiredKeys: ['key'], noNullPrototype: true },
  ),
)

test('links come back as they went', () => {
  fc.assert(fc.property(links, (sent) => assert.deepEqual(unpackLinks(packLinks(sent)), sent)))
})

test('what ends too early is a RangeError', () => {
  const packed = packLinks([
    { key: 1n, url: 'http://a.test/' },
    { key: 2n, siteKey: 3n },
  ])
  for (let length = 1; length < packed.length; length++)
    assert.throws(() => unpackLinks(packed.subarray(0, length)), RangeError)
})
