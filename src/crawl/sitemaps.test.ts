import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { freshMemory } from '../contracts/site-memory.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import { type Script, Scripted, type ScriptedAnswer, type Visited } from './scripted.test-data.ts'
import { isSitemap, MAX_FEEDS, MAX_SITEMAP_BYTES, MAX_SITEMAPS } from './sitemaps.ts'

const HOME = 'http://a.test/'
const ROBOTS = 'http://a.test/robots.txt'
const MAP = 'http://a.test/map.xml'
const XML = [['Content-Type', 'application/xml']] as const
const TEXT = [['Content-Type', 'text/plain']] as const

const robots = (...lines: string[]): ScriptedAnswer => ({
  body: ['User-agent: *', 'Disallow: /no/', ...lines].join('\n'),
  headers: TEXT,
})
const urlset = (...urls: string[]): ScriptedAnswer => ({
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
  headers: XML,
})
const index = (...urls: string[]): ScriptedAnswer => ({
  body: `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`,
  headers: XML,
})
const page = (text: string): ScriptedAnswer => ({ body: `<p>${text}` })

async function crawl(script: Script, tools: ConstructorParameters<typeof Scripted>[1] = {}, visit = {}) {
  const web = new Scripted({ [HOME]: page('home'), [ROBOTS]: robots(`Sitemap: ${MAP}`), ...script }, tools)
  const visited = await web.visit({ agenda: [HOME], visit })
  return { web, visited, asked: web.pagesAsked }
}

const pageOf = ({ pages }: Visited, url: string) => pages.find((told) => told.url === url)
const foundIn = ({ parts }: Visited) => parts.flatMap(({ found }) => found)

test('the sitemap that robots.txt names is fetched in the visit, read and archived, and not a document', async () => {
  const body = `<urlset><url><loc>http://a.test/1</loc><lastmod>2024-02-29</lastmod></url>
    <url><loc>http://a.test/2?x=1&amp;y=2</loc></url><url><loc>/3</loc></url></urlset>`
  const { web, visited, asked } = await crawl({ [MAP]: { body, headers: XML }, 'http://a.test/1': page('one') })
  assert.deepEqual(asked, ['a.test/', 'a.test/map.xml', 'a.test/1', 'a.test/2?x=1&y=2', 'a.test/3'])
  const told = pageOf(visited, MAP)!
  assert.deepEqual(told.outcome, { kind: 'read', as: 'sitemap', urls: 3 })
  assert.deepEqual([told.path, told.depth, told.via, told.annotations], ['PM', 0, ROBOTS, ['urlset']])
  assert.ok(web.kept.some(({ url }) => url === MAP))
  assert.equal(visited.counts.get('sitemaps'), 1)
  assert.equal(visited.counts.get('documents'), 2)
  const one = pageOf(visited, 'http://a.test/1')!
  assert.deepEqual([one.path, one.depth, one.via], ['PML', 1, MAP])
  assert.deepEqual(visited.parts.at(-1)!.memory.sitemaps, {
    asked: 1,
    urls: 3,
    bytes: body.length,
    tested: 1,
    news: 1,
    copies: 0,
  })
})

test('it is durable with the robots.txt that names it: what a visit does not reach is in the queue', async () => {
  const { visited } = await crawl({ [MAP]: urlset('http://a.test/1') }, {}, { limits: { pages: 1, time: 1e9 } })
  assert.equal(visited.why, 'slice')
  const [first] = visited.parts
  assert.equal(first.memory.robots.http?.state, 'rules')
  assert.deepEqual(
    first.found.map(({ url, path, depth }) => [url, path, depth]),
    [[MAP, 'PM', 0]],
  )
})

test('a later visit takes it from its agenda; a sitemap is not fetched again with each robots.txt', async () => {
  const first = await crawl({ [MAP]: urlset('http://a.test/1') })
  const { memory } = first.visited.parts.at(-1)!
  await first.web.clock.run(first.web.clock.sleep(25 * 3_600_000))
  const before = first.web.asked.length
  const known = BigUint64Array.from(first.visited.pages.map(({ key }) => key))
  await first.web.visit({ agenda: [HOME], visit: { memory, known } })
  assert.deepEqual(
    first.web.asked.slice(before, before + 2).map(({ url }) => url),
    [ROBOTS, HOME],
  )
  assert.equal(first.web.asked.filter(({ url }) => url === MAP).length, 1)
  const later = new Scripted({ [MAP]: urlset('http://a.test/1'), 'http://a.test/1': page('1') })
  await later.visit({ agenda: [{ url: MAP, path: 'PM' }] })
  assert.deepEqual(later.pagesAsked, ['a.test/map.xml', 'a.test/1'])
})

test('listed URLs carry their last change, also when they are known', async () => {
  const body = `<urlset><url><loc>${HOME}</loc><lastmod>2025-06-01</lastmod></url>
    <url><loc>http://a.test/1</loc><lastmod>2025-07-01T12:00:00Z</lastmod></url></urlset>`
  const { visited } = await crawl({ [MAP]: { body, headers: XML } }, {}, { limits: { pages: 2, time: 1e9 } })
  const hints = new Map(foundIn(visited).map(({ url, lastmod }) => [url, lastmod]))
  assert.equal(hints.get(HOME), Date.UTC(2025, 5, 1))
  assert.equal(hints.get('http://a.test/1'), Date.UTC(2025, 6, 1, 12))
})

test('gzip with or without a header, in the body or around it', async () => {
  const { body } = urlset('http://a.test/1')
  const zipped = gzipSync(body as string)
  for (const answer of [
    { body: zipped, headers: [['Content-Type', 'application/x-gzip']] },
    { body: zipped, headers: [['Content-Type', 'application/octet-stream']] },
    { body: zipped, headers: [...XML, ['Content-Encoding', 'gzip']] },
    { body: gzipSync(zipped), headers: [...XML, ['Content-Encoding', 'gzip']] },
  ] as ScriptedAnswer[]) {
    const { asked } = await crawl({ [MAP]: answer })
    assert.deepEqual(asked.slice(1), ['a.test/map.xml', 'a.test/1'])
  }
})

test('an index leads to its sitemaps, three levels and no more, on its own site', async () => {
  const { visited, asked } = await crawl({
    [MAP]: index('http://a.test/i2.xml', 'http://a.test/u.xml', 'http://b.test/u.xml'),
    'http://a.test/u.xml': urlset('http://a.test/1'),
    'http://a.test/i2.xml': index('http://a.test/i3.xml'),
    'http://a.test/i3.xml': index('http://a.test/i4.xml'),
    'http://a.test/i4.xml': index('http://a.test/u5.xml'),
  })
  assert.deepEqual(asked.slice(1), ['a.test/map.xml', 'a.test/i2.xml', 'a.test/u.xml', 'a.test/i3.xml', 'a.test/1'])
  assert.equal(pageOf(visited, 'http://a.test/i3.xml')!.path, 'PMMM')
  assert.deepEqual(
    visited.parts.flatMap(({ crossSite }) => crossSite),
    [],
  )
})

test('bounds: sitemaps of a site, URLs of a site; the slice takes what fits, the queue the rest', async () => {
  const many = Array.from({ length: MAX_SITEMAPS + 50 }, (_, i) => `http://a.test/s${i}.xml`)
  const small = { limits: { pages: 5, time: 1e9 } }
  const indexed = await crawl({ [MAP]: index(...many) }, {}, small)
  const told = [...foundIn(indexed.visited), ...indexed.visited.pages].filter(isSitemap)
  assert.equal(new Set(told.map(({ key }) => key)).size, MAX_SITEMAPS)
  assert.equal(indexed.visited.parts.at(-1)!.memory.sitemaps?.asked, MAX_SITEMAPS)
  const urls = Array.from({ length: 5000 }, (_, i) => `http://a.test/p${i}`)
  const listed = await crawl({ [MAP]: urlset(...urls) }, {}, small)
  assert.equal(listed.asked.length, 5)
  const all = [...foundIn(listed.visited), ...listed.visited.pages].map(({ url }) => url)
  assert.equal(new Set(all).size, 5000 + 2, 'with the home page and the sitemap')
  const full = { robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0, sitemaps: { asked: 3, urls: 999_999 } }
  const last = await crawl({ [MAP]: urlset(...urls) }, {}, { memory: full })
  assert.deepEqual(last.asked.slice(2), ['a.test/p0'])
})

test('what is left out is noted on its line, and remembered for the site', async () => {
  const many = Array.from({ length: 103 }, (_, i) => `Sitemap: ${i === 0 ? MAP : `http://c.test/${i}.xml`}`)
  const [two, three, four] = [2, 3, 4].map((level) => `http://a.test/level-${level}.xml`)
  const { visited } = await crawl({
    [ROBOTS]: robots(...many),
    [MAP]: index(two, 'http://b.test/other.xml'),
    [two]: index(three),
    [three]: index(four, `${four}?again`, two),
  })
  const notes = (url: string) => pageOf(visited, url)?.annotations
  const errands = visited.parts.flatMap(({ pages }) => pages).filter(({ url }) => url === ROBOTS)
  assert.deepEqual(errands[0].annotations, ['most-sitemap-lines:3'])
  assert.deepEqual(notes(MAP), ['index', 'foreign-sitemaps:1'])
  assert.deepEqual(notes(two), ['index'])
  assert.deepEqual(notes(three), ['index', 'nested-too-deep:2'])
  const listed = urlset('http://a.test/1', 'http://b.test/1', 'http://www.a.test/2')
  const torn = { ...listed, body: String(listed.body).replace('</urlset>', '') }
  const sitemaps = { asked: MAX_SITEMAPS, urls: 1_000_000 }
  const memory = {
    ...visited.parts.at(-1)!.memory,
    sitemaps: { ...visited.parts.at(-1)!.memory.sitemaps, ...sitemaps },
  }
  const later = await new Scripted({ [MAP]: torn, [two]: index(four) }).visit({
    agenda: [MAP, two].map((url) => ({ url, path: 'PM' })),
    visit: { memory },
  })
  assert.deepEqual(pageOf(later, MAP)?.annotations, ['urlset', 'torn', 'most-urls:1', 'foreign:2'])
  assert.deepEqual(pageOf(later, two)?.annotations, ['index', 'most-sitemaps:1'])
  assert.deepEqual(later.parts.at(-1)!.memory.sitemaps?.left, {
    'most-sitemap-lines': 3,
    'foreign-sitemaps': 1,
    'nested-too-deep': 2,
    'most-urls': 1,
    foreign: 2,
    'most-sitemaps': 1,
  })
})

test('robots.txt, exclusions and blacklists hold for sitemaps too; scope and media types do not', async () => {
  const no = 'http://a.test/no/map.xml'
  const refused = await crawl({ [ROBOTS]: robots(`Sitemap: ${no}`, 'Sitemap: http://a.test/excluded.xml') })
  assert.deepEqual(refused.asked, ['a.test/'])
  assert.deepEqual(pageOf(refused.visited, no)!.outcome, { kind: 'refused', by: 'robots', rule: 'Disallow: /no/' })
  const { visited } = await crawl({
    [MAP]: urlset('http://a.test/no/1', 'http://a.test/excluded', 'http://a.test/i.png'),
  })
  assert.deepEqual(
    visited.pages.map(({ url, outcome }) => [url, outcome.kind]),
    [
      [HOME, 'kept'],
      [MAP, 'read'],
      ['http://a.test/no/1', 'refused'],
    ],
  )
  assert.equal(visited.counts.get('unwanted:image'), 1)
})

test('other hosts: only the one whose robots.txt names the sitemap', async () => {
  const { visited, asked } = await crawl({ [MAP]: urlset('http://b.test/1', 'http://a.test/2', 'https://a.test/3') })
  assert.deepEqual(asked.slice(2), ['a.test/2', 'a.test/3'])
  assert.deepEqual(
    visited.parts.flatMap(({ crossSite }) => crossSite),
    [],
  )
  assert.deepEqual(pageOf(visited, MAP)!.outcome, { kind: 'read', as: 'sitemap', urls: 2 })

  const away = await crawl({ [ROBOTS]: robots('Sitemap: http://cdn.test/map.xml', 'Sitemap: http://x.example/m.xml') })
  const [link, ...others] = away.visited.parts.flatMap(({ crossSite }) => crossSite)
  assert.deepEqual(others, [], 'what is neither ours nor of the same owner is left alone')
  assert.deepEqual([link.url, link.site, link.path, link.via], ['http://cdn.test/map.xml', 'cdn.test', 'PM', HOME])
  const there = new Scripted({ 'http://cdn.test/map.xml': urlset('http://a.test/1', 'http://c.test/2', '/3') })
  const visit = await there.visit({ agenda: [{ url: link.url, path: link.path, via: link.via }] })
  assert.deepEqual(
    visit.parts.flatMap(({ crossSite }) => crossSite.map(({ url, path, depth }) => [url, path, depth])),
    [['http://a.test/1', 'PML', 1]],
  )
  assert.deepEqual(there.pagesAsked, ['cdn.test/map.xml', 'cdn.test/3'])
})

test("a site that only hosts another's sitemap is not asked for its own", async () => {
  const script = (host: string): Script => ({
    [`http://${host}/robots.txt`]: robots(`Sitemap: http://${host}/own.xml`),
    [`http://${host}/map.xml`]: index(`http://${host}/more.xml`),
    [`http://${host}/more.xml`]: urlset('http://a.test/1', `http://${host}/2`),
    [`http://${host}/own.xml`]: urlset(`http://${host}/3`),
  })
  const visit = async (host: string) => {
    const web = new Scripted(script(host))
    await web.visit({ agenda: [{ url: `http://${host}/map.xml`, path: 'PM', via: HOME }] })
    return web.pagesAsked.map((url) => url.slice(host.length))
  }
  assert.deepEqual(await visit('cdn.example'), ['/map.xml', '/more.xml'])
  assert.deepEqual(await visit('cdn.test'), ['/map.xml', '/own.xml', '/more.xml', '/3', '/2'], 'it is in the scope')
})

test('a moved sitemap is a sitemap at its target; a failing one is tried as the table says', async () => {
  const moved = await crawl({
    [MAP]: { status: 301, headers: [['Location', '/new.xml']] },
    'http://a.test/new.xml': urlset('http://a.test/1'),
  })
  assert.deepEqual(moved.asked.slice(1), ['a.test/map.xml', 'a.test/new.xml', 'a.test/1'])
  assert.equal(pageOf(moved.visited, 'http://a.test/new.xml')!.path, 'PRM')
  const round = await crawl({ [MAP]: { status: 302, headers: [['Location', MAP]] } })
  assert.deepEqual(round.asked, ['a.test/', 'a.test/map.xml'])
  const missing = await crawl({ [MAP]: { status: 404 } })
  assert.deepEqual(pageOf(missing.visited, MAP)!.outcome, { kind: 'gone', why: 'status-404' })
  const failing = await crawl({ [MAP]: { status: 500 } })
  assert.equal(pageOf(failing.visited, MAP)!.outcome.kind, 'later')
  const torn = await crawl({ [MAP]: { ...urlset('http://a.test/1'), cut: 'disconnect' } })
  assert.equal(pageOf(torn.visited, MAP)!.outcome.kind, 'later')
})

/** Pages are wanted at depth 0 only. */
const shallow = () => {
  const { scope } = new Scripted({})
  return { ...scope, judge: (url: WebUrl, depth: number) => scope.judge(url, depth * 100) }
}

test('a sitemap that is a web page is visited as one; anything else is refused', async () => {
  const html = await crawl({ [MAP]: page('all our pages <a href="/x">x</a>'), 'http://a.test/x': page('x') })
  assert.deepEqual(html.asked, ['a.test/', 'a.test/map.xml', 'a.test/x'], 'each once')
  const told = pageOf(html.visited, MAP)!
  assert.deepEqual([told.outcome.kind, told.path, told.depth], ['kept', 'PL', 1])
  assert.equal(html.visited.counts.get('requests'), 4)
  assert.equal(html.web.kept.filter(({ url }) => url === MAP).length, 1)
  const deep = await crawl(
    { [MAP]: page('as deep as the sitemap is'), 'http://a.test/x': page('x') },
    { scope: shallow },
  )
  assert.deepEqual(pageOf(deep.visited, MAP)!.outcome, { kind: 'refused', by: 'unwanted', rule: 'no sitemap' })
  const json = await crawl({ [MAP]: { body: '{}', headers: [['Content-Type', 'application/json']] } })
  assert.deepEqual(pageOf(json.visited, MAP)!.outcome, { kind: 'refused', by: 'unwanted', rule: 'no sitemap' })
})

test('noindex on a sitemap: read, and not kept; nofollow: nothing of it is followed', async () => {
  const said = (tag: string) => ({ ...urlset('http://a.test/1'), headers: [...XML, ['X-Robots-Tag', tag] as const] })
  const noindex = await crawl({ [MAP]: said('noindex, follow') })
  assert.deepEqual(noindex.asked.slice(1), ['a.test/map.xml', 'a.test/1'])
  assert.ok(noindex.web.kept.every(({ url }) => url !== MAP))
  const nofollow = await crawl({ [MAP]: said('nofollow') })
  assert.deepEqual(nofollow.asked.slice(1), ['a.test/map.xml'])
})

test('--sitemaps: none, those of robots.txt, or the usual place where it names none', async () => {
  const script: Script = {
    [MAP]: urlset('http://a.test/1'),
    'http://a.test/sitemap.xml': urlset('http://a.test/2'),
  }
  assert.deepEqual((await crawl(script, { sitemaps: 'no' })).asked, ['a.test/'])
  const usual = await crawl(script, { sitemaps: 'usual' })
  assert.deepEqual(usual.asked.slice(1), ['a.test/map.xml', 'a.test/1'])
  const silent = await crawl({ ...script, [ROBOTS]: robots() }, { sitemaps: 'usual' })
  assert.deepEqual(silent.asked.slice(1), ['a.test/sitemap.xml', 'a.test/2'])
  const waiting = new Scripted(script, { sitemaps: 'no' })
  const { pages } = await waiting.visit({ agenda: [{ url: MAP, path: 'PM' }] })
  assert.deepEqual(pages[0].outcome, { kind: 'refused', by: 'scope', rule: 'sitemaps no' })
  assert.deepEqual(waiting.asked, [], 'not even for robots.txt')
})

test('feeds that pages point to are read, twenty a site, and are as deep as their page', async () => {
  const feed = (url: string, type = 'application/rss+xml') => `<link rel=alternate type="${type}" href="${url}">`
  const item = '<item><link>http://a.test/new</link><pubDate>Thu, 23 Dec 2004 18:00:15 GMT</pubDate></item>'
  const links = Array.from({ length: 30 }, (_, i) => feed(`/f${i}`)).join('')
  const { visited, asked } = await crawl({
    [HOME]: { body: `${feed('/atom', 'application/atom+xml')}${feed('http://b.test/f')}${links}` },
    [ROBOTS]: robots(),
    'http://a.test/f0': { body: `<rss><channel>${item}</channel></rss>`, headers: XML },
  })
  assert.equal(asked.filter((url) => /\/(f\d+|atom)$/.test(url)).length, MAX_FEEDS)
  assert.ok(asked.includes('a.test/new'))
  const told = pageOf(visited, 'http://a.test/new')!
  assert.deepEqual([told.path, told.depth, told.via], ['ML', 1, 'http://a.test/f0'])
  assert.equal(visited.parts.at(-1)!.memory.sitemaps?.feeds, MAX_FEEDS)
})

test('a path is never so long that a page looks like a sitemap', async () => {
  const path = 'L'.repeat(50)
  const web = new Scripted({
    [HOME]: { body: '<link rel=alternate type=application/atom+xml href=/feed>' },
    'http://a.test/feed': { body: '<feed><entry><link href="/1"/></entry></feed>', headers: XML },
    'http://a.test/1': page('1'),
  })
  const { pages } = await web.visit({ agenda: [{ url: HOME, path }] })
  assert.deepEqual(
    pages.map(({ outcome, path: found }) => [outcome.kind, found.length, found.at(-1)]),
    [
      ['kept', 50, 'L'],
      ['read', 49, 'M'],
      ['kept', 50, 'L'],
    ],
  )
})

test('what a site’s sitemaps bring together is bounded in bytes', async () => {
  const maps = Array.from({ length: 3 }, (_, i) => `http://a.test/map-${i}.xml`)
  const first = index(...maps)
  const large = { body: urlset('http://a.test/1').body + ' '.repeat(5000), headers: XML }
  const script = { [MAP]: first, ...Object.fromEntries(maps.map((map) => [map, large])) }
  const used = { asked: 0, urls: 0, bytes: MAX_SITEMAP_BYTES - String(first.body).length - 6000 }
  const { visited, asked } = await crawl(script, {}, { memory: { ...freshMemory(), sitemaps: used } })
  assert.deepEqual(
    asked.filter((url) => url.includes('map-')),
    ['a.test/map-0.xml', 'a.test/map-1.xml'],
    'the second only as far as there is room',
  )
  assert.ok(pageOf(visited, maps[1])?.annotations.includes('lenTrunc'))
  assert.deepEqual(pageOf(visited, maps[2])?.outcome, { kind: 'refused', by: 'hazard', rule: 'sitemap-bytes>256MiB' })
})

test('sitemaps that list nothing but copies are read last, and then refused', async () => {
  const mapAt = (n: number) => `http://a.test/map-${n}.xml`
  const at = (n: number) => Array.from({ length: 100 }, (_, nth) => `http://a.test/offer/${1000 * (n + 1) + nth}`)
  const numbers = Array.from({ length: 40 }, (_, n) => n)
  const pages: Record<string, { body: string }> = {}
  for (const n of numbers) {
    const urls = at(n).map((url) => `<url><loc>${url}</loc></url>`)
    pages[mapAt(n)] = { body: `<urlset>${urls.join('')}</urlset>` }
  }
  const texts = ['heron', 'kiln', 'lathe', 'moss', 'north', 'otter', 'plum', 'quay', 'reed', 'sedge']
  const honest = texts.map((word) => `http://a.test/${word}.html`)
  const links = honest.map((url) => `<a href="${url}">page</a>`).join('')
  const wordsOf = (seed: number) =>
    Array.from({ length: 80 }, (_, nth) => texts[(seed * 7 + nth * nth) % 10] + texts[(seed + nth * 3) % 10]).join(' ')
  for (const [nth, url] of honest.entries()) pages[url] = { body: `<p>${texts[nth]} ${wordsOf(nth)}</p>` }
  const stub = { body: '<p>This offer is not available at the moment. Please look again tomorrow.</p>' }
  const offers = Object.fromEntries(numbers.flatMap((n) => at(n).map((url) => [url, stub])))
  const script = {
    ...offers,
    ...pages,
    'http://a.test/robots.txt': { body: numbers.map((n) => `Sitemap: ${mapAt(n)}`).join('\n') },
    [HOME]: { body: `<p>Welcome to the library of birds and trades.</p>${links}` },
  }
  const web = new Scripted(script, { trusts: () => false })
  const visited = await web.visit({ agenda: [HOME] })
  const kept = visited.pages.filter(({ outcome }) => outcome.kind === 'kept').map(({ url }) => url)
  for (const url of honest) assert.ok(kept.includes(url), url)
  const maps = web.pagesAsked.filter((url) => url.endsWith('.xml'))
  assert.ok(maps.length < 20, `${maps.length} sitemaps of 40`)
  const told = visited.pages.flatMap(({ outcome }) => (outcome.kind === 'refused' ? [outcome.rule] : []))
  assert.ok(told.includes('sitemap-news'))
})
