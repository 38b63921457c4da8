import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { link, openBench, whole } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { frontierQueries } from '../queries.ts'
import { AliasTable } from './aliases.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

describe('changes of other names', { skip }, () => {
  it('are as many as names, after the next server has begun, and say the same', async () => {
    const db = await server.make()
    const bench = await openBench(async () => db)
    const alias = { name: 'www.a.test', original: 'a.test', how: 'told' }
    for (let n = 0; n < 3; n++) {
      await db.transact((tx) => bench.ledger.alias(tx, alias))
      await db.transact((tx) => bench.ledger.unalias(tx, alias.name))
    }
    await db.transact((tx) => bench.ledger.alias(tx, alias))
    const count = () => db.read((tx) => postgresTx(tx).get('SELECT count(*) AS n FROM alias_change'))
    assert.deepEqual(await count(), { n: 7 })
    const next = await openBench(async () => db)
    assert.deepEqual(await count(), { n: 1 })
    assert.equal(await db.transact((tx) => next.ledger.unalias(tx, alias.name)), true)
  })

  it('stay pending when something is scheduled there while another server finds nothing to move', async () => {
    const db = await server.make()
    const bench = await openBench(async () => db)
    await bench.admit(link('www.a.test/'))
    await db.transact((tx) => bench.ledger.alias(tx, { name: 'www.a.test', original: 'a.test', how: 'told' }))
    const pending = () => db.read((tx) => postgresTx(tx).all('SELECT pending FROM site_alias'))
    const [visit] = (await bench.frontier.checkOut('w1', 1)).visits
    await bench.applyParts(whole(bench, visit))
    await db.transact((tx) => postgresTx(tx).run('UPDATE site_alias SET pending = 1'))
    await db.transact(async (tx) => {
      await bench.ledger.schedule(tx, [{ url: 'http://www.a.test/1', dueAt: 0 }])
      await db.transact((other) => bench.ledger.reap(other))
    })
    assert.deepEqual(await pending(), [{ pending: 1 }])
    await db.transact((tx) => bench.ledger.reap(tx))
    const original = await db.read((tx) => frontierQueries.site(tx, 'a.test'))
    assert.equal(original?.waiting, 1, 'it has moved')
    await db.transact((tx) => bench.ledger.reap(tx))
    assert.deepEqual(await pending(), [{ pending: 0 }])
  })

  /** A server with this history, of which `changes` are to be seen, and whose transactions have come to `next`. */
  function serverWith(
    timeline: number,
    next: number,
    changes: Record<string, { by: number; original: string | null }>,
  ) {
    const tx = {
      dialect: 'postgres',
      timeline,
      async all(_sql: string, since: string) {
        const seen = `${next}:${next}:`
        const rows = Object.entries(changes).flatMap(([name, { by, original }]) =>
          by >= Number(since) ? [{ seen, name, original, how: 'told', https: 0 }] : [],
        )
        return rows.length > 0 ? rows : [{ seen, name: null, original: null, how: null, https: null }]
      },
    }
    return tx as unknown as PostgresTx
  }

  it('of a server that took over are read anew, whatever numbers the old one had given out', async () => {
    const book = new AliasTable({} as never)
    const before = await book.at(serverWith(1, 1000, { 'b.test': { by: 990, original: 'a.test' } }))
    assert.equal(before.originalOf('b.test')?.site, 'a.test')
    const after = await book.at(serverWith(2, 500, { 'c.test': { by: 400, original: 'a.test' } }))
    assert.equal(after.originalOf('b.test'), undefined, 'it was lost with the old server')
    assert.equal(after.originalOf('c.test')?.site, 'a.test')
    const late = await book.at(serverWith(1, 1001, { 'd.test': { by: 999, original: 'a.test' } }))
    assert.equal(late.originalOf('d.test'), undefined)
  })
})
