import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { turn } from '../base/clock.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { type Bench, handClock, LEASE, openBench, whole } from './contract-tools.ts'
import type { FrontierOptions } from './house.ts'
import { type LeasesAhead, leasesAhead } from './leases-ahead.ts'

const SITES = 40

interface Ahead extends LeasesAhead {
  bench: Bench
  leased(): Promise<number>
}

async function ahead(sites = SITES, changed: Partial<FrontierOptions> = {}): Promise<Ahead> {
  const bench = await openBench(async () => openSqlite(':memory:'), changed)
  await bench.seed(...Array.from({ length: sites }, (_, at) => `s${at}.test/`))
  const buffered = leasesAhead(bench, bench.db, bench.options.clock)
  const leased = async () => (await bench.db.read((tx) => bench.ledger.look.totals(tx))).sites.leased
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
    const house = await ahead()
    await house.frontier.checkOut('w1', 2)
    await settled(house)
    assert.equal(await house.leased(), 18)
    let end = () => {}
    const working = house.bench.db.transact(() => new Promise<void>((resolve) => (end = resolve)))
    const { visits, next } = await house.frontier.checkOut('w1', 3)
    assert.deepEqual([visits.length, next], [3, 0])
    end()
    await working
    await settled(house)
    assert.equal(await house.leased(), 21, 'and their places are filled again')
  })

  it('answer while many parts are settled, which stops for them now and then', async () => {
    const clock = handClock()
    // Time passes whenever somebody looks at the clock.
    const elapsed = () => {
      clock.pass(0.25)
      return clock.elapsed()
    }
    const passing = { ...clock, elapsed }
    const house = await ahead(100, { clock: passing })
    const { visits } = await house.frontier.checkOut('w1', 50)
    await settled(house)
    const order: string[] = []
    const settling = house.bench.settle(...visits.map((visit) => whole(house.bench, visit)))
    await Promise.all([
      settling.then((verdicts) => order.push(`${new Set(verdicts).size} ${verdicts[0]}`)),
      turn().then(async () => order.push(`${(await house.frontier.checkOut('w1', 1)).visits.length} visit`)),
    ])
    assert.deepEqual(order, ['1 visit', '1 applied'])
  })

  it('are leases like any others, with the time that is left of them', async () => {
    const house = await ahead()
    await house.frontier.checkOut('w1', 1)
    await settled(house)
    house.bench.clock.pass(1500)
    const { visits } = await house.frontier.checkOut('w1', 1)
    assert.deepEqual([visits[0].lease, visits[0].wait], [LEASE - 1500, 0])
    assert.deepEqual(await house.frontier.renew('w1', [visits[0].id]), { lease: LEASE, lost: [] })
    assert.deepEqual(await house.bench.settle(whole(house.bench, visits[0])), ['applied'])
  })

  it('that nobody takes are given back, as if they had not been handed out', async () => {
    const house = await ahead(5)
    const given = await house.frontier.checkOut('w1', 1)
    await settled(house)
    assert.deepEqual((await house.frontier.checkOut('w2', 9)).visits, [])
    await house.giveBackOld()
    assert.equal(await house.leased(), 5)
    house.bench.clock.pass(2001)
    await house.giveBackOld()
    assert.equal(await house.leased(), 1)
    const { visits } = await house.frontier.checkOut('w2', 9)
    assert.deepEqual(
      visits.map(({ fence, site }) => [fence, site === given.visits[0].site]),
      Array.from({ length: 4 }, () => [1, false]),
    )
  })

  it('that are too old are not handed out', async () => {
    const house = await ahead()
    await house.frontier.checkOut('w1', 1)
    await settled(house)
    house.bench.clock.pass(LEASE + 1)
    await house.bench.db.transact((tx) => house.ledger.reap(tx))
    const { visits } = await house.frontier.checkOut('w1', 1)
    assert.deepEqual((await house.frontier.renew('w1', [visits[0].id])).lost, [])
    assert.equal(visits[0].lease, LEASE)
  })

  it('are none where nothing more is free', async () => {
    const house = await ahead(3)
    assert.equal((await house.frontier.checkOut('w1', 3)).visits.length, 3)
    await settled(house)
    assert.equal(await house.leased(), 3)
  })

  it('are given back when the crawl ends', async () => {
    const house = await ahead()
    await house.frontier.checkOut('w1', 1)
    house.stop()
    await settled(house)
    await settled(house)
    assert.equal(await house.leased(), 1, 'also those that were being granted')
    assert.deepEqual(await house.frontier.checkOut('w1', 1), { visits: [], next: 'over' })
  })

  it('of a worker that is no more are given back unharmed; after a crash they are lost like all that was out', async () => {
    const house = await ahead()
    const { visits } = await house.frontier.checkOut('w1', 1)
    await settled(house)
    const lost = await house.bench.db.transact((tx) => house.ledger.lose(tx, 'w1'))
    assert.deepEqual(
      lost.map(({ visit }) => visit),
      [visits[0].id],
    )
    assert.equal(await house.leased(), 0)
    await house.frontier.checkOut('w1', 1)
    await settled(house)
    const again = await house.bench.restart()
    assert.equal((await again.db.read((tx) => again.ledger.look.totals(tx))).sites.leased, 0)
  })

  it('that were being granted are not lost with their worker, once they are on its shelf', async () => {
    const house = await ahead()
    const { visits } = await house.frontier.checkOut('w1', 1)
    await house.filled('w1')
    assert.equal(await house.leased(), 17)
    const lost = await house.bench.db.transact((tx) => house.ledger.lose(tx, 'w1'))
    assert.deepEqual(
      lost.map(({ visit }) => visit),
      [visits[0].id],
    )
  })

  it("that were being granted when their worker was lost are nobody's, and harm nobody who has the site by then", async () => {
    const house = await ahead(5)
    await house.frontier.checkOut('w1', 1)
    // Behind the check-out that fills its shelf, before the shelf has heard of it or after.
    const losing = house.bench.db.transact((tx) => house.ledger.lose(tx, 'w1'))
    const waiting = house.bench.db.transact((tx) => house.ledger.reap(tx))
    await Promise.all([losing, waiting])
    assert.equal(await house.leased(), 0)
    house.bench.clock.pass(LEASE)
    const { visits } = await house.frontier.checkOut('w2', 9)
    await settled(house)
    assert.equal(visits.length, 5)
    const ids = visits.map(({ id }) => id)
    assert.deepEqual((await house.frontier.renew('w2', ids)).lost, [])
    await house.giveBackOld()
    assert.deepEqual((await house.frontier.checkOut('w1', 9)).visits, [])
    assert.equal(await house.leased(), 5)
  })
})
