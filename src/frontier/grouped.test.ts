import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database } from '../database/database.ts'
import type { PostgresTx } from '../database/postgres/tx.ts'
import { grouped } from './grouped.ts'

/** Transactions that end when they are told to. */
function slowDatabase(): { db: Database; end(): Promise<void>; begun: number } {
  const ends: (() => void)[] = []
  const slow = {
    begun: 0,
    async end() {
      ends.shift()?.()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    },
    db: {
      dialect: 'postgres',
      async transact(work) {
        slow.begun++
        await new Promise<void>((resolve) => ends.push(resolve))
        return work({ dialect: 'postgres' } as PostgresTx)
      },
      read: () => Promise.reject(new Error('nobody reads')),
      close: async () => {},
    } as Database,
  }
  return slow
}

describe('calls that come together', () => {
  it('share a transaction, but for two of one name', async () => {
    const slow = slowDatabase()
    const batches: string[][] = []
    const call = grouped(
      slow.db,
      (text: string) => text[0],
      async (_, texts) => {
        batches.push([...texts])
        return texts.map((text) => text.toUpperCase())
      },
    )
    const answers = ['a1', 'b1', 'b2', 'c1'].map(call)
    for (let left = 3; left > 0; left--) await slow.end()
    assert.deepEqual(await Promise.all(answers), ['A1', 'B1', 'B2', 'C1'])
    assert.deepEqual(batches, [['a1'], ['b1', 'c1'], ['b2']])
    assert.equal(slow.begun, 3)
  })

  it('all fail when it fails, and later ones are served', async () => {
    const slow = slowDatabase()
    const call = grouped(
      slow.db,
      (text: string) => text,
      async (_, texts) => {
        if (texts.includes('bad')) throw new Error('no')
        return [...texts]
      },
    )
    const bad = call('bad')
    await Promise.all([assert.rejects(bad, /no/), slow.end()])
    const good = call('good')
    await slow.end()
    assert.equal(await good, 'good')
  })
})
