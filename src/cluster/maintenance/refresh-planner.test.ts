import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { recordedFreshness } from './measure-freshness.ts'
import { nextPrice, type PriceFacts, RefreshPlanner } from './refresh-planner.ts'

const FACTS: PriceFacts = {
  ...{
    price: 0,
    target: undefined,
    bound: 0,
    usual: 1000,
    looks: 100,
    perSecond: 10,
    free: 5,
    leased: 50,
    pages: 10_000,
  },
}

test('without a target, the price rises only while more sites are free than workers take', () => {
  assert.equal(nextPrice(FACTS), 0, 'workers take what is free')
  const begun = nextPrice({ ...FACTS, free: 500 })
  assert.equal(begun, 100, 'a tenth of what a look is worth')
  const risen = nextPrice({ ...FACTS, price: begun, free: 500 })
  assert.ok(risen > begun && risen < 1.1 * begun)
  assert.equal(nextPrice({ ...FACTS, price: begun }), begun, 'neither crowded nor idle')
  assert.equal(nextPrice({ ...FACTS, free: 500, usual: 0 }), 0, 'nothing is measured yet')
})

test('without a target, the price falls to 0 when fetchers idle, even if nothing is looked at', () => {
  let price = 1e6
  let steps = 0
  for (; price > 0; steps++) {
    price = nextPrice({ ...FACTS, price, free: 0, looks: 0, perSecond: 0 })
    assert.ok(steps < 1000)
  }
  assert.ok(steps > 50, 'not at once')
})

test('with a target, the price is set near that of the bound, then corrected', () => {
  const given = { ...FACTS, target: 5 }
  assert.equal(nextPrice({ ...given, bound: 300 }), 300)
  assert.equal(nextPrice({ ...given, bound: 300, price: 3e6 }), 300)
  assert.ok(nextPrice({ ...given, bound: 300, price: 300 }) > 300, 'too many looks')
  assert.ok(nextPrice({ ...given, bound: 300, price: 300, perSecond: 1 }) < 300)
  assert.equal(nextPrice({ ...given, perSecond: 4 }), 0, 'pauses alone keep it below')
})

/** Looks fall with the root of the price, and are seen as the mean of the last two minutes. */
function settled(target: number, start: number, seconds: number): number[] {
  const capacity = 40
  const looks = (price: number) => Math.min(capacity, 200 / Math.sqrt(price))
  const window: number[] = []
  const rates: number[] = []
  for (let price = start, at = 0; at < seconds; at += 10) {
    window.push(looks(price))
    if (window.length > 12) window.shift()
    const perSecond = window.reduce((a, b) => a + b) / window.length
    price = nextPrice({ ...FACTS, price, target, bound: 0, perSecond })
    rates.push(perSecond)
  }
  return rates
}

test('looks per second meet the target within the hour and stay there', () => {
  for (const [target, start] of [
    [10, 10],
    [10, 100_000],
    [1, 400],
    [30, 50],
  ]) {
    const late = settled(target, start, 7200).slice(360)
    for (const rate of late) assert.ok(Math.abs(rate / target - 1) < 0.02, `${target} from ${start}: ${rate}`)
  }
})

function world() {
  const clock = virtualClock(1_780_000_000_000)
  const database = openSqlite(':memory:')
  const enrolled: number[] = []
  let left = 50_000
  const ledger = {
    async enrol(_tx: unknown, urls: number) {
      enrolled.push(urls)
      left -= urls
      await clock.sleep(20)
      return left > 0
    },
    async setPrice(tx: Parameters<typeof sqliteTx>[0], price: number) {
      sqliteTx(tx).run('INSERT OR REPLACE INTO refresh_price VALUES (1, ?, 0)', price)
    },
  }
  const fill = (price: number) =>
    database.transact((given) => {
      const tx = sqliteTx(given)
      const site = siteKeyOf('a.test')
      tx.run(
        `INSERT INTO site (bucket, key, name, state, since, rank, known, refreshing) VALUES (0, ?, 'a.test', 'waiting', 0, 0, 1, 1)`,
        site,
      )
      tx.run('INSERT INTO known_page (site, key, looked_at, class, rate, weight) VALUES (?, 1, 0, 0, 1e-5, 1)', site)
      tx.run('INSERT OR REPLACE INTO refresh_price VALUES (1, ?, 0)', price)
    })
  const planner = (more: { isOurs?: () => Promise<boolean>; capacity?: number } = {}) =>
    new RefreshPlanner({
      ...{
        clock,
        database,
        ledger,
        defaultPause: () => 2000,
        addressPause: () => 0,
        minGain: 0,
        capacity: more.capacity,
      },
      role: { isOurs: more.isOurs ?? (async () => true), release: async () => {} },
      renewWeights: async () => {},
    })
  const tick = async (planner: RefreshPlanner, times: number) => {
    for (let n = 0; n < times; n++) {
      await clock.sleep(1000)
      await planner.tick()
    }
  }
  const run = (work: () => Promise<void>) => clock.run(work())
  return { clock, database, enrolled, fill, planner, run, tick }
}

test('it is measured once more at the end, by who plans', async () => {
  const { database, fill, planner, run, tick } = world()
  await run(async () => {
    await fill(0)
    const one = planner()
    await tick(one, 4)
    const before = await database.read(recordedFreshness)
    await database.transact(async (tx) => sqliteTx(tx).run('UPDATE known_page SET looked_at = ?', 1_780_000_000_000))
    const other = planner({ isOurs: async () => false })
    await tick(other, 1)
    await other.finish()
    assert.deepEqual(await database.read(recordedFreshness), before)
    await one.finish()
    const after = await database.read(recordedFreshness)
    assert.ok(before!.freshness < 0.01 && after!.freshness > 0.99, `${before?.freshness}, then ${after?.freshness}`)
  })
})

test('pages are enrolled some at each tick until none is left; then it is measured', async () => {
  const { clock, database, enrolled, fill, planner, run, tick } = world()
  await run(async () => {
    await fill(0)
    const one = planner()
    await tick(one, 1)
    assert.ok(enrolled.length > 1)
    await tick(one, 3)
    assert.equal(one.isEnrolling, false)
    const calls = enrolled.length
    assert.ok(enrolled.reduce((a, b) => a + b) >= 50_000)
    await tick(one, 100)
    assert.equal(enrolled.length, calls, 'all is enrolled')
    const first = await database.read(recordedFreshness)
    assert.equal(first?.pages, 1)
    assert.ok(first!.at >= clock.now() - 61_000, 'measured once a minute')
  })
})

test('an idle price falls, in the table, where the next process finds it', async () => {
  const { database, fill, planner, run, tick } = world()
  await run(async () => {
    await fill(1000)
    await tick(planner(), 60)
    const price = await database.read((tx) => frontierQueries.price(tx))
    assert.ok(price < 900 && price > 0, String(price))
    await tick(planner(), 60)
    assert.ok((await database.read((tx) => frontierQueries.price(tx))) < price)
  })
})

test('a process that is not the one changes nothing', async () => {
  const { database, enrolled, fill, planner, run, tick } = world()
  await run(async () => {
    await fill(1000)
    const other = planner({ isOurs: async () => false })
    await tick(other, 100)
    assert.equal(other.isEnrolling, false)
    assert.deepEqual(enrolled, [])
    assert.equal(await database.read((tx) => frontierQueries.price(tx)), 1000)
    assert.equal(await database.read(recordedFreshness), undefined)
  })
})
