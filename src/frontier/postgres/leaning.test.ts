import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUCKETS } from '../../database/bucket.ts'
import type { KnownWorkers, Post } from '../contract.ts'
import { Affinity } from './affinity.ts'

const WINDOW = 2000
const post = (process: string, region = process): Post => ({ process, region })

function workersOf(...posts: Post[]): KnownWorkers & { posts: readonly Post[] } {
  return {
    posts,
    present() {
      return this.posts
    },
    postOf(worker) {
      return this.posts.find(({ process }) => process === worker)
    },
  }
}

/** By bucket, who has what leans to the region. */
function ownersIn(affinity: Affinity, posts: readonly Post[], region: string): (string | undefined)[] {
  return Array.from({ length: BUCKETS }, (_, bucket) => {
    const owners = posts.filter((one) => affinity.leaningTo(one, bucket).includes(region))
    assert.ok(owners.length <= 1, 'nobody shares a bucket')
    return owners[0]?.process
  })
}

describe('affinity', () => {
  const posts = ['w1', 'w2', 'w3', 'w4', 'w5'].map((process) => post(process))

  it('gives every bucket to one process, and to each about as many', () => {
    const owners = ownersIn(new Affinity(workersOf(...posts), WINDOW), posts, '')
    const counts = posts.map(({ process }) => owners.filter((owner) => owner === process).length)
    assert.equal(
      counts.reduce((sum, some) => sum + some),
      BUCKETS,
    )
    for (const count of counts) assert.ok(count > 30 && count < 75, counts.join(' '))
  })

  it('moves to a newcomer what is its share, and nothing else', () => {
    const workers = workersOf(...posts)
    const affinity = new Affinity(workers, WINDOW)
    const before = ownersIn(affinity, posts, '')
    workers.posts = [...posts, post('w6')]
    const now = ownersIn(affinity, workers.posts, '')
    const moved = now.filter((owner, bucket) => owner !== before[bucket])
    assert.ok(moved.every((owner) => owner === 'w6'))
    const share = moved.length / BUCKETS
    assert.ok(Math.abs(share - 1 / 6) < 0.07, `${share} moved`)
    workers.posts = posts
    assert.deepEqual(ownersIn(affinity, posts, ''), before)
  })

  it('searches only the processes of a region for what leans to it', () => {
    const all = [post('w1', 'eu'), post('w2', 'eu'), post('w3', 'us')]
    const affinity = new Affinity(workersOf(...all), WINDOW)
    assert.deepEqual(new Set(ownersIn(affinity, all, 'us')), new Set(['w3']))
    assert.deepEqual(new Set(ownersIn(affinity, all, 'eu')), new Set(['w1', 'w2']))
    assert.deepEqual(new Set(ownersIn(affinity, all, 'jp')), new Set([undefined]))
  })

  it('knows no process without workers or a window: nothing waits', () => {
    for (const affinity of [new Affinity(), new Affinity(workersOf(...posts), 0)]) {
      assert.equal(affinity.isOn, false)
      assert.equal(affinity.postOf('w1'), undefined)
      assert.equal(affinity.windowOf(undefined), 0)
      assert.deepEqual(affinity.leaningTo(undefined, 3), [])
    }
  })
})
