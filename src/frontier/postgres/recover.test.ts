import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { LEASE, openBench } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { Order } from '../order.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const SEVENS: Order = { name: 'sevens', rank: () => 7 }

describe('another order', { skip }, () => {
  it('is for all sites in the end, also when the process that ranks them anew dies between', async () => {
    const db = await server.make()
    const bench = await openBench(async () => db)
    await bench.seed(...Array.from({ length: 700 }, (_, n) => `s${n}.test/`))
    const ranks = () =>
      db.read((tx) =>
        postgresTx(tx).get<{ old: number; fresh: number }>(
          'SELECT count(*) FILTER (WHERE rank <> 7) AS old, count(*) FILTER (WHERE rank = 7) AS fresh FROM site',
        ),
      )
    // One that ranks 500 sites, after the six before it.
    let left = 7
    const dying: Database = {
      ...db,
      transact: (work) => (left-- > 0 ? db.transact(work) : Promise.reject(new Error('killed'))),
    }
    await assert.rejects(
      openBench(async () => dying, { order: SEVENS }),
      /killed/,
    )
    const between = (await ranks())!
    assert.ok(between.old > 0 && between.fresh > 0, 'it died too early or too late')
    await openBench(async () => db, { order: SEVENS })
    assert.deepEqual(await ranks(), { old: 0, fresh: 700 })
  })
})

describe('a renewal', { skip }, () => {
  it('is of visits, not of sites: of two visits to one site only the one with the lease is renewed', async () => {
    const bench = await openBench(() => server.make())
    await bench.seed('a.test/')
    const lost = await bench.one()
    bench.clock.pass(2 * LEASE)
    await bench.db.transact((tx) => bench.ledger.reap(tx))
    bench.clock.pass(LEASE)
    const visit = await bench.one()
    assert.deepEqual((await bench.frontier.renew('w1', [lost.id, visit.id])).lost, [lost.id])
    assert.deepEqual((await bench.frontier.renew('w1', [visit.id, lost.id])).lost, [lost.id])
  })
})
