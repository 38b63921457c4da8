import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { VolumeIds } from './write-captures.ts'

const postgres = await postgresForTests()

describe('ids of volumes on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('are given once, and remembered when durable', async () => {
    const db = await postgres.make()
    const ids = new VolumeIds()
    await assert.rejects(
      db.transact(async (tx) => {
        await ids.of(postgresTx(tx), ['b', 'a', 'b'])
        throw new Error('taken back')
      }),
    )
    const first = await db.transact((tx) => ids.of(postgresTx(tx), ['b', 'a', 'b']))
    assert.deepEqual([...first.keys()].sort(), ['a', 'b'])
    assert.deepEqual(await db.transact((tx) => new VolumeIds().of(postgresTx(tx), ['a', 'b'])), first)
  })

  it('stay valid for a transaction, even if forgotten meanwhile', async () => {
    const db = await postgres.make()
    const ids = new VolumeIds()
    const names = Array.from({ length: 10_001 }, (_, at) => `v${at}`)
    ids.remember(await db.transact((tx) => ids.of(postgresTx(tx), names)))
    const of = (name: string) => db.transact((tx) => ids.of(postgresTx(tx), [name]))
    const another = await of('another')
    ids.remember(await of('late'))
    const asked = await of('late')
    // It began before and ends after there are too many ids, and some are forgotten.
    ids.remember(another)
    assert.equal(typeof asked.get('late'), 'number')
    assert.deepEqual(await of('late'), asked)
  })
})
