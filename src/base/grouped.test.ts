import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { grouped } from './grouped.ts'

/** Work that goes on when it is told to. */
function slowWork() {
  const ends: (() => void)[] = []
  const slow = {
    begun: 0,
    async goOn() {
      ends.shift()?.()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    },
    async wait() {
      slow.begun++
      await new Promise<void>((resolve) => ends.push(resolve))
    },
  }
  return slow
}

describe('calls that come together', () => {
  it('are answered together, but for two of one name and those over the limit', async () => {
    const slow = slowWork()
    const batches: string[][] = []
    const call = grouped(
      async (take: () => readonly string[]) => {
        const texts = take()
        batches.push([...texts])
        await slow.wait()
        return texts.map((text) => text.toUpperCase())
      },
      { max: 2, nameOf: (text) => text[0] },
    )
    const answers = ['a1', 'b1', 'b2', 'c1', 'd1'].map(call)
    for (let left = 4; left > 0; left--) await slow.goOn()
    assert.deepEqual(await Promise.all(answers), ['A1', 'B1', 'B2', 'C1', 'D1'])
    assert.deepEqual(batches, [['a1'], ['b1', 'c1'], ['b2', 'd1']])
    assert.equal(slow.begun, 3)
  })

  it('include those that come before the work is ready for them; a second try takes the same ones', async () => {
    const slow = slowWork()
    const batches: string[][] = []
    const call = grouped(async (take: () => readonly string[]) => {
      await slow.wait()
      take()
      batches.push([...take()])
      return take()
    })
    const answers = ['a', 'a', 'b'].map(call)
    await slow.goOn()
    assert.deepEqual(await Promise.all(answers), ['a', 'a', 'b'])
    assert.deepEqual(batches, [['a', 'a', 'b']])
  })

  it('all fail when it fails, before they were taken too, and later ones are served', async () => {
    for (const isTaken of [true, false]) {
      const slow = slowWork()
      let fails = true
      const call = grouped(async (take: () => readonly string[]) => {
        const texts = isTaken ? take() : []
        await slow.wait()
        if (fails) throw new Error('no')
        return isTaken ? texts : take()
      })
      const bad = call('bad')
      await Promise.all([assert.rejects(bad, /no/), slow.goOn()])
      fails = false
      const good = call('good')
      await slow.goOn()
      assert.equal(await good, 'good')
    }
  })
})
