import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { seededRandom } from '../../base/random.ts'
import { evolution } from '../../collection/figures.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { measureFreshness, recordedFreshness, recordFreshness } from './measure-freshness.ts'

const DAY = 86_400
const NOW = 1_780_000_000_000

interface Site {
  name: string
  pause?: number
  address?: string
  tookMs?: number
  pages: { rate: number; weight?: number; sinceS: number }[]
}

async function filled(sites: readonly Site[]): Promise<Database> {
  const database = openSqlite(':memory:')
  await database.transact((given) => {
    const tx = sqliteTx(given)
    for (const { name, pause = 0, address, tookMs, pages } of sites) {
      const site = siteKeyOf(name)
      tx.run(
        `INSERT INTO site (bucket, key, name, state, since, rank, pause, address, known, refreshing)
          VALUES (0, ?, ?, 'waiting', 0, 0, ?, ?, ?, ?)`,
        ...[site, name, pause, address ?? null, pages.length, pages.length],
      )
      for (const [at, { rate, weight = 1, sinceS }] of pages.entries()) {
        tx.run(
          `INSERT INTO known_page (site, key, looked_at, class, rate, weight) VALUES (?, ?, ?, 0, ?, ?)`,
          ...[site, at, NOW - Math.round(sinceS * 1000), rate, weight],
        )
        if (tookMs !== undefined)
          tx.run(
            `INSERT INTO page (site, key, url, depth, path, status, outcome, media_type, bytes, took_ms, tries, first_at, at, title, annotations)
              VALUES (?, ?, '', 0, '', 200, 'kept', '', 0, ?, 1, 0, 0, '', '')`,
            ...[site, at, tookMs],
          )
      }
    }
  })
  return database
}

const measure = (database: Database, more: { capacity?: number; maxPages?: number; pause?: number } = {}) =>
  measureFreshness({
    database,
    clock: virtualClock(NOW),
    minGain: 0,
    defaultPause: () => more.pause ?? 2000,
    addressPause: (site) => (site.startsWith('own.') ? 0 : 500),
    capacity: more.capacity,
    ...(more.maxPages && { maxPages: more.maxPages }),
  })

test('freshness and age are the expectations, by weight', async () => {
  const rate = 1 / DAY
  const database = await filled([
    { name: 'a.test', pages: [{ rate, sinceS: 0 }] },
    { name: 'b.test', pages: [{ rate, weight: 3, sinceS: 2 * DAY }] },
  ])
  const found = await measure(database)
  assert.ok(found !== undefined)
  assert.ok(Math.abs(found.freshness - (1 + 3 * Math.exp(-2)) / 4) < 1e-12)
  // Age since the first change: τ − (1 − e^(−λτ))/λ.
  assert.ok(Math.abs(found.ageSeconds - (3 * DAY * (2 - (1 - Math.exp(-2)))) / 4) < 1e-6)
  assert.deepEqual([found.pages, found.measured, found.sites], [2, 2, 2])
})

test('a collection without known pages has no freshness', async () => {
  assert.equal(await measure(openSqlite(':memory:')), undefined)
})

test("the bound of one page is that of looks at its host's pace: pause, learnt or configured, and answer time", async () => {
  const rate = 1 / 100
  const one = (site: Partial<Site>) => filled([{ name: 'a.test', ...site, pages: [{ rate, sinceS: 0 }] }])
  // A look every d seconds: fresh for (1 − e^(−λd))/(λd).
  const fresh = (d: number) => (1 - Math.exp(-rate * d)) / (rate * d)
  const bound = async (database: Promise<Database>) => (await measure(await database))?.bound ?? 0
  assert.ok(Math.abs((await bound(one({ tookMs: 500 }))) - fresh(2.5)) < 1e-6)
  assert.ok(Math.abs((await bound(one({ tookMs: 500, pause: 30_000 }))) - fresh(30.5)) < 1e-6)
  const { gain, boundLooks, price, stalenessRatio } = (await measure(await one({ tookMs: 500 })))!
  assert.ok(Math.abs(gain.shorterPause - (fresh(2.3) - fresh(2.5))) < 1e-6)
  assert.equal(gain.oneMoreLook, 0, 'only the pause limits it')
  assert.ok(Math.abs(boundLooks - 1 / 2.5) < 1e-6)
  assert.equal(price, 0)
  assert.equal(stalenessRatio, 0, 'just looked at')
})

test('sites that share an address share its pause', async () => {
  const sites = (names: readonly string[], address?: string) =>
    filled(names.map((name) => ({ name, ...(address && { address }), tookMs: 500, pages: [{ rate: 0.1, sinceS: 0 }] })))
  const looks = async (database: Promise<Database>) => (await measure(await database))?.boundLooks ?? 0
  const near = async (database: Promise<Database>, expected: number) =>
    assert.ok(Math.abs((await looks(database)) - expected) < 1e-6, `${await looks(database)}`)
  const names = Array.from({ length: 10 }, (_, n) => `s${n}.test`)
  await near(sites(names), 10 / 2.5)
  await near(sites(names, '192.0.2.1'), 1 / 1)
  // Two sites ask less of the address than it permits.
  await near(sites(names.slice(0, 2), '192.0.2.1'), 2 / 2.5)
  await near(
    sites(
      names.map((name) => `own.${name}`),
      '192.0.2.1',
    ),
    10 / 2.5,
  )
})

test('capacity limits the bound; one more look per second brings what it says', async () => {
  const random = seededRandom(5)
  const sites = Array.from({ length: 20 }, (_, n) => ({
    name: `s${n}.test`,
    pages: Array.from({ length: 10 }, () => ({ rate: 0.05 * random.next() + 0.001, sinceS: 100 * random.next() })),
  }))
  const database = await filled(sites)
  const [few, more, all] = await Promise.all([
    measure(database, { capacity: 1 }),
    measure(database, { capacity: 2 }),
    measure(database),
  ])
  assert.ok(few!.bound < more!.bound && more!.bound < all!.bound)
  assert.ok(Math.abs(few!.bound + few!.gain.oneMoreLook - more!.bound) < 1e-9)
  assert.ok(few!.price > more!.price && more!.price > 0)
  assert.ok(Math.abs(few!.boundLooks - 1) < 1e-5)
})

test('looks made at the rates of the bound are as stale as the bound', async () => {
  // Pages whose time since the last look is uniform over their interval, as regular looks leave them.
  const random = seededRandom(1)
  const rate = 1 / 200
  const pages = 1000
  const pace = 1 / 2.5
  const sinceS = () => (random.next() * pages) / pace
  const database = await filled([
    { name: 'a.test', tookMs: 500, pages: Array.from({ length: pages }, () => ({ rate, sinceS: sinceS() })) },
  ])
  const { stalenessRatio } = (await measure(database))!
  assert.ok(Math.abs(stalenessRatio! - 1) < 0.05, String(stalenessRatio))
})

test('a large collection is measured by a sample of whole sites, which says so', async () => {
  const random = seededRandom(2)
  const sites = Array.from({ length: 600 }, (_, n) => ({
    name: `s${n}.test`,
    pages: Array.from({ length: 10 }, () => ({ rate: 1 / DAY, sinceS: DAY * random.next() })),
  }))
  const database = await filled(sites)
  const [all, some] = await Promise.all([
    measure(database, { capacity: 5 }),
    measure(database, { capacity: 5, maxPages: 2995 }),
  ])
  assert.equal(all!.measured, 6000)
  assert.deepEqual([some!.pages, some!.measured, some!.sites], [6000, 3000, 300])
  assert.ok(Math.abs(some!.freshness - all!.freshness) < 0.03)
  assert.ok(Math.abs(some!.bound - all!.bound) < 1e-3, 'the sample has its share of the capacity')
  assert.ok(Math.abs(some!.boundLooks / all!.boundLooks - 1) < 1e-3)
})

test('a measure is a number between 0 and 1 whatever the tables have', async () => {
  const number = (max: number) => fc.double({ min: 1e-9, max, noNaN: true })
  const page = fc.record({
    rate: number(10),
    weight: number(1e6),
    sinceS: fc.double({ min: -10, max: 1e9, noNaN: true }),
  })
  const site = fc.record({ pause: fc.nat(1e9), pages: fc.array(page, { minLength: 1, maxLength: 4 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(site, { minLength: 1, maxLength: 4 }),
      fc.option(number(1e6)),
      async (given, capacity) => {
        const database = await filled(given.map((one, n) => ({ ...one, name: `s${n}.test` })))
        const { gain, ...found } = (await measure(database, { ...(capacity && { capacity }) }))!
        for (const share of [found.freshness, found.bound, gain.oneMoreLook, gain.shorterPause])
          assert.ok(share >= 0 && share <= 1 + 1e-9, String(share))
        assert.ok(found.ageSeconds >= 0 && Number.isFinite(found.price) && Number.isFinite(found.boundLooks))
        await database.close()
      },
    ),
    { numRuns: 100 },
  )
})

test('the last measure is in the database, for others', async () => {
  const database = await filled([{ name: 'a.test', pages: [{ rate: 1, sinceS: 1 }] }])
  const found = (await measure(database))!
  assert.equal(await database.read(recordedFreshness), undefined)
  await database.transact((tx) => recordFreshness(tx, found))
  assert.deepEqual(await database.read(recordedFreshness), found)
  const [{ freshness, bound, requests }] = await database.read((tx) => evolution(tx))
  assert.deepEqual([freshness, bound, requests], [found.freshness, found.bound, 0], 'and in the history of the crawl')
})
