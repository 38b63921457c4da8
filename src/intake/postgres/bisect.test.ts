import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { bisect } from './bisect.ts'

/** A queue whose transactions fail while a faulty item is among those taken. */
function queueOf(items: number[], isFaulty: (item: number) => boolean) {
  const waiting = [...items]
  const applied: number[] = []
  const quarantined: number[] = []
  let attempts = 0
  const attempt = async (atMost: number, taken: (items: readonly number[]) => void) => {
    attempts++
    const some = waiting.slice(0, atMost)
    taken(some)
    if (some.some(isFaulty)) throw new Error('faulty')
    applied.push(...waiting.splice(0, atMost))
    return some.length
  }
  const quarantine = async (item: number, why: string) => {
    assert.equal(why, 'faulty')
    quarantined.push(item)
    waiting.splice(waiting.indexOf(item), 1)
  }
  const next = (atMost: number, isOver = () => false) => bisect(atMost, attempt, quarantine, isOver)
  return { waiting, applied, quarantined, next, attempts: () => attempts }
}

test('faulty items are quarantined, each alone; all others are applied, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(200), { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (faulty, max) => {
        const items = Array.from({ length: 100 }, (_, i) => i)
        const queue = queueOf(items, (item) => faulty.includes(item))
        while (queue.waiting.length > 0) await queue.next(max)
        assert.deepEqual(
          queue.applied,
          items.filter((item) => !faulty.includes(item)),
        )
        assert.deepEqual(
          queue.quarantined,
          items.filter((item) => faulty.includes(item)),
        )
      },
    ),
    { numRuns: 50 },
  )
})

test('a faulty item among a thousand costs a few attempts, and one alone is tried twice', async () => {
  const queue = queueOf([...Array(1000).keys()], (item) => item === 700)
  while (queue.waiting.length > 0) await queue.next(1000)
  assert.deepEqual(queue.quarantined, [700])
  assert.ok(queue.attempts() < 80, String(queue.attempts()))
  const alone = queueOf([1], () => true)
  assert.equal(await alone.next(500), undefined)
  assert.equal(alone.attempts(), 2)
})

test('a failure of the database, and any once the process stops, is thrown at once', async () => {
  const away = new Problem('database-unreachable', 'away')
  const never = async () => assert.fail('quarantined')
  let attempts = 0
  const failing = (error: unknown) => async (_: number, taken: (items: readonly number[]) => void) => {
    attempts++
    taken([1, 2])
    throw error
  }
  await assert.rejects(
    bisect(2, failing(away), never, () => false),
    /away/,
  )
  const conflict = Object.assign(new Error('conflict'), { code: '40001' })
  await assert.rejects(
    bisect(2, failing(conflict), never, () => false),
    /conflict/,
  )
  await assert.rejects(
    bisect(2, failing(new Error('stopped')), never, () => true),
    /stopped/,
  )
  assert.equal(attempts, 3)
})
