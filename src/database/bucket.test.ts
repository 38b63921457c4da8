import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { signed64 } from '../base/digest.ts'
import { BUCKETS, bucketOf } from './bucket.ts'

test('a bucket is the top byte of the unsigned key; SQLite has one', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (key) => {
      const bucket = bucketOf('postgres', signed64(key))
      assert.equal(bucket, Number(key / 2n ** 56n))
      assert.ok(bucket >= 0 && bucket < BUCKETS)
      assert.equal(bucketOf('sqlite', signed64(key)), 0)
    }),
  )
})
