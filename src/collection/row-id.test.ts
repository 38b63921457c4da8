import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BUCKETS } from '../database/bucket.ts'
import { bucketOfId, numberOfId, rowOf } from './row-id.ts'

test('an id contains its bucket and number, and is a safe integer', () => {
  const bucket = fc.integer({ min: 0, max: BUCKETS - 1 })
  const number = fc.integer({ min: 0, max: 2 ** 44 - 1 })
  fc.assert(
    fc.property(bucket, number, (bucket, number) => {
      const id = bucket * 2 ** 44 + number
      assert.ok(Number.isSafeInteger(id))
      assert.deepEqual(rowOf(id), [bucket, id])
      assert.equal(bucketOfId(id), bucket)
      assert.equal(numberOfId(id), number)
    }),
  )
})
