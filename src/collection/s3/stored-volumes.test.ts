import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryStore } from './memory.test-store.ts'
import { storedVolumes } from './stored-volumes.ts'

const NAME = 'A-20261115000000000-00001-x.warc.gz'

test('acknowledged bytes can be read after any resending, restart and cut', async () => {
  const step = fc.record({ length: fc.integer({ min: 1, max: 30 }), restart: fc.boolean(), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.array(step, { maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(220), fc.nat(60)), { maxLength: 10 }),
      fc.nat(20),
      async (all, steps, looks, cutAt) => {
        const store = memoryStore()
        let volumes = storedVolumes(store)
        const check = async (end: number) => {
          for (const [offset, length] of looks) {
            const read = await storedVolumes(store).readAt(NAME, offset, length)
            assert.deepEqual([...read], [...all.slice(0, end).slice(offset, offset + length)])
          }
        }
        let there = 0
        let at = 0
        for (const { length, restart, fails } of steps) {
          if (restart) {
            volumes = storedVolumes(store)
            at = 0
          }
          const piece = all.slice(at, at + length)
          store.may = () => {
            if (fails) throw new Error('no')
          }
          const answer = await volumes.append(NAME, at, piece).catch(() => undefined)
          store.may = () => {}
          if (answer === undefined) continue
          assert.equal(answer, at === there ? there + piece.length : there)
          there = at = answer
          await check(there)
        }
        const whole = (offset: number, length: number) => all.slice(offset, offset + length)
        let left = cutAt
        store.may = () => {
          if (left-- === 0) throw new Error('cut off')
        }
        await volumes.seal(NAME, all.length, whole).catch(() => {})
        store.may = () => {}
        if (store.objects.has(NAME)) await check(all.length)
        await storedVolumes(store).seal(NAME, all.length, whole)
        assert.deepEqual([...store.objects.keys()], [NAME])
        await check(all.length)
      },
    ),
  )
})

test('a volume that is completed while it is read from its pieces is read as a whole', async () => {
  const store = memoryStore()
  const volumes = storedVolumes(store)
  const all = Uint8Array.of(1, 2, 3, 4)
  await volumes.append(NAME, 0, all.slice(0, 2))
  await volumes.append(NAME, 2, all.slice(2))
  const { get } = store
  let isFirst = true
  store.get = async (key, offset, length) => {
    if (!isFirst) return get(key, offset, length)
    isFirst = false
    const before = await get(key, offset, length)
    await volumes.seal(NAME, 4, (from, count) => all.slice(from, from + count))
    return before
  }
  assert.deepEqual([...(await volumes.readAt(NAME, 1, 2))], [2, 3])
})
