import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Heap } from './heap.ts'

test('a heap of ids keeps the smallest key on top, ties by id, whatever is changed or taken out', () => {
  const step = fc.record({ id: fc.nat({ max: 9 }), key: fc.constantFrom(undefined, 0, 1, 2, 3) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = Heap.ofIds(10)
      const inside = new Map<number, number>()
      for (const { id, key } of steps) {
        if (key === undefined) {
          heap.remove(id)
          inside.delete(id)
        } else {
          heap.set(key, id)
          inside.set(id, key)
        }
        assert.equal(heap.size, inside.size)
        const [first] = [...inside].sort((a, b) => a[1] - b[1] || a[0] - b[0])
        if (first !== undefined) assert.deepEqual([heap.topId(), heap.topKey()], first)
      }
      heap.clear()
      heap.set(1, 3)
      assert.deepEqual([heap.size, heap.topId()], [1, 3])
    }),
  )
})

test('of equal keys the lower id is first, in whatever order they came', () => {
  const heap = new Heap(2)
  for (const id of [7, 2, 8, 0, 4]) heap.append(0, id)
  heap.order()
  for (const id of [3, 1, 6, 5]) heap.push(0, id)
  const order = Array.from({ length: 9 }, () => {
    const id = heap.topId()
    heap.replaceTop(1, id)
    return id
  })
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8])
})
