import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../base/virtual-clock.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { openFrontier, viewsOf } from '../../frontier/open-frontier.ts'
import { roundRobin } from '../../frontier/order.ts'
import { parseUrl, usualUrls, type WebUrl } from '../../web/url/web-url.ts'
import { loadSettings } from '../config/load.ts'
import { seedStanding, seedsInTheEnd } from './open-seeds.ts'
import { scopeFor } from './scope-for.ts'
import { scopeSeeds } from './scope-seeds.ts'

const settingsOf = (...flags: string[]) => loadSettings(flags, 'crawl', { env: {}, readFile: () => undefined }).settings

async function collectionOf(seeds: readonly { url: string; source?: 'names' | 'cdx' }[]) {
  const database = openSqlite(':memory:')
  const frontier = openFrontier(database, {
    clock: virtualClock(0),
    urls: usualUrls,
    order: roundRobin,
    slice: { pages: 10, time: 1000 },
    leaseMs: 60_000,
    addressPauseMs: 500,
    defaultPause: () => 2000,
  })
  const urls = seeds.map(({ url, source = 'cdx' }) => {
    const { href, key, site } = parseUrl(url) as WebUrl
    return { url: href, key, site, source, ...(source === 'names' ? { path: 'N' as const } : {}) }
  })
  await database.transact((tx) => frontier.ledger.seed(tx, urls))
  return database
}

const SEEDS = [
  { url: 'https://a.test/', source: 'names' },
  { url: 'http://b.test/1' },
  { url: 'http://b.test/2' },
  { url: 'http://b.test/3' },
] as const

test('by default a name brings its www. into the scope, and a site of many seeds is one', async () => {
  const database = await collectionOf(SEEDS)
  const { seeds, alternates } = await scopeSeeds({ database, settings: settingsOf() })
  assert.deepEqual(seeds.sort(), ['http://b.test/1', 'https://a.test/'])
  assert.deepEqual(alternates, ['https://www.a.test/'])
  const parsed = (list: readonly string[]) => list.map((text) => parseUrl(text) as WebUrl)
  const scope = scopeFor(settingsOf(), parsed(seeds), () => emptyBlacklist, parsed(alternates))()
  const isWanted = (url: string) => scope.judge(parseUrl(url) as WebUrl, 0).yes
  assert.deepEqual(['http://www.a.test/', 'http://a.test/x', 'http://www.b.test/', 'http://b.test/9'].map(isWanted), [
    true,
    true,
    false,
    true,
  ])
})

test('the home-page policy drops links to seeds that wait, not to where one of them has moved', async () => {
  const database = await collectionOf(SEEDS)
  const settings = settingsOf('--links', 'home-page')
  const { seeds, alternates } = await scopeSeeds({ database, settings })
  const parsed = (list: readonly string[]) => list.map((text) => parseUrl(text) as WebUrl)
  const scope = scopeFor(settings, parsed(seeds), () => emptyBlacklist, parsed(alternates))()
  assert.equal(scope.crossSite(parseUrl('https://a.test/x') as WebUrl).dropped, true)
  assert.deepEqual(
    scope.crossSite(parseUrl('https://www.a.test/x') as WebUrl).admit.map(({ href }) => href),
    ['https://www.a.test/'],
  )
})

test('every seed where pages matter, none but the seeds where they do not', async () => {
  const database = await collectionOf(SEEDS)
  for (const flags of [
    ['--scope', 'page'],
    ['--scope', 'prefix'],
    ['--include', 'x'],
    ['--queries', 'no'],
  ]) {
    const { seeds, alternates } = await scopeSeeds({ database, settings: settingsOf(...flags) })
    assert.deepEqual([seeds.length, alternates.length], [4, 3], flags.join(' '))
  }
  for (const scope of ['tld:test', 'domain']) {
    const { seeds, alternates } = await scopeSeeds({ database, settings: settingsOf('--scope', scope) })
    assert.deepEqual([seeds.length, alternates.length], [2, 0], scope)
  }
})

test('how seeds stand: a name as the guess that got furthest', async () => {
  const database = await collectionOf([
    ...SEEDS,
    { url: 'https://dead.test/', source: 'names' },
    { url: 'https://kept.test/', source: 'names' },
    { url: 'http://www.kept.test/' },
  ])
  await database.transact((tx) => {
    const mark = (url: string, value: number) => sqliteTx(tx).run('UPDATE url SET mark = ? WHERE url = ?', value, url)
    mark('https://dead.test/', 4)
    mark('https://kept.test/', 4)
    mark('http://www.kept.test/', 1)
    mark('http://b.test/1', 2)
    mark('http://b.test/2', 3)
  })
  assert.deepEqual(await seedStanding(database), [
    { source: 'cdx', waiting: 1, collected: 1, moved: 1, dead: 0, refused: 1 },
    { source: 'names', waiting: 1, collected: 1, moved: 0, dead: 1, refused: 0 },
  ])
})

test('what became of seeds at the end: the named ones, else all; more than are looked at need documents to have brought any', async () => {
  const urls = Array.from({ length: 1001 }, (_, i) => `http://n${i}.test/`)
  const database = await collectionOf(urls.map((url) => ({ url })))
  const looks = viewsOf(database)
  await database.transact((tx) => sqliteTx(tx).run(`UPDATE site SET state = 'barred', reason = 'given-up: connect'`))
  const all = await seedsInTheEnd(database, looks, [])
  assert.deepEqual([all.looked, all.empty, all.areAllEmpty, all.examples.length], [1000, 1000, true, 10])
  assert.deepEqual(
    { ...all.examples[0], url: '' },
    { url: '', source: 'cdx', became: 'dead', why: 'connect', status: null, to: null, rule: null, isEmpty: true },
  )
  await database.transact((tx) =>
    sqliteTx(tx).run(`INSERT INTO counter (name, day, value) VALUES ('documents', '', 1)`),
  )
  assert.equal((await seedsInTheEnd(database, looks, [])).areAllEmpty, false, 'one of the others may have brought it')
  assert.equal((await seedsInTheEnd(database, looks, [urls[3]])).areAllEmpty, true, 'the one that was named did not')
})
