import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { signed64 } from '../../base/digest.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { value } from '../../refresh/freshness.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { loadSettings } from '../config/load.ts'
import { refreshPlan, siteLooks } from './plan.ts'

const NOW = 1_780_000_000_000
const HOUR = 3600
const DAY = 86_400
const env = { ORBWEAVER_REFRESH_MIN_GAIN: '0s' }
const { settings } = loadSettings([], 'plan', { env, readFile: () => undefined })
const usual = loadSettings([], 'plan', { env: {}, readFile: () => undefined }).settings

interface Known {
  url: string
  rate: number
  hoursAgo: number
  refreshAt?: number
  changes?: number
  failures?: number
}

async function planned(pages: readonly Known[], price = 0, by = settings) {
  const database = openSqlite(':memory:')
  await database.transact((given) => {
    const tx = sqliteTx(given)
    const count = new Map<string, number>()
    for (const { url, rate, hoursAgo, refreshAt, changes = 0, failures = 0 } of pages) {
      const { site, key } = parseUrl(url)!
      count.set(site, (count.get(site) ?? 0) + 1)
      const at = [siteKeyOf(site), signed64(key)]
      tx.run(
        `INSERT INTO url (site, key, url, depth, path, seq, enqueued_at, due_at, mark) VALUES (?, ?, ?, 0, '', 0, 0, 0, 1)`,
        ...[...at, url],
      )
      tx.run(
        `INSERT INTO known_page (site, key, looked_at, refresh_at, class, rate, weight, changes, changed_ms, unchanged_ms, failures)
          VALUES (?, ?, ?, ?, 0, ?, 1, ?, ?, ?, ?)`,
        ...[
          ...at,
          NOW - hoursAgo * 3_600_000,
          refreshAt ?? null,
          rate,
          changes,
          changes * 3_600_000,
          3_600_000,
          failures,
        ],
      )
    }
    for (const [name, known] of count)
      tx.run(
        `INSERT INTO site (bucket, key, name, state, since, rank, known, refreshing) VALUES (0, ?, ?, 'waiting', 0, 0, ?, ?)`,
        ...[siteKeyOf(name), name, known, known],
      )
    tx.run('INSERT OR REPLACE INTO refresh_price VALUES (1, ?, 0)', price)
  })
  return (ask: { url?: string; site?: string; atMost?: number }) =>
    refreshPlan(database, virtualClock(NOW), by, { atMost: 20, ...ask })
}

test('the pages that are worth most now come first, of the collection or of a site', async () => {
  const pages = [1, 2, 3].flatMap((n) => [
    { url: `http://a.test/${n}`, rate: 1 / DAY, hoursAgo: n },
    { url: `http://b.test/${n}`, rate: 1 / DAY, hoursAgo: n + 0.5 },
  ])
  const plan = await planned(pages)
  const all = await plan({ atMost: 4 })
  assert.deepEqual(
    all.plans.map(({ url }) => url.slice(7)),
    ['b.test/3', 'a.test/3', 'b.test/2', 'a.test/2'],
  )
  assert.deepEqual([all.pages, all.asked], [6, 6])
  assert.ok(Math.abs(all.plans[1].valueHours - value(1 / DAY, 1, 3 * HOUR) / HOUR) < 1e-9)
  const own = await plan({ site: 'a.test' })
  assert.deepEqual([own.asked, own.plans.length], [3, 3])
  assert.ok(own.plans.every(({ url }) => url.startsWith('http://a.test/')))
  assert.equal((await plan({ site: 'c.test' })).asked, 0)
  assert.equal((await plan({ url: 'http://a.test/none' })).asked, 0)
})

test('a page has its rate with confidence, the best looks per day within its pause, and when it is due', async () => {
  const due = NOW + 3_600_000
  const plan = await planned([
    { url: 'http://a.test/seen', rate: 1 / DAY, hoursAgo: 1, changes: 5 },
    { url: 'http://a.test/new', rate: 1 / DAY, hoursAgo: 1, refreshAt: due, failures: 2 },
  ])
  const [seen] = (await plan({ url: 'http://a.test/seen' })).plans
  assert.ok(seen.low < seen.changesPerDay && seen.changesPerDay < seen.high)
  // Two pages alike share what the pause of 2 s permits.
  assert.ok(Math.abs(seen.looksPerDay - DAY / 2 / 2) < 1, String(seen.looksPerDay))
  assert.ok(Math.abs(seen.dueAt! - (NOW - 3_600_000 + 4000)) < 10)
  const [fresh] = (await plan({ url: 'http://a.test/new' })).plans
  assert.equal(fresh.low, 0)
  assert.equal(fresh.dueAt, due, 'a given time')
  assert.equal(fresh.failures, 2)
})

test('where the price limits looks, a page is due when it is worth the price, or never', () => {
  const rate = 1 / DAY
  const [polite] = siteLooks([{ rate, weight: 1 }], 1, 0)
  assert.ok(Math.abs(polite - 1) < 1e-9)
  const price = value(rate, 1, 6 * HOUR)
  const [limited] = siteLooks([{ rate, weight: 1 }], 1, price)
  assert.ok(Math.abs(1 / limited - 6 * HOUR) < 1, 'once in six hours')
  assert.deepEqual([...siteLooks([{ rate, weight: 1 }], 1, 1 / rate)], [0])
})

test('a page is not looked at more often than is worth it', async () => {
  const pages = [{ url: 'http://a.test/seen', rate: 1 / (30 * DAY), hoursAgo: 1 }]
  const [page] = (await (await planned(pages, 0, usual))({ url: pages[0].url })).plans
  // λ·τ²/2 is a second after 38 minutes.
  assert.ok(Math.abs(DAY / page.looksPerDay - Math.sqrt(2 * 30 * DAY)) < 2, String(DAY / page.looksPerDay))
})
