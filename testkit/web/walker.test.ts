import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../virtual-clock.ts'
import { testFetch, testResolve } from './fetch.ts'
import { askedAgainst, forbiddenRequests } from './judges.ts'
import { RequestLedger } from './ledger-of-requests.ts'
import { naiveCrawl } from './naive-crawl.test-data.ts'
import { PLAIN, type WebOptions } from './options.ts'
import { walk } from './walker.ts'
import { makeWeb } from './web.ts'

async function compare(options: WebOptions) {
  const web = makeWeb(options)
  const clock = virtualClock(web.plan.epoch)
  const ledger = new RequestLedger(clock)
  const open = testFetch(web, clock, ledger)
  const tools = { web, open, resolve: testResolve(web, clock), token: 'orbweaver' }
  const right = walk(web, { seeds: web.homes(), scope: { kind: 'host' }, links: 'deep' })
  const found = await clock.run(naiveCrawl(tools, web.homes()))
  assert.deepEqual([...found.asked].sort(), [...right.asked].sort())
  const documents = [...right.documents].filter((url) => !right.doubtful.has(url))
  assert.deepEqual([...found.documents].sort(), documents.sort())
  assert.deepEqual(askedAgainst(ledger.entries, right, web), { extra: [], lacking: [] })
  assert.deepEqual(forbiddenRequests(ledger.entries, web, 'orbweaver'), [])
  return { web, right }
}

test('walker and naive crawl agree on a plain web, where every page is reached', async () => {
  const { right } = await compare({ ...PLAIN, seed: 11, sites: 8, pagesPerSite: 25 })
  assert.equal(right.documents.size, 200)
  assert.equal(right.asked.size, 200)
})

test('walker and naive crawl agree on a web with everything', async () => {
  const { right } = await compare({
    seed: 12,
    sites: 30,
    pages: 1500,
    theta: 0.7,
    secureShare: 0.2,
    hazardShare: 0.3,
    hazardShapes: ['calendar', 'session-ids', 'growing-path', 'permutations', 'soft-404', 'tarpit'],
    failingShare: 0.1,
    failingKinds: ['no-such-name', 'dns'],
  })
  assert.ok(right.documents.size > 900)
  assert.ok(right.unreachable.size > 0)
})

test("VN's Fig. 5: home page, deep and combined", () => {
  const page = (url: string, ...links: string[]) => ({
    url,
    html: links.map((to) => `<a href="${to}">x</a>`).join(''),
    links,
  })
  const web = makeWeb({
    seed: 1,
    sites: 0,
    planted: [
      page('http://a.test/', 'http://b.test/orphan.html', 'http://c.test/deep.html'),
      page('http://b.test/', 'http://b.test/linked.html'),
      page('http://b.test/linked.html'),
      page('http://b.test/orphan.html'),
      page('http://c.test/'),
      page('http://c.test/deep.html'),
    ],
  })
  const scope = { kind: 'tld', tld: 'test' } as const
  const of = (links: 'home-page' | 'deep' | 'combined', ...seeds: string[]) => walk(web, { seeds, scope, links })
  const [a, b] = ['http://a.test/', 'http://b.test/']
  assert.deepEqual([...of('home-page', a).documents].sort(), [a, b, 'http://b.test/linked.html', 'http://c.test/'])
  assert.deepEqual([...of('deep', a).documents].sort(), [a, 'http://b.test/orphan.html', 'http://c.test/deep.html'])
  assert.equal(of('combined', a).documents.size, 6)
  assert.equal(of('home-page', a, b).seedLinksDropped, 1)
})

test('the walker keeps to each kind of scope', () => {
  const web = makeWeb({ ...PLAIN, seed: 4, sites: 20, pagesPerSite: 30 })
  const seeds = ['http://www.f0.test/']
  const hosts = (kind: 'host' | 'domain' | 'page') =>
    [
      ...new Set([...walk(web, { seeds, scope: { kind }, links: 'combined' }).asked].map((url) => new URL(url).host)),
    ].sort()
  assert.deepEqual(hosts('host'), ['www.f0.test'])
  assert.deepEqual(hosts('domain'), ['blog.f0.test', 'f0.test', 'www.f0.test'])
  assert.equal(walk(web, { seeds, scope: { kind: 'page' }, links: 'deep' }).asked.size, 1)
  const prefix = walk(web, { seeds: ['http://s0.web.test/d1/'], scope: { kind: 'prefix' }, links: 'deep' }).asked
  assert.ok(prefix.size > 5 && [...prefix].every((url) => url.startsWith('http://s0.web.test/d1/')))
})
