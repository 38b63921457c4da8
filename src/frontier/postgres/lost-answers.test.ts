/** A check-out sends its COMMIT with its last statements: it may be done though their answers never come. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { link, openBench } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { frontierQueries } from '../queries.ts'
import { recount } from './servers.test-tools.ts'
import { WRITE_SITES } from './site-rows.ts'
import { TAKE_FREE } from './take-free.ts'

/** Of the next so many check-outs the sites are written, and nobody is told so. */
function deaf(db: Database, times: { left: number }): Database {
  const deafTx = (tx: PostgresTx): PostgresTx => {
    let isCheckOut = false
    return {
      ...tx,
      timeline: tx.timeline,
      allExact(sql, ...values) {
        isCheckOut ||= sql === TAKE_FREE
        return tx.allExact(sql, ...values)
      },
      async run(sql, ...values) {
        const changed = await tx.run(sql, ...values)
        if (!isCheckOut || sql !== WRITE_SITES || times.left === 0) return changed
        times.left--
        throw new Error('Connection terminated unexpectedly')
      },
    }
  }
  return { ...db, transact: (work) => db.transact((tx) => work(deafTx(postgresTx(tx)))) }
}

const postgres = await postgresForTests()

describe('a check-out whose last answers are lost', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  for (const { lost, given } of [
    { lost: 1, given: true },
    { lost: 2, given: false },
  ])
    it(`leaves no lease without a worker: ${given ? 'it is made again' : 'it fails when it is so again'}`, async () => {
      const times = { left: 0 }
      const bench = await openBench(async () => deaf(await postgres.make(), times))
      await bench.admit(link('a.test/'))
      times.left = lost
      const asked = bench.frontier.checkOut('w', 1)
      if (given)
        assert.deepEqual(
          (await asked).visits.map(({ site, fence }) => [site, fence]),
          [['a.test', 1]],
        )
      else await assert.rejects(asked, /terminated/)
      assert.equal(times.left, 0)
      const { sites } = await bench.db.read((tx) => frontierQueries.totals(tx))
      assert.deepEqual([sites.leased, sites.free], given ? [1, 0] : [0, 1])
      await recount(bench)
    })
})
