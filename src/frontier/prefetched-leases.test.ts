import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Bench, handClock, LEASE, openBench, whole } from '../../testkit/contracts/frontier/tools.contract.ts'
import { turn } from '../base/clock.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import type { FrontierOptions } from './contract.ts'
import { type LeasesAhead, leasesAhead } from './prefetched-leases.ts'
import { frontierQueries } from './queries.ts'

const SITES = 40

interface Ahead extends LeasesAhead {
  bench: Bench
  leased(): Promise<number>
}

async function ahead(sites = SITES, changed: Partial<FrontierOptions> = {}): Promise<Ahead> {
  const bench = await openBench(async () => openSqlite(':memory:'), changed)
  await bench.seed(...Array.from({ length: sites }, (_, at) => `s${at}.test/`))
  const buffered = leasesAhead(bench, bench.db, bench.options.clock)
  const leased = async () => (await bench.db.read((tx) => frontierQueries.totals(tx))).sites.leased
  return { ...buffered, bench, leased }
}

/** What is done in the background goes through the database: who comes after it waits for it. */
async function settled({ bench }: Ahead): Promise<void> {
  await turn()
  await bench.db.read(() => {})
  await turn()
}

describe('leases ahead', () => {
  it('answer while a transaction is under way', async () => {
    const opened = await ahead()
    await opened.frontier.checkOut('w1', 2)
    await settled(opened)
    assert.equal(await opened.leased(), 18)
    let end = () => {}
    const working = opened.bench.db.transact(() => new Promise<void>((resolve) => (end = resolve)))
    const { visits, next } = await opened.frontier.checkOut('w1', 3)
    assert.deepEqual([visits.length, next], [3, 0])
    end()
    await working
    await settled(opened)
    assert.equal(await opened.leased(), 21, 'and their places are filled again')
  })

  it('answer while many parts are applied, which yields to them now and then', async () => {
    const clock = handClock()
    // Time passes whenever somebody looks at the clock.
    const elapsed = () => {
      clock.pass(0.25)
      return clock.elapsed()
    }
    const passing = { ...clock, elapsed }
    const opened = await ahead(100, { clock: passing })
    const { visits } = await opened.frontier.checkOut('w1', 50)
    await settled(opened)
    const order: string[] = []
    const settling = opened.bench.applyParts(...visits.map((visit) => whole(opened.bench, visit)))
    await Promise.all([
      settling.then((results) => order.push(`${new Set(results).size} ${results[0]}`)),
      turn().then(async () => order.push(`${(await opened.frontier.checkOut('w1', 1)).visits.length} visit`)),
    ])
    assert.deepEqual(order, ['1 visit', '1 applied'])
  })

  it('are leases like any others, with the time that is left of them', async () => {
    const opened = await ahead()
    await opened.frontier.checkOut('w1', 1)
    await settled(opened)
    opened.bench.clock.pass(1500)
    const { visits } = await opened.frontier.checkOut('w1', 1)
    assert.deepEqual([visits[0].lease, visits[0].wait], [LEASE - 1500, 0])
    assert.deepEqual(await opened.frontier.renew('w1', [visits[0].id]), { lease: LEASE, lost: [] })
    assert.deepEqual(await opened.bench.applyParts(whole(opened.bench, visits[0])), ['applied'])
  })

  it('that are not taken are given back, as if they had not been handed out', async () => {
    const opened = await ahead(5)
    const given = await opened.frontier.checkOut('w1', 1)
    await settled(opened)
    assert.deepEqual((await opened.frontier.checkOut('w2', 9)).visits, [])
    await opened.giveBackOld()
    assert.equal(await opened.leased(), 5)
    opened.bench.clock.pass(2001)
    await opened.giveBackOld()
    assert.equal(await opened.leased(), 1)
    const { visits } = await opened.frontier.checkOut('w2', 9)
    assert.deepEqual(
      visits.map(({ fence, site }) => [fence, site === given.visits[0].site]),
      Array.from({ length: 4 }, () => [1, false]),
    )
  })

  it('that are too old are not handed out', async () => {
    const opened = await ahead()
    await opened.frontier.checkOut('w1', 1)
    await settled(opened)
    opened.bench.clock.pass(LEASE + 1)
    await opened.bench.db.transact((tx) => opened.ledger.reap(tx))
    const { visits } = await opened.frontier.checkOut('w1', 1)
    assert.deepEqual((await opened.frontier.renew('w1', [visits[0].id])).lost, [])
    assert.equal(visits[0].lease, LEASE)
  })

  it('are none where nothing more is free', async () => {
    const opened = await ahead(3)
    assert.equal((await opened.frontier.checkOut('w1', 3)).visits.length, 3)
    await settled(opened)
    assert.equal(await opened.leased(), 3)
  })

  it('are given back when the crawl ends', async () => {
    const opened = await ahead()
    await opened.frontier.checkOut('w1', 1)
    opened.stop()
    await settled(opened)
    await settled(opened)
    assert.equal(await opened.leased(), 1, 'also those that were being granted')
    assert.deepEqual(await opened.frontier.checkOut('w1', 1), { visits: [], next: 'over' })
  })

  it('of a worker that is no more are given back unharmed; after a crash they are lost like all that was out', async () => {
    const opened = await ahead()
    const { visits } = await opened.frontier.checkOut('w1', 1)
    await settled(opened)
    const lost = await opened.bench.db.transact((tx) => opened.ledger.lose(tx, 'w1'))
    assert.deepEqual(
      lost.map(({ visit }) => visit),
      [visits[0].id],
    )
    assert.equal(await opened.leased(), 0)
    await opened.frontier.checkOut('w1', 1)
    await settled(opened)
    const again = await opened.bench.restart()
    assert.equal((await again.db.read((tx) => frontierQueries.totals(tx))).sites.leased, 0)
  })

  it('that were being granted are not lost with their worker, once they are in its pool', async () => {
    const opened = await ahead()
    const { visits } = await opened.frontier.checkOut('w1', 1)
    await opened.filled('w1')
    assert.equal(await opened.leased(), 17)
    const lost = await opened.bench.db.transact((tx) => opened.ledger.lose(tx, 'w1'))
    assert.deepEqual(
      lost.map(({ visit }) => visit),
      [visits[0].id],
    )
  })

  it("that were being granted when their worker was lost are nobody's, and harm nobody who has the site by then", async () => {
    const opened = await ahead(5)
    await opened.frontier.checkOut('w1', 1)
    // Behind the check-out that fills its shelf, before the shelf has heard of it or after.
    const losing = opened.bench.db.transact((tx) => opened.ledger.lose(tx, 'w1'))
    const waiting = opened.bench.db.transact((tx) => opened.ledger.reap(tx))
    await Promise.all([losing, waiting])
    assert.equal(await opened.leased(), 0)
    opened.bench.clock.pass(LEASE)
    const { visits } = await opened.frontier.checkOut('w2', 9)
    await settled(opened)
    assert.equal(visits.length, 5)
    const ids = visits.map(({ id }) => id)
    assert.deepEqual((await opened.frontier.renew('w2', ids)).lost, [])
    await opened.giveBackOld()
    assert.deepEqual((await opened.frontier.checkOut('w1', 9)).visits, [])
    assert.equal(await opened.leased(), 5)
  })
})
