import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { BUCKETS } from '../../database/bucket.ts'
import { bucketOrder } from './affinity.ts'
import { DueCache } from './due-cache.ts'
import { chooseBuckets, MAX_BUCKETS } from './take-free.ts'

const NONE = new Set<number>()
const NOW = 1000

function dueCacheOf(due: Iterable<number>, best: (bucket: number) => number = () => 0): DueCache {
  const dueCache = new DueCache()
  for (const bucket of due) dueCache.waits(bucket, '', NOW, best(bucket))
  return dueCache
}

const all = () => Array.from({ length: BUCKETS }, (_, bucket) => bucket)

describe('the choice of buckets', () => {
  it('is all that have something, when these are few', () => {
    const few = fc.uniqueArray(fc.nat(BUCKETS - 1), { maxLength: MAX_BUCKETS })
    fc.assert(
      fc.property(few, few, (due, done) => {
        const { buckets, worst } = chooseBuckets(dueCacheOf(due), 'w', NOW, new Set(done), 1)
        const wanted = due.filter((bucket) => !done.includes(bucket)).sort((a, b) => a - b)
        assert.deepEqual(buckets, wanted)
        assert.equal(worst, Number.POSITIVE_INFINITY)
      }),
    )
  })

  it('asks none before its time', () => {
    assert.deepEqual(chooseBuckets(dueCacheOf([1, 2]), 'w', NOW - 1, NONE, 1).buckets, [])
  })

  it('leans to the worker, and forgets none, however many sites it wants', () => {
    for (const { wanted, count } of [
      { wanted: 1, count: 4 },
      { wanted: 8, count: 8 },
      { wanted: 64, count: MAX_BUCKETS },
    ]) {
      const dueCache = dueCacheOf(all())
      const seen = new Set<number>()
      for (let asked = 0; asked < 300 && seen.size < BUCKETS; asked++) {
        const { buckets } = chooseBuckets(dueCache, 'w', NOW, NONE, wanted)
        assert.equal(buckets.length, count)
        const favourites = new Set(bucketOrder('w').slice(0, (count * 3) / 4))
        assert.ok([...favourites].every((bucket) => buckets.includes(bucket)))
        for (const bucket of buckets) {
          dueCache.asked(bucket, { isFree: true, waits: NOW, leaning: [] })
          seen.add(bucket)
        }
      }
      assert.equal(seen.size, BUCKETS)
    }
  })

  it('takes the best class first, and says what the others have', () => {
    const dueCache = dueCacheOf(all(), (bucket) => (bucket < 20 ? 1 : 3))
    const first = chooseBuckets(dueCache, 'w', NOW, NONE, 32)
    assert.ok(first.buckets.every((bucket) => bucket < 20))
    assert.equal(first.worst, 1)
    const rest = chooseBuckets(dueCache, 'w', NOW, new Set(all().slice(0, 20)), 32)
    assert.equal(rest.worst, 3)
  })

  it('has what is reserved for the worker, and for no other', () => {
    const dueCache = new DueCache()
    dueCache.reserve(7, 'w')
    assert.deepEqual(chooseBuckets(dueCache, 'w', NOW, NONE, 1).buckets, [7])
    assert.deepEqual(chooseBuckets(dueCache, 'other', NOW, NONE, 1).buckets, [])
    dueCache.nothingReserved(7, 'w')
    assert.deepEqual(chooseBuckets(dueCache, 'w', NOW, NONE, 1).buckets, [])
  })
})
