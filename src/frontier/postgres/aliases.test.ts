import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openBench } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
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
