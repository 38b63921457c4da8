import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turn } from './clock.ts'
import { inOrder, oneForAll } from './in-order.ts'

test('work runs one after the other, in order, also after one that failed', async () => {
  const events: string[] = []
  const next = inOrder()
  const work = (name: string, fails = false) =>
    next(async () => {
      events.push(`${name} begins`)
      await turn()
      events.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const [a, b, c] = await Promise.allSettled([work('a'), work('b', true), work('c')])
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  assert.deepEqual([a.status, b.status, c.status], ['fulfilled', 'rejected', 'fulfilled'])
})

test('who comes while a sync is under way shares the next one, and is told when that is over', async () => {
  const ends: (() => void)[] = []
  const told: string[] = []
  const synced = oneForAll(() => new Promise((resolve) => ends.push(resolve)))
  const ask = (name: string) => void synced().then(() => told.push(name))
  ask('a')
  ask('b')
  ask('c')
  assert.equal(ends.length, 1)
  ends[0]()
  await turn()
  assert.deepEqual([told, ends.length], [['a'], 2])
  ask('d')
  ends[1]()
  await turn()
  assert.deepEqual([told, ends.length], [['a', 'b', 'c'], 3])
  ends[2]()
  await turn()
  ask('e')
  assert.deepEqual([told, ends.length], [['a', 'b', 'c', 'd'], 4])
})

test('after one that fails the next is tried, and only those who wait for the first hear of it', async () => {
  let fails = true
  const synced = oneForAll(async () => {
    await turn()
    if (fails) throw new Error('no')
  })
  const first = synced()
  const second = synced()
  await assert.rejects(first)
  fails = false
  await second
})
