import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fakeServices, recordedScreen } from './fake-services.test-data.ts'
import { run } from './main.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-policy-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function simulate(...words: string[]) {
  const screen = recordedScreen()
  const exit = await run(['simulate', ...words], screen, fakeServices())
  return { exit, out: screen.out, err: screen.err }
}

const INSTANCE = {
  horizon: 100,
  politeness: 10,
  capacity: 15,
  crawlers: [{ rate: 1 }, { rate: 0.5 }],
  servers: [{}, { rate: 1000 }],
  pages: [
    { server: 0, rate: 0.05, weight: 1 },
    { server: 0, rate: 0.05, weight: 1 },
    { server: 1, rate: 0.01, weight: 2, size: 3000 },
  ],
}

function instanceFile(instance: object): string {
  const path = join(folder, 'instance.json')
  writeFileSync(path, JSON.stringify(instance))
  return path
}

test('the JSON of an instance has the documented bounds and policies', async () => {
  const { exit, out } = await simulate(
    'policy',
    '--instance',
    instanceFile(INSTANCE),
    '--policy',
    'psp,index',
    '--json',
  )
  assert.equal(exit, 0)
  const { bounds, policies, ...rest } = JSON.parse(out)
  assert.deepEqual(rest, {})
  assert.deepEqual(Object.keys(bounds), ['wp', 'nonPolite', 'infCrawlers', 'kkt'])
  assert.deepEqual(Object.keys(policies), ['psp', 'index'])
  for (const name of ['psp', 'index'])
    assert.deepEqual(Object.keys(policies[name]), [
      'staleness',
      'age',
      'fetches',
      'dropped',
      'violations',
      'planSeconds',
      'runSeconds',
    ])
  // By hand: 5 updates each, at 100/6 apart.
  const fresh = (a: number) => (6 / a) * (1 - Math.exp(-a / 6))
  assert.ok(Math.abs(bounds.wp - (1 - (2 * fresh(5) + 2 * fresh(1)) / 4)) < 1e-12)
})

test('details are counts, planned and realised instants', async () => {
  const path = instanceFile(INSTANCE)
  const { out } = await simulate('policy', '--instance', path, '--policy', 'psp,round-robin', '--json', '--detail')
  const { psp, 'round-robin': online } = JSON.parse(out).policies
  assert.deepEqual(psp.counts, [5, 5, 5])
  assert.deepEqual(
    psp.planned[2],
    [1, 2, 3, 4, 5].map((i) => (i * 100) / 6),
  )
  assert.deepEqual(psp.realised[0].slice(0, 2), [100 / 11, 100 / 11 + 20])
  assert.equal(online.planned, undefined)
  assert.deepEqual(
    online.realised.map((looks: number[]) => looks.length),
    online.counts,
  )
  assert.match((await simulate('policy', '--instance', path, '--detail')).err, /works only with --json/)
})

test('flags define a scenario; the same seed gives the same numbers', async () => {
  const flags = ['policy', '--pages', '2e3', '--servers', '10', '--crawlers', '1', '--crawler-speed', '0.2/s', '--csv']
  const without = (text: string) => text.replace(/,[\d.e-]+,[\d.e-]+,,$/gm, '')
  const one = await simulate(...flags, '--seed', '7')
  assert.equal(one.exit, 0, one.err)
  assert.match(one.out, /^kind,name,at,staleness,/)
  assert.match(one.out, /^policy,m-wolf,,0\.\d+,,\d+/m)
  assert.equal(without(one.out), without((await simulate(...flags, '--seed', '7')).out))
  assert.notEqual(without(one.out), without((await simulate(...flags, '--seed', '8')).out))
})

test('days, drawn changes and statistics are printed as tables', async () => {
  const flags = ['policy', '--pages', '500', '--servers', '10', '--crawlers', '1', '--crawler-speed', '0.1/s']
  const { out, err } = await simulate(
    ...flags,
    '--policy',
    'index,psp',
    '--stationary',
    '3',
    '--learn',
    '--sample',
    '--every',
    '12h',
  )
  assert.equal(err, '')
  assert.match(out, /: KKT +drift +steady/)
  assert.match(out, /Staleness by day\n.*\n.*\n +1 +0\.\d+ +0\.\d+\n/)
  assert.match(out, /index, so far\n.*\n.*\n +12h/)
  assert.match((await simulate(...flags, '--learn')).err, /--stationary DAYS/)
  const mixed = await simulate(...flags, '--changes', 'mixture', '--policy', 'psp', '--json')
  assert.equal(JSON.parse(mixed.out).bounds.kkt, null)
})

test('many days as JSON say how far they are from the bound, and whether that is the long run', async () => {
  const flags = ['policy', '--pages', '500', '--servers', '10', '--crawlers', '1', '--crawler-speed', '0.1/s']
  const { out } = await simulate(...flags, '--policy', 'index', '--stationary', '3', '--json')
  const { days, ratio, drift, isSteady } = JSON.parse(out).policies.index
  assert.equal(days.length, 3)
  assert.ok(Math.abs((days[1].ratio + days[2].ratio) / 2 - ratio) < 1e-9)
  assert.ok(Math.abs(days[2].staleness / days[1].staleness - 1 - drift) < 1e-9)
  assert.equal(isSteady, Math.abs(drift) <= 0.002)
})

test('a learner begins with the prior that it is given, and a wrong one does little harm', async () => {
  const flags = ['policy', '--pages', '500', '--servers', '5', '--crawlers', '1', '--crawler-speed', '0.05/s']
  const learn = ['--rates', 'uniform:0.01:1/day', '--policy', 'index', '--stationary', '12', '--learn', '--json']
  const [usual, same, high] = await Promise.all(
    [[], ['--prior', '30d'], ['--prior', '5h']].map(async (prior) => {
      const { out } = await simulate(...flags, ...learn, ...prior)
      return JSON.parse(out).policies.index
    }),
  )
  assert.deepEqual(same.days, usual.days)
  assert.notDeepEqual(high.days, usual.days)
  assert.ok(high.ratio < 1.15, `ten times too high: ${high.ratio}`)
})

test('a scenario from a collection has its pages on its sites, with rates estimated from captures', async () => {
  const flags = ['--crawlers', '1', '--crawler-speed', '0.01/s', '--json', '--detail', '--policy', 'psp']
  const { out, err } = await simulate('policy', '--collection', folder, ...flags)
  const { counts } = JSON.parse(out || err).policies.psp
  assert.equal(counts.length, 3)
  assert.ok(counts[0] > counts[1] && counts[1] >= 1, 'the page that changed is looked at more often')
})

test('mistakes in flags and instances are named', async () => {
  const wrong = instanceFile({ ...INSTANCE, pages: [{ server: 5, rate: 1, weight: 1 }] })
  const { exit, err } = await simulate('policy', '--instance', wrong)
  assert.equal(exit, 2)
  assert.match(err, /instance\.json is not a valid instance: pages\[0\]\.server is 5; servers are 0 to 1/)
  assert.match((await simulate('policy', '--policy', 'psp,luck')).err, /'luck' is not one of psp, mp2/)
  assert.match((await simulate('policy', '--weights', 'equal:0')).err, /no page has a weight above 0 \(--weights\)/)
  assert.match((await simulate('policy', '--crawler-speed', '0/s')).err, /--crawler-speed should be a number above 0/)
  const often = ['--pages', '10', '--rates', 'equal:1e9/s', '--sample']
  assert.match((await simulate('policy', ...often)).err, /changes are too many to draw/)
  assert.match((await simulate('policy', '--rates', 'often')).err, /'often' is not a distribution; write equal:X/)
  assert.match((await simulate('policy', '--instance', join(folder, 'none.json'))).err, /none\.json/)
  assert.match((await simulate('policy', '--instance', 'x', '--collection', 'y')).err, /not both/)
  assert.match((await simulate('crawl', '--pages', '200000')).err, /too large for a synthetic web/)
})

test('figures are written as tables, CSV and charts, with the claims of the paper', async () => {
  const { exit, out } = await simulate('figures', '--pages', '20000', '--figure', 'weights,per-day', '--out', folder)
  assert.equal(exit, 0, out)
  assert.match(out, /2\. PSP is very near InfCrawlers: holds; at most 0\.0\d+ above it/)
  assert.match(out, /4\. M-Wolf is staler than PSP \(in the paper by 9\.5 % on average\): for the record/)
  for (const name of ['weights', 'per-day'])
    for (const kind of ['md', 'csv', 'svg']) assert.ok(existsSync(join(folder, `${name}.${kind}`)))
  assert.match(
    readFileSync(join(folder, 'per-day.csv'), 'utf8'),
    /^at,M-Wolf,MP2,PSP,InfCrawlers,WP,NonPolite\n"0",0\.0/,
  )
  const asked = await simulate('figures', '--pages', '2000', '--figure', 'weights', '--out', folder, '--json')
  assert.equal(JSON.parse(asked.out).figures[0].claims.length, 4)
})
