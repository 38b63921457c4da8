import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LinkCursor, type OutLink, packLinks, unpackLinks } from './adjacency.ts'

const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const links = fc.array(
  fc.record<OutLink>(
    { key, siteKey: key, url: fc.webUrl(), kind: fc.constantFrom('embed', 'link', 'form') },
    { requiredKeys: ['key'], noNullPrototype: true },
  ),
)

test('links come back as they went, and the cursor sees the same', () => {
  const cursor = new LinkCursor()
  fc.assert(
    fc.property(links, (sent) => {
      const packed = packLinks(sent)
      assert.deepEqual(unpackLinks(packed), sent)
      const seen: OutLink[] = []
      for (cursor.open(packed); cursor.next(); ) {
        const link: OutLink = { key: (BigInt(cursor.high) << 32n) | BigInt(cursor.low) }
        if (cursor.siteKey !== undefined) link.siteKey = cursor.siteKey
        seen.push(link)
      }
      assert.deepEqual(
        seen,
        sent.map(({ url: _, kind: __, ...link }) => link),
      )
    }),
  )
})

test('what ends too early is a RangeError', () => {
  const packed = packLinks([
    { key: 1n, url: 'http://a.test/' },
    { key: 2n, siteKey: 3n },
  ])
  for (let length = 1; length < packed.length; length++) {
    const cursor = new LinkCursor()
    assert.throws(() => {
      cursor.open(packed.subarray(0, length))
      while (cursor.next());
    }, RangeError)
  }
})
