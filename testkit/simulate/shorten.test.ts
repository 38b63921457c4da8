import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shorten } from './shorten.ts'

const AMPLE = { tries: 1000, isTimeOver: () => false }

test('shortening leaves only the faults that the failure needs', async () => {
  const culprits = fc.uniqueArray(fc.nat(29), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(culprits, async (needed) => {
      const all = Array.from({ length: 30 }, (_, i) => i)
      const fails = async (items: readonly number[]) => needed.every((item) => items.includes(item))
      const { items, isMinimal } = await shorten(all, fails, AMPLE)
      assert.deepEqual(
        items,
        [...needed].sort((a, b) => a - b),
      )
      assert.ok(isMinimal)
    }),
  )
})

test('nothing is left of what has nothing to do with it, and nothing is tried with nothing', async () => {
  assert.deepEqual((await shorten([1, 2, 3], async () => true, AMPLE)).items, [])
  assert.deepEqual(await shorten([], async () => true, AMPLE), { items: [], tries: 0, isMinimal: true })
})

test('it ends when it was tried too often or for too long, with what still fails', async () => {
  const all = Array.from({ length: 64 }, (_, i) => i)
  const fails = async (items: readonly number[]) => items.includes(3) && items.includes(60)
  const few = await shorten(all, fails, { tries: 5, isTimeOver: () => false })
  assert.equal(few.tries, 5)
  assert.equal(few.isMinimal, false)
  assert.ok(await fails(few.items))
  const late = await shorten(all, fails, { tries: 1000, isTimeOver: () => true })
  assert.deepEqual(late, { items: all, tries: 0, isMinimal: false })
})
