import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IdHeap, ServerHeaps } from './heap.ts'

test('a heap of ids keeps the smallest key on top, ties by id, whatever is changed or taken out', () => {
  const step = fc.record({ id: fc.nat({ max: 9 }), key: fc.constantFrom(undefined, 0, 1, 2, 3) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new IdHeap(10)
      const inside = new Map<number, number>()
      for (const { id, key } of steps) {
        if (key === undefined) {
          heap.remove(id)
          inside.delete(id)
        } else {
          heap.set(id, key)
          inside.set(id, key)
        }
        assert.equal(heap.size, inside.size)
        const [first] = [...inside].sort((a, b) => a[1] - b[1] || a[0] - b[0])
        if (first !== undefined) assert.deepEqual([heap.topId(), heap.topKey()], first)
      }
      heap.clear()
      heap.set(3, 1)
      assert.deepEqual([heap.size, heap.topId()], [1, 3])
    }),
  )
})

test("of a server's pages with equal keys the lower one is first", () => {
  const pages = Uint32Array.from({ length: 9 }, (_, page) => page)
  const heaps = new ServerHeaps(pages, Uint32Array.of(0, 9), new Float64Array(9))
  const order = Array.from(pages, () => {
    const page = heaps.top(0)
    heaps.setTop(0, 1)
    return page
  })
  assert.deepEqual(order, [...pages])
})
