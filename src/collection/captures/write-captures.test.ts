import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { volumeIds } from './write-captures.ts'

const postgres = await postgresForTests()

describe('ids of volumes on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('are given once', async () => {
    const db = await postgres.make()
    await assert.rejects(
      db.transact(async (tx) => {
        await volumeIds(tx, ['b', 'a', 'b'])
        throw new Error('taken back')
      }),
    )
    const first = await db.transact((tx) => volumeIds(tx, ['b', 'a', 'b']))
    assert.deepEqual([...first.keys()], ['a', 'b'])
    assert.deepEqual(
      await db.transact((tx) => volumeIds(tx, ['c', 'a', 'b']).then((ids) => ids.get('b'))),
      first.get('b'),
    )
  })
})
