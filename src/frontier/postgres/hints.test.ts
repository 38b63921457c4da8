import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUCKETS } from '../../database/bucket.ts'
import { Affinity } from '../affinity.ts'
import type { Fleet, Post } from '../fleet.ts'
import { Hints } from './hints.ts'

const WINDOW = 1000
const NOW = 50_000
const NEVER = Number.POSITIVE_INFINITY

const posts: readonly Post[] = ['a', 'b'].map((process) => ({ process, region: 'here' }))
const fleet: Fleet = { present: () => posts, postOf: (worker) => posts.find(({ process }) => process === worker) }

function opened() {
  const affinity = new Affinity(fleet, WINDOW)
  const isOf = (worker: string) => (bucket: number) => affinity.leaningTo(fleet.postOf(worker), bucket).length > 0
  const [of] = Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter(isOf('a'))
  return { hints: new Hints(affinity), of }
}

describe('hints', () => {
  it('whoever has nothing older takes what is overdue, also when another took what leant to it', () => {
    const { hints, of } = opened()
    hints.waits(of, '', NOW - 20_000)
    assert.equal(hints.overdueFor('a', NOW), NOW - 20_000 - WINDOW)
    // The other process sees what waits, and not whom it leans to.
    hints.asked(of, { isFree: false, waits: NEVER })
    assert.equal(hints.overdueFor('a', NOW), NOW - WINDOW)
    assert.deepEqual(hints.dueBuckets('a', NOW), [])
    assert.equal(hints.nextDue('a'), NEVER)
  })

  it('a process that is not shown what is for others hides it from nobody else', () => {
    const { hints, of } = opened()
    hints.free(of)
    hints.asked(of, { isFree: false }, 'a')
    assert.deepEqual(hints.dueBuckets('a', NOW), [])
    assert.equal(hints.nextDue('a'), NEVER)
    assert.deepEqual(hints.dueBuckets('b', NOW), [of])
    hints.asked(of, { isFree: false }, 'a')
    assert.deepEqual(hints.dueBuckets('b', NOW), [of])
    hints.asked(of, { isFree: false }, 'b')
    for (const worker of ['a', 'b']) assert.deepEqual(hints.dueBuckets(worker, NOW), [])
    hints.free(of)
    hints.asked(of, { isFree: false }, 'a')
    hints.free(of)
    for (const worker of ['a', 'b']) assert.deepEqual(hints.dueBuckets(worker, NOW), [of])
  })
})
