import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Database, Tx } from '../../src/database/database.ts'
import { type PostgresTx, postgresTx } from '../../src/database/postgres/tx.ts'
import { Power } from './power.ts'

it('refuses statements that are sent together as PostgreSQL does: none throws before the others are awaited', async () => {
  const power = new Power()
  const tx = { dialect: 'postgres', get: async () => undefined, all: async () => [] } as unknown as PostgresTx
  let over!: Promise<unknown>
  const run = (work: (tx: Tx) => unknown) => (over = Promise.resolve(work(tx)))
  const database = { dialect: 'postgres', transact: run, read: run, close: async () => {} } as unknown as Database
  let refused = 0
  void power.database(database).transact(async (given) => {
    power.cut()
    const began = [postgresTx(given).get('SELECT 1'), postgresTx(given).all('SELECT 2')]
    for (const { status } of await Promise.allSettled(began)) if (status === 'rejected') refused++
  })
  await assert.rejects(over)
  await new Promise(setImmediate)
  assert.equal(refused, 2)
})
