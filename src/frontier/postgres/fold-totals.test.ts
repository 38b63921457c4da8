import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { TOTAL_NAMES } from '../../database/schema/frontier.ts'
import { readTotals } from '../rules/totals.ts'
import { foldTotals } from './look-around.ts'

const postgres = await postgresForTests()

describe('totals', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('stay the same when they are folded, by several at once and while others add to them', async () => {
    const db = await postgres.make()
    const add = (bucket: number) =>
      db.transact((tx) =>
        postgresTx(tx).run(
          `INSERT INTO frontier_total (bucket, sites_free, urls_known, pages_granted)
           SELECT $1, 1, 2, CASE n % 2 WHEN 0 THEN 1 ELSE -1 END FROM generate_series(1, 100) n`,
          bucket,
        ),
      )
    await Promise.all([0, 1, 255].map(add))
    const fold = () => db.transact((tx) => foldTotals(postgresTx(tx)))
    await Promise.all([fold(), fold(), add(1), fold()])
    await fold()
    const { sites, urls, granted } = await db.read((tx) => readTotals(postgresTx(tx)))
    assert.deepEqual([sites.free, urls.known, granted], [400, 800, 0])
    const rows = await db.read((tx) => postgresTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM frontier_total'))
    assert.ok(rows!.n < 50, `${rows!.n}`)
  })
  it('are all folded, whatever they count', async () => {
    const db = await postgres.make()
    const sums = `SELECT ${TOTAL_NAMES.map((name) => `sum(${name})::float8 AS ${name}`).join(', ')} FROM frontier_total`
    const values = TOTAL_NAMES.map((_, at) => at + 1)
    await db.transact(async (given) => {
      const tx = postgresTx(given)
      for (const _ of [1, 2, 3])
        await tx.run(`INSERT INTO frontier_total (bucket, ${TOTAL_NAMES.join(', ')}) VALUES (7, ${values.join(', ')})`)
    })
    const before = await db.read((tx) => postgresTx(tx).get(sums))
    await db.transact((tx) => foldTotals(postgresTx(tx)))
    assert.deepEqual(await db.read((tx) => postgresTx(tx).get(sums)), before)
  })
})
