import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bucketOrder } from './affinity.ts'

describe('the order of buckets', () => {
  it('has every bucket once, and is the same each time', () => {
    const order = bucketOrder('w1')
    assert.deepEqual(
      [...order].sort((a, b) => a - b),
      [...Array(256).keys()],
    )
    assert.deepEqual(bucketOrder('w1'), order)
  })

  it('gives workers different buckets, and about as many each', () => {
    const workers = ['w1', 'w2', 'w3', 'w4']
    const ranks = workers.map((worker) => {
      const rank = new Uint8Array(256)
      for (const [place, bucket] of bucketOrder(worker).entries()) rank[bucket] = place
      return rank
    })
    const first = ranks.map((rank) => rank.filter((place) => place < 16).length)
    assert.deepEqual(first, [16, 16, 16, 16])
    const favourites = new Set(workers.flatMap((worker) => [...bucketOrder(worker).slice(0, 16)]))
    assert.ok(favourites.size > 48, 'of 64, few are shared')
  })
})
