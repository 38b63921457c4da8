import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { virtualClock } from '../virtual-clock.ts'
import { testFetch, testResolve } from './fetch.ts'
import { askedAgainst } from './judges.ts'
import { RequestLedger } from './ledger-of-requests.ts'
import { naiveCrawl } from './naive-crawl.test-data.ts'
import { PLAIN } from './options.ts'
import { walk } from './walker.ts'
import { makeWeb, type TestWeb } from './web.ts'
import type { WireAnswer } from './wire.ts'

const DAY = 86_400_000

function ask(web: TestWeb, url: string): WireAnswer {
  const answer = web.answer({ url, at: web.plan.epoch, attempt: 9, headers: [] })
  assert.equal(answer.kind, 'answer', url)
  return answer as WireAnswer
}

const text = (web: TestWeb, url: string) => Buffer.from(ask(web, url).payload).toString('latin1')

async function addressOf(web: TestWeb, host: string, at = 0): Promise<string> {
  const clock = virtualClock(web.plan.epoch + at)
  const found = await clock.run(testResolve(web, clock)(host, new AbortController().signal))
  return found.kind === 'failed' ? found.failure.kind : found.list[0].ip
}

test('under a wildcard every name resolves, to the address of them all', async () => {
  const web = makeWeb({
    ...PLAIN,
    seed: 3,
    sites: 5,
    pagesPerSite: 5,
    wildcards: [
      { domain: 'blogs.test', kind: 'hosting', sites: 3, pages: 6 },
      { domain: 'wild', kind: 'registry', sites: 2, pages: 4 },
    ],
  })
  const [blog, , , registered] = web.wildcardHomes().map((home) => new URL(home).hostname)
  assert.equal(await addressOf(web, blog), await addressOf(web, 'qxzv-no-such-blog.blogs.test'))
  assert.equal(await addressOf(web, 'a.wild'), await addressOf(web, 'zz-9.wild'))
  assert.notEqual(await addressOf(web, registered), await addressOf(web, 'a.wild'))
  assert.equal(await addressOf(web, 'a.notwild'), 'no-such-name')
  assert.equal(await addressOf(web, 'blogs.test'), 'no-such-name')
  assert.equal(web.trapOf('http://a.wild/?q=shoes'), 'advertising')
  assert.equal(web.trapOf('http://qxzv.blogs.test/anything'), 'no-such-blog')
  assert.equal(web.trapOf(`http://${blog}/`), undefined)
  const right = walk(web, { seeds: web.wildcardHomes(), scope: { kind: 'host' }, links: 'deep' })
  assert.equal(right.documents.size, 3 * 6 + 2 * 4)
})

test('a farm of links has as many hosts as one asks for, all at one address, and nothing but traps', async () => {
  const options = {
    ...PLAIN,
    seed: 3,
    sites: 5,
    pagesPerSite: 5,
    hazardShare: 0.2,
    hazardShapes: ['link-farm'] as const,
  }
  const web = makeWeb({ ...options, hazardBound: 0 })
  const right = walk(web, { seeds: web.homes(), scope: { kind: 'tld', tld: 'test' }, links: 'combined', maxDepth: 5 })
  const hosts = new Set(
    [...right.asked].filter((url) => web.trapOf(url) === 'link-farm').map((url) => new URL(url).host),
  )
  assert.ok(hosts.size > 100, `${hosts.size}`)
  const addresses = await Promise.all([...hosts].slice(0, 20).map((host) => addressOf(web, host)))
  assert.equal(new Set(addresses).size, 1)
  const ideal = walk(web, { seeds: web.homes(), scope: { kind: 'tld', tld: 'test' }, links: 'combined', ideal: true })
  assert.equal(ideal.documents.size, 25)
  assert.equal([...ideal.asked].filter((url) => web.trapOf(url) !== undefined).length, 0)
})

test('mirrors have the same bytes where they say so, and what only looks so has not', () => {
  const web = makeWeb({
    seed: 6,
    sites: 40,
    pagesPerSite: 15,
    flakyShare: 0,
    mirrorShare: 0.5,
    falseMirrors: 3,
    mirrorsGoneShare: 0.4,
    mirrorsGoneAfterMs: 10 * DAY,
  })
  const kinds = new Map<string, number[]>()
  for (const { replica, original, kind, mirror } of web.mirrors()) {
    const site = web.siteOfHost(original)
    const copy = web.siteOfHost(replica)
    assert.ok(site !== undefined && copy !== undefined)
    const paths = mirror
      ? Array.from({ length: 15 }, (_, page) => web.urlOf(site.index, page).slice(site.origin.length))
      : ['/', '/readme.html', '/license.html', ...Array.from({ length: 8 }, (_, page) => `/page-${page + 1}.html`)]
    const same = paths.filter((path) => {
      const [one, other] = [ask(web, site.origin + path), ask(web, copy.origin + path)]
      return one.head.status === 200 && Buffer.compare(one.payload, other.payload) === 0
    })
    const there = paths.filter((path) => ask(web, site.origin + path).head.status === 200)
    kinds.set(kind, [...(kinds.get(kind) ?? []), same.length / there.length])
  }
  const mean = (kind: string) => (kinds.get(kind) ?? [Number.NaN]).reduce((sum, x, _, all) => sum + x / all.length, 0)
  assert.equal(mean('full'), 1)
  assert.equal(mean('www'), 1)
  assert.equal(mean('www-redirect'), 0)
  assert.ok(mean('partial') > 0.6 && mean('partial') < 0.95, `${mean('partial')}`)
  for (const kind of ['construction', 'defaults', 'parked']) assert.ok(mean(kind) > 0 && mean(kind) < 0.4, kind)
})

test('names of mirrors stop resolving when their time has come', async () => {
  const web = makeWeb({ seed: 6, sites: 40, mirrorShare: 0.5, mirrorsGoneShare: 0.5, mirrorsGoneAfterMs: DAY })
  const replicas = web.mirrors().map(({ replica }) => replica)
  const gone = async (at: number) => {
    const found = await Promise.all(replicas.map((host) => addressOf(web, host, at)))
    return found.filter((one) => one === 'no-such-name').length
  }
  assert.equal(await gone(DAY - 1), 0)
  const later = await gone(DAY)
  assert.ok(later > 2 && later < replicas.length - 2, `${later} of ${replicas.length}`)
})

test('walker and naive crawl agree on a web of mirrors and index files', async () => {
  const web = makeWeb({ seed: 6, sites: 20, pagesPerSite: 30, mirrorShare: 0.5, falseMirrors: 3, indexFileShare: 0.5 })
  const clock = virtualClock(web.plan.epoch)
  const ledger = new RequestLedger(clock)
  const seeds = [...web.homes(), ...web.mirrorHomes()]
  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'deep' })
  const tools = { web, open: testFetch(web, clock, ledger), resolve: testResolve(web, clock), token: 'orbweaver' }
  const found = await clock.run(naiveCrawl(tools, seeds))
  assert.deepEqual([...found.documents].sort(), [...right.documents].sort())
  assert.deepEqual(askedAgainst(ledger.entries, right, web), { extra: [], lacking: [] })
  const twice = [...right.documents].filter((url) => url.endsWith('/index.html'))
  assert.ok(twice.length > 5)
  for (const url of twice) {
    assert.equal(web.realOf(url), url.slice(0, -'index.html'.length))
    assert.equal(text(web, url), text(web, url.slice(0, -'index.html'.length)))
  }
})

test('sitemaps of every kind list pages that nothing else names', () => {
  const kinds = ['xml', 'index', 'gzip', 'text', 'rss', 'unnamed', 'loop', 'foreign', 'entities', 'broken'] as const
  const web = makeWeb({ seed: 5, sites: kinds.length, pagesPerSite: 12, sitemapShare: 1, sitemapKinds: kinds })
  const options = { seeds: web.homes(), scope: { kind: 'host' }, links: 'deep' } as const
  const linked = walk(web, options)
  const mapped = walk(web, { ...options, sitemaps: true })
  assert.ok([...linked.documents].every((url) => !url.includes('/archive/')))
  for (const site of web.allSites()) {
    const { files, listed } = web.sitemapOf(site)
    const robots = text(web, `${site.origin}/robots.txt`)
    const named = site.sitemap?.kind !== 'unnamed'
    assert.equal(robots.includes(`Sitemap: ${files[0]}`), named, robots.slice(0, 200))
    assert.equal([...robots.matchAll(/sitemap:/gi)].length, named ? 1 : 0)
    const content = files
      .map((file) => {
        const { payload } = ask(web, file)
        return (file.endsWith('.gz') ? gunzipSync(payload) : Buffer.from(payload)).toString()
      })
      .join('')
    const hidden = listed.filter((url) => url.includes('/archive/'))
    assert.equal(hidden.length, web.plan.hiddenPages)
    for (const url of hidden) {
      assert.ok(content.includes(url), `${site.sitemap?.kind}: ${url}`)
      assert.equal(ask(web, url).head.status, 200)
      assert.equal(mapped.documents.has(url), named)
    }
    assert.equal(
      files.every((file) => mapped.sitemapFiles.has(file)),
      named,
    )
  }
})

test('a sitemap without end is a trap', () => {
  const web = makeWeb({ seed: 5, sites: 2, pagesPerSite: 3, sitemapShare: 1, sitemapKinds: ['endless'] })
  const { origin } = web.site(0)
  assert.match(text(web, `${origin}/sitemap_index900.xml`), /sitemap_index901\.xml/)
  assert.equal(web.trapOf(`${origin}/sitemap_index900.xml`), 'endless-sitemap')
  assert.equal(web.trapOf(`${origin}/sitemap_index.xml`), undefined)
  assert.ok(text(web, `${origin}/sitemap-1.xml`).includes('/archive/'))
})
