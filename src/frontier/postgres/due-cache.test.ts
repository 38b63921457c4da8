import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUCKETS } from '../../database/bucket.ts'
import type { KnownWorkers, Post } from '../contract.ts'
import { Affinity } from './affinity.ts'
import { DueCache } from './due-cache.ts'

const WINDOW = 1000
const NOW = 50_000
const NEVER = Number.POSITIVE_INFINITY

const posts: readonly Post[] = ['a', 'b'].map((process) => ({ process, region: 'here' }))
const workers: KnownWorkers = {
  present: () => posts,
  postOf: (worker) => posts.find(({ process }) => process === worker),
}

function opened() {
  const affinity = new Affinity(workers, WINDOW)
  const isOf = (worker: string) => (bucket: number) => affinity.leaningTo(workers.postOf(worker), bucket).length > 0
  const [of] = Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter(isOf('a'))
  return { dueCache: new DueCache(affinity), of }
}

describe('hints', () => {
  it('a worker that has nothing older takes what is overdue, also when another took what leant to it', () => {
    const { dueCache, of } = opened()
    dueCache.waits(of, '', NOW - 20_000)
    assert.equal(dueCache.overdueFor('a', NOW), NOW - 20_000 - WINDOW)
    // The other process sees what waits, and not whom it leans to.
    dueCache.asked(of, { isFree: false, waits: NEVER })
    assert.equal(dueCache.overdueFor('a', NOW), NOW - WINDOW)
    assert.deepEqual(dueCache.dueBuckets('a', NOW), [])
    assert.equal(dueCache.nextDue('a'), NEVER)
  })

  it('a process that does not see what is for others hides it from no other process', () => {
    const { dueCache, of } = opened()
    dueCache.free(of)
    dueCache.asked(of, { isFree: false }, 'a')
    assert.deepEqual(dueCache.dueBuckets('a', NOW), [])
    assert.equal(dueCache.nextDue('a'), NEVER)
    assert.deepEqual(dueCache.dueBuckets('b', NOW), [of])
    dueCache.asked(of, { isFree: false }, 'a')
    assert.deepEqual(dueCache.dueBuckets('b', NOW), [of])
    dueCache.asked(of, { isFree: false }, 'b')
    for (const worker of ['a', 'b']) assert.deepEqual(dueCache.dueBuckets(worker, NOW), [])
    dueCache.free(of)
    dueCache.asked(of, { isFree: false }, 'a')
    dueCache.free(of)
    for (const worker of ['a', 'b']) assert.deepEqual(dueCache.dueBuckets(worker, NOW), [of])
  })
})
