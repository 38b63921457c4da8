import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { hash64 } from '../../base/digest.ts'
import { packLinks } from '../../contracts/adjacency.ts'
import type { PageReport } from '../../contracts/report.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { CounterSums, writeSums } from '../counters/counters.ts'
import { figures } from '../figures.ts'
import { indexLinks } from '../links/index-links.ts'
import { applyReports, fileReports } from '../sample-catalogue.test-data.ts'
import { characterise } from './characterise.ts'
import { hasSessionId } from './page-pass.ts'
import { roundUp, type ThresholdName } from './thresholds.ts'

async function collection(...sites: [string, PageReport[]][]): Promise<Database> {
  const database = openSqlite(':memory:')
  await applyReports(
    database,
    sites.map(([site, pages]) => sampleReport(site, 1, pages)),
  )
  return database
}

/** A page with links: paths of its own site, other sites as whole URLs, links out of scope with a `!`. */
function page(url: string, links: string[], changes: Partial<PageReport> = {}, content?: string): PageReport {
  const site = new URL(url).host
  const out = links.map((link) => {
    const whole = new URL(link.replace('!', ''), url)
    const outside = whole.host === site ? undefined : hash64(whole.host)
    return { key: hash64(whole.href), siteKey: outside, url: link.startsWith('!') ? whole.href : undefined }
  })
  return samplePage(url, { ...changes, links: packLinks(out) }, content)
}

test('the figures of a small web', async () => {
  const database = await collection(
    [
      'a.test',
      [
        page('http://a.test/', ['/x', '/y', 'http://b.test/', 'http://b.test/deep'], { depth: 0, language: 'pt-PT' }),
        page('http://a.test/x', ['/', '!http://far.test/', '!http://far.test/page'], {
          language: 'pt-br',
          tookMs: 900,
        }),
        page('http://a.test/y?PHPSESSID=1', [], { depth: 2, mediaType: 'text/plain', sniffed: 'text/html' }, 'same'),
        page('http://a.test/z', [], { depth: 3, mediaType: 'application/pdf', bytes: 100_000 }, 'same'),
        page('http://a.test/gone', [], { status: 404, outcome: { kind: 'gone', why: 'status-404' } }),
        page('http://a.test/no', [], { status: -9998, outcome: { kind: 'refused', by: 'robots', rule: '/no' } }),
      ],
    ],
    ['b.test', [page('http://b.test/', ['http://a.test/x', 'https://a.test/'], { depth: 0 }, 'same')]],
  )
  await database.transact((tx) => indexLinks(tx, 100))
  const web = await characterise(database)
  assert.deepEqual([web.sites, web.urls, web.documents], [2, 6, 5])
  assert.deepEqual([web.urlsPerSite.max, web.urlsPerSite.mean, web.documentsPerSite.max], [5, 3, 4])
  assert.deepEqual([web.depth.max, web.deepest.median, web.deepest.max], [3, 0, 3])
  assert.equal(web.urlLength.max, 'http://a.test/y?PHPSESSID=1'.length)
  assert.deepEqual(
    web.size.map(({ type, count, max }) => `${type} ${count} ${max}`),
    ['text/html 3 15', 'application/pdf 1 100000', 'text/plain 1 4'],
  )
  assert.deepEqual(web.languages, { '': 3, pt: 2 })
  assert.deepEqual(web.mistaken, { 'text/plain → text/html': 1 })
  assert.deepEqual(web.statuses, { '200': 5, '404': 1 })
  assert.deepEqual(web.links, {
    all: 9,
    internal: 3,
    external: 6,
    home: 3,
    deep: 3,
    unknown: 0,
    internalShare: 1 / 3,
    deepShare: 0.5,
  })
  assert.deepEqual([web.outLinks.count, web.outLinks.max], [3, 4])
  assert.deepEqual([web.inLinks.count, web.inLinks.max, web.behind], [8, 2, 0])
  assert.deepEqual([web.duplicates.documents, web.duplicates.share, web.duplicates.perSite.max], [2, 0.4, 1])
  assert.deepEqual(web.sessionIds, { urls: 1, share: 1 / 6, sites: 1 })
  assert.equal(web.took.max, 900)
  await database.close()
})

test('each threshold counts what it would have stopped', async () => {
  const many = Array.from({ length: 30 }, (_, i) =>
    page(
      `http://big.test/${i}`,
      [],
      { depth: i < 28 ? 1 : 7, tookMs: i === 5 ? 61_000 : 10 },
      i < 15 ? `${i}` : 'error',
    ),
  )
  many[3] = page(`http://big.test/${'long'.repeat(50)}`, [], { bytes: 3_000_000 })
  many[29] = page('http://big.test/29', [], { depth: 7, status: 404, outcome: { kind: 'gone', why: 'status-404' } })
  const small = Array.from({ length: 99 }, (_, i): [string, PageReport[]] => [
    `s${i}.test`,
    [page(`http://s${i}.test/`, [], { depth: 0 }), page(`http://s${i}.test/a`, [], {})],
  ])
  const database = await collection(['big.test', many], ...small)
  const { thresholds } = await characterise(database)
  const stops = (name: ThresholdName, from: 'here' | 'vn') => {
    const found = thresholds.find((threshold) => threshold.name === name && threshold.from === from)!
    const { sites, urls, documents } = found.stops
    return `${found.limit}: ${sites} ${urls} ${documents}`
  }
  // 1 % of 100 sites may be stopped: the limit is what the other 99 have.
  assert.equal(stops('urls-per-site', 'here'), '2: 1 28 27')
  assert.equal(stops('urls-per-site', 'vn'), '5000: 0 0 0')
  assert.equal(stops('depth', 'here'), '1: 1 2 1')
  assert.equal(stops('depth', 'vn'), '5: 1 2 1')
  // The first of the 14 equal pages is no duplicate; the 11th duplicate is the 27th page.
  assert.equal(stops('duplicates-per-site', 'vn'), '10: 1 3 2')
  assert.equal(stops('duplicates-per-site', 'here'), '0: 1 13 12')
  assert.equal(stops('url-length', 'vn'), '200: 1 1 1')
  assert.equal(stops('time', 'vn'), '60000: 1 1 1')
  assert.equal(stops('size', 'vn'), '2000000: 1 1 1')
  const html = thresholds.find(({ type }) => type === 'text/html')
  assert.deepEqual([html?.limit, html?.stops], [3_000_000, { sites: 0, urls: 0, documents: 0 }])
  await database.close()
})

test('an empty collection has an answer', async () => {
  const web = await characterise(openSqlite(':memory:'))
  assert.equal(web.urls, 0)
  assert.ok(web.thresholds.every(({ stops }) => stops.urls === 0))
})

test('more pages than are read at once are all read', async () => {
  const pages = Array.from({ length: 1203 }, (_, i) => page(`http://a.test/${i}`, ['/'], {}))
  const web = await characterise(await collection(['a.test', pages]))
  assert.deepEqual([web.urls, web.links.internal], [1203, 1203])
})

test('limits are round numbers, never smaller', () => {
  assert.deepEqual([0, 3, 10, 11, 16, 99, 100, 4321, 60_001].map(roundUp), [0, 3, 10, 15, 20, 100, 100, 5000, 75_000])
})

test('session ids in queries and paths', () => {
  for (const url of [
    'http://a.test/?PHPSESSID=abc',
    'http://a.test/x;jsessionid=1A2B?y=1',
    'http://a.test/(S(lit3py55t21z5v55vlm25s55))/x.aspx',
    'http://a.test/?a=1&sid=0123456789abcdef0123456789abcdef',
    'http://a.test/?cfid=1&cftoken=2',
  ])
    assert.ok(hasSessionId(url), url)
  for (const url of [
    'http://a.test',
    'http://a.test/',
    'http://a.test/?sid=7',
    'http://a.test/a=b/',
    'http://a.test/?cfid=1',
  ])
    assert.ok(!hasSessionId(url), url)
})

test('Table 7: sites by findings, URLs by counters, truncated answers', async () => {
  const cut = page('http://a.test/big', [], { annotations: ['lenTrunc'] })
  const database = await collection(['a.test', [cut]], ['b.test', [page('http://b.test/', [])]])
  await database.transact(async (tx) => {
    const found = (site: string, ...rules: string[]) =>
      sampleReport(site, 2, [], { findings: rules.map((rule) => ({ rule, evidence: 'x', at: NOON })) })
    const ofA = found('a.test', 'site-urls>=5000', 'maze', 'maze')
    await fileReports(tx, [ofA, found('b.test', 'site-urls>=5000', 'site-urls>=100')])
    const sums = new CounterSums()
    sums.add(
      'a.test',
      new Map([
        ['stopped:maze', 40],
        ['stopped:site-urls', 7],
        ['stopped:hollow', 1],
      ]),
      NOON,
    )
    await writeSums(tx, 0, sums)
  })
  const { stopped } = await database.read((tx) => figures(tx, { seen: 2, waiting: 0 }))
  assert.deepEqual(stopped, [
    { rule: 'site-urls', limits: ['site-urls>=100', 'site-urls>=5000'], sites: 2, urls: 7, withdrawn: 0 },
    { rule: 'maze', limits: [], sites: 1, urls: 40, withdrawn: 0 },
    { rule: 'size', limits: [], sites: 1, urls: 1, withdrawn: 0 },
    { rule: 'hollow', limits: [], sites: 0, urls: 1, withdrawn: 0 },
  ])
  await database.close()
})
