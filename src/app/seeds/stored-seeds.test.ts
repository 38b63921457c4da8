import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bench, KEPT, openBench, PAUSE, part } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { samplePage } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { fileReports } from '../../collection/sample-catalogue.test-data.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { openFrontier } from '../../frontier/open-frontier.ts'
import { roundRobin } from '../../frontier/order.ts'
import { parseUrl, usualUrls, type WebUrl } from '../../web/url/web-url.ts'
import { scopeFor } from '../composition/plan.ts'
import { loadSettings } from '../config/load.ts'
import { scopeSeeds, seedCounts, seedOutcome, seedSummary } from './stored-seeds.ts'

const inMemory = async () => openSqlite(':memory:')

/** One visit to what waits; every URL gets the outcome that is said of it, in the frontier and in the catalogue. */
async function visit(bench: Bench, said: Record<string, Outcome>): Promise<void> {
  bench.clock.pass(PAUSE)
  const visit = await bench.one()
  const pages = visit.agenda.map(({ url, key }) => {
    const outcome = said[url] ?? assert.fail(url)
    return samplePage(url, { key, outcome, status: outcome.kind === 'gone' ? 404 : 200 })
  })
  const report = part(bench, visit, 1, { pages, ended: 'done' })
  await bench.applyParts(report)
  await bench.db.transact((tx) => fileReports(tx, [report]))
}

const outcomeOf = (bench: Bench, url: string) =>
  bench.db.read((tx) => seedOutcome({ tx, reader: usualUrls }, { url, source: 'given' }))

test('a seed that redirects to another spelling of its key waits there, or ended in endless redirects', async () => {
  const bench = await openBench(inMemory)
  const [index, folder] = ['http://a.test/index.html', 'http://a.test/']
  await bench.seed(index)
  await visit(bench, { [index]: { kind: 'moved', to: folder } })
  const waiting = await outcomeOf(bench, index)
  assert.deepEqual([waiting.became, waiting.to, waiting.why, waiting.isEmpty], ['moved', folder, null, false])
  await visit(bench, { [folder]: { kind: 'moved', to: index } })
  const endless = await outcomeOf(bench, index)
  assert.deepEqual([endless.became, endless.why, endless.isEmpty], ['moved', 'redirects', true])
})

test('a seed that names a folder’s index page counts as that page, not as the folder', async () => {
  const bench = await openBench(inMemory)
  const [folder, other] = ['http://a.test/d/', 'http://a.test/d/default.html']
  await bench.seed(folder)
  await bench.seed(other)
  await visit(bench, { [folder]: KEPT, [other]: { kind: 'gone', why: 'status-404' } })
  assert.equal((await outcomeOf(bench, folder)).became, 'collected')
  const found = await outcomeOf(bench, other)
  assert.deepEqual([found.became, found.why, found.isEmpty], ['dead', 'status-404', true])
})

test('a seed of a site that an operator barred is refused, with the reason', async () => {
  const bench = await openBench(inMemory)
  await bench.seed('http://a.test/')
  await bench.db.transact((tx) => bench.ledger.stopSite(tx, 'a.test', 'barred', 'its webmaster asked'))
  const { became, why, rule } = await outcomeOf(bench, 'http://a.test/')
  assert.deepEqual([became, why, rule], ['refused', 'operator', 'its webmaster asked'])
})

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

test('by default a domain name brings its www. into the scope, and a site with many seeds counts once', async () => {
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

test('the home-page policy drops links to waiting seeds, but not to the target of a moved one', async () => {
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

test('the scope receives every seed where pages matter, otherwise one per site', async () => {
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

test('in the counts of seeds a name counts as its best guess', async () => {
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
  assert.deepEqual(await seedCounts(database), [
    { source: 'cdx', waiting: 1, collected: 1, moved: 1, dead: 0, refused: 1 },
    { source: 'names', waiting: 1, collected: 1, moved: 0, dead: 1, refused: 0 },
  ])
})

test('the final summary covers the given seeds, otherwise all; beyond the limit the count of documents decides whether any led to one', async () => {
  const urls = Array.from({ length: 1001 }, (_, i) => `http://n${i}.test/`)
  const database = await collectionOf(urls.map((url) => ({ url })))
  await database.transact((tx) => sqliteTx(tx).run(`UPDATE site SET state = 'barred', reason = 'given-up: connect'`))
  const all = await seedSummary(database, [])
  assert.deepEqual([all.looked, all.empty, all.areAllEmpty, all.examples.length], [1000, 1000, true, 10])
  assert.deepEqual(
    { ...all.examples[0], url: '' },
    { url: '', source: 'cdx', became: 'dead', why: 'connect', status: null, to: null, rule: null, isEmpty: true },
  )
  await database.transact((tx) =>
    sqliteTx(tx).run(`INSERT INTO counter (name, day, value) VALUES ('documents', '', 1)`),
  )
  assert.equal((await seedSummary(database, [])).areAllEmpty, false, 'one of the others may have brought it')
  assert.equal((await seedSummary(database, [urls[3]])).areAllEmpty, true, 'the one that was named did not')
})
