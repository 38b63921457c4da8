import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { turn } from '../../base/clock.ts'
import { bucketTasks } from './bucket-tasks.ts'

test('buckets are worked on when due, some at once, and never by two tasks', async () => {
  const clock = virtualClock(0)
  const log: string[] = []
  const busy = new Set<number>()
  let isOver = false
  const tasks = bucketTasks(clock, () => isOver)
  const work = (name: string) => async (buckets: readonly number[]) => {
    for (const bucket of buckets) assert.ok(!busy.has(bucket), `${bucket} has two tasks`)
    for (const bucket of buckets) busy.add(bucket)
    log.push(`${clock.elapsed()} ${name} ${buckets.join('+')}`)
    await clock.sleep(10)
    for (const bucket of buckets) busy.delete(bucket)
  }
  const parts = tasks.kind(2, 1, work('parts'))
  const links = tasks.kind(1, 3, work('links'))
  await clock.run(
    (async () => {
      parts.add([1, 2, 3])
      links.add([2, 5, 6, 7], 5)
      links.add([5], 100)
      assert.deepEqual([parts.waiting, links.waiting], [1, 4])
      await clock.sleep(40)
    })(),
  )
  // 2 is busy until 10, so the links of the others go first.
  assert.deepEqual(log, ['0 parts 1', '0 parts 2', '5 links 5+6+7', '10 parts 3', '15 links 2'])
  await tasks.idle()
  parts.add([1], 5)
  isOver = true
  await clock.run(clock.sleep(10))
  await turn()
  assert.deepEqual([log.length, parts.waiting], [5, 1])
})

test('a task that fails frees its buckets', async () => {
  const clock = virtualClock(0)
  let runs = 0
  const tasks = bucketTasks(clock, () => false)
  const due = tasks.kind(1, 1, async () => {
    if (++runs === 1) throw new Error('stopped')
  })
  due.add([1, 2])
  await tasks.idle()
  assert.equal(runs, 2)
})
