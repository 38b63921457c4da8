import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { demoWeb } from './demo-web.ts'
import { readHtml } from './naive-crawl.test-data.ts'
import { PLAIN } from './options.ts'
import { canonicalUrl } from './spelling.ts'
import { walk } from './walker.ts'
import { makeWeb, type TestWeb } from './web.ts'
import type { WireAnswer } from './wire.ts'

const ACCEPT: [string, string][] = [['Accept-Encoding', 'gzip, deflate, br, zstd']]
const FOLLOWED = new Set([
  'a',
  'area',
  'frame',
  'iframe',
  'form',
  'canonical',
  'alternate',
  'next',
  'prev',
  'refresh',
  'archive',
])

function ask(web: TestWeb, url: string, at = web.plan.epoch, attempt = 9): WireAnswer {
  const answer = web.answer({ url, at, attempt, headers: ACCEPT })
  assert.equal(answer.kind, 'answer', url)
  return answer as WireAnswer
}

test('the same question has the same answer, in another web object and in another order', () => {
  const options = { seed: 7, sites: 12, pagesPerSite: 30, hazardShare: 0.3 }
  const first = makeWeb(options)
  const second = makeWeb(options, 1e6)
  const urls = Array.from({ length: 12 * 30 }, (_, i) => first.urlOf(i % 12, Math.floor(i / 12)))
  const bytes = urls.map((url) => Buffer.from(ask(first, url, 1.8e12).wireBody))
  for (let i = urls.length - 1; i >= 0; i--) {
    assert.deepEqual(Buffer.from(ask(second, urls[i], 1.8e12).wireBody), bytes[i], urls[i])
    assert.deepEqual(Buffer.from(ask(second, urls[i], 1.8e12).wireBody), bytes[i], 'from the cache')
  }
  assert.notDeepEqual(
    ask(makeWeb({ ...options, seed: 8 }), first.urlOf(0, 0)).payload,
    ask(first, first.urlOf(0, 0)).payload,
  )
})

test('a URL has one spelling', () => {
  for (const url of ['HTTP://a.test/x', 'http://A.test:80/x', 'Http://a.test/%78#y'])
    assert.equal(canonicalUrl(url), 'http://a.test/x')
  for (const url of ['HTTPS://a.test', 'https://a.test:443/']) assert.equal(canonicalUrl(url), 'https://a.test/')
})

test('every page is found again under its name, and under no other', () => {
  const web = makeWeb({ seed: 3, sites: 400, pages: 60_000 })
  fc.assert(
    fc.property(fc.nat(399), fc.nat(10_000), (index, number) => {
      const site = web.site(index)
      const url = web.urlOf(index, number % site.pages)
      assert.equal(new URL(url).href, url)
      assert.equal(canonicalUrl(url), url)
      assert.equal(web.define(url)?.url, url)
      assert.equal(web.siteOf(url)?.index, index)
      assert.equal(web.define(url.replace(/(\d+)(\D*)$/, '9$1$2') + 'x'), undefined)
    }),
    { numRuns: 500 },
  )
})

test('what a page says in bytes is what its definition says', () => {
  const web = makeWeb({ seed: 5, sites: 40, pagesPerSite: 60, oddHtmlShare: 0.6, oddNameShare: 0.25, hazardShare: 0.1 })
  const kinds = new Set<string>()
  for (let index = 0; index < 40; index++) {
    for (let number = 0; number < 60; number++) {
      const url = web.urlOf(index, number)
      const page = web.define(url)
      assert.ok(page)
      kinds.add(page.kind)
      if (page.content === undefined) continue
      const answer = ask(web, url)
      const read = readHtml(answer.payload, answer.head.headers, url)
      const right = page.content.links
        .filter((link) => FOLLOWED.has(link.tag) && !link.nofollow)
        .map((link) => link.target)
      assert.deepEqual([...new Set(read.links)].sort(), [...new Set(right)].sort(), url)
      assert.equal(read.noindex, page.header.noindex || page.content.meta.noindex, url)
      assert.equal(read.nofollow, page.header.nofollow || page.content.meta.nofollow, url)
    }
  }
  const all = ['page', 'frameset', 'duplicate', 'redirect', 'missing', 'text', 'pdf', 'xhtml', 'image', 'json']
  for (const kind of all) assert.ok(kinds.has(kind), kind)
})

test('duplicates are the same bytes under another URL', () => {
  const web = makeWeb({ seed: 5, sites: 5, pagesPerSite: 200, duplicateShare: 0.2 })
  const byBytes = new Map<string, number>()
  for (let index = 0; index < 5; index++) {
    for (let number = 0; number < 200; number++) {
      const page = web.define(web.urlOf(index, number))
      if (page?.content === undefined) continue
      const key = Buffer.from(ask(makeWeb({ ...web.plan, codings: false }), page.url).payload).toString('latin1')
      byBytes.set(key, (byBytes.get(key) ?? 0) + 1)
    }
  }
  const twins = [...byBytes.values()].filter((count) => count > 1).length
  assert.ok(twins > 30, `${twins} contents under several URLs`)
})

test('a page that is unwell at first gets better', () => {
  const web = makeWeb({
    seed: 2,
    sites: 3,
    pagesPerSite: 300,
    flakyShare: 0.2,
    flakyKinds: ['503-seconds', '503-date', '429', '500'],
  })
  const seen = new Set<string>()
  for (let number = 0; number < 300; number++) {
    const page = web.define(web.urlOf(0, number))
    if (page?.flaky === undefined) continue
    const first = ask(web, page.url, web.plan.epoch, 1)
    seen.add(`${first.head.status} ${first.head.headers.find(([name]) => name === 'Retry-After')?.[1]}`)
    assert.equal(ask(web, page.url, web.plan.epoch, page.flaky.times + 1).head.status, page.status)
  }
  assert.ok(seen.has('503 1') && seen.has('429 1') && seen.has('500 undefined') && seen.size === 4, [...seen].join())
})

test('an unchanged page is 304 to whoever knows its version', () => {
  const web = makeWeb({ seed: 2, sites: 10, pagesPerSite: 5, changesPerDay: 20 })
  const site = web.allSites().find((one) => one.conditional && !one.movedHome)
  assert.ok(site)
  const url = `${site.origin}/`
  const at = web.plan.epoch + 40 * 86_400_000
  const etag = ask(web, url, at).head.headers.find(([name]) => name === 'ETag')?.[1] ?? ''
  const again = (later: number) =>
    web.answer({ url, at: at + later, attempt: 1, headers: [['If-None-Match', etag]] }) as WireAnswer
  assert.equal(again(0).head.status, 304)
  assert.equal(again(0).wireBody.length, 0)
  assert.equal(again(30 * 86_400_000).head.status, 200)
})

test('rates spread evenly by their logarithm, and a page is new exactly when the truth says that it changed', () => {
  const web = makeWeb({ seed: 3, sites: 40, pagesPerSite: 25, ...PLAIN, changesPerDay: 4, leastChangesPerDay: 1 / 30 })
  const rates = web.allSites().flatMap(({ index, pages }) =>
    Array.from({ length: pages }, (_, page) => {
      const content = web.define(web.urlOf(index, page))?.content
      assert.ok(content)
      return web.rateOf(content)
    }),
  )
  assert.ok(Math.min(...rates) >= 1 / 30 && Math.max(...rates) <= 4)
  // The median of a log-uniform draw is the geometric mean of its ends.
  const middle = Math.sqrt(4 / 30)
  const below = rates.filter((rate) => rate < middle).length / rates.length
  assert.ok(Math.abs(below - 0.5) < 0.05, `${below} below ${middle}`)
  const url = web.urlOf(1, 2)
  const bodyAt = (at: number) => ask(web, url, at).payload.toString()
  for (let day = 1; day < 60; day++) {
    const [from, to] = [day - 1, day].map((nth) => web.plan.epoch + nth * 86_400_000)
    assert.equal(bodyAt(from) !== bodyAt(to), web.changesOf(url, from, to).length > 0, `day ${day}`)
  }
})

test('planted pages, on sites of the web and on sites of their own', () => {
  const killer = '<p>'.repeat(1000)
  const web = makeWeb({
    seed: 1,
    sites: 2,
    planted: [
      { url: 'http://s1.web.test/killer.html', html: killer, fromHome: true },
      { url: 'http://a.test/', html: '<a href="/x">', links: ['http://a.test/x'] },
      { url: 'http://a.test/x', base64: 'aGk=', contentType: 'text/plain' },
    ],
  })
  assert.equal(Buffer.from(ask(web, 'http://s1.web.test/killer.html').payload).toString(), killer)
  assert.ok(
    web.define('http://s1.web.test/')?.content?.links.some((link) => link.target === 'http://s1.web.test/killer.html'),
  )
  assert.equal(Buffer.from(ask(web, 'http://a.test/x').payload).toString(), 'hi')
  assert.equal(ask(web, 'http://a.test/robots.txt').head.status, 404)
  assert.equal(ask(web, 'http://a.test/none').head.status, 404)
  const right = walk(web, { seeds: ['http://a.test/'], scope: { kind: 'host' }, links: 'deep' })
  assert.deepEqual([...right.documents], ['http://a.test/', 'http://a.test/x'])
})

test('the web of the demonstration is large enough, varied, and every hazard in it ends', () => {
  const web = makeWeb(demoWeb())
  const right = walk(web, { seeds: web.homes(), scope: { kind: 'host' }, links: 'combined' })
  assert.ok(web.siteCount >= 20)
  assert.ok(right.documents.size >= 1000 && right.documents.size < 2000, `${right.documents.size}`)
  assert.ok(web.hazardSites.length >= 4)
  assert.ok(web.failingSites.length >= 3)
  assert.deepEqual(new Set(web.mirrors().map(({ kind }) => kind)), new Set(['full', 'www', 'partial', 'www-redirect']))
  assert.ok(web.allSites().some(({ hazard }) => hazard === 'session-ids'))
  for (const kind of ['moved', 'missing', 'noindex', 'declined', 'forbidden', 'doubtful'] as const)
    assert.ok(right[kind].size > 0, kind)
})
