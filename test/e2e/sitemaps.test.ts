/** Sitemaps as items of ordinary visits, through queue, catalogue and archive, judged by what was asked. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  type Answer,
  counters,
  crawl,
  folder,
  json,
  kept,
  links,
  page,
  runTo,
  serve,
  sql,
  warcRecords,
} from './command.ts'

const XML = { 'content-type': 'application/xml' }
const urlset = (...urls: string[]): string =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc>${url}</loc><lastmod>2024-02-29</lastmod></url>`).join('')}</urlset>`
const xml = (body: string): Answer => ({ body, headers: XML })
const gz = (body: string): Answer => ({ body: gzipSync(body), headers: { 'content-type': 'application/x-gzip' } })

describe('sitemaps', { concurrency: 3 }, () => {
  test('what they say of last changes is judged by what servers say, whichever slice asks for the page', async (t) => {
    const said = (date: string) => ({ headers: { 'content-type': 'text/html', 'last-modified': date } })
    const february = said('Thu, 29 Feb 2024 12:00:00 GMT')
    const web = await serve(t, {
      'a.test': {
        '/robots.txt': 'Sitemap: http://a.test/map.xml',
        '/': 'home',
        '/map.xml': xml(urlset(...['1', '2', '3', '4', '5'].map((name) => `http://a.test/${name}`))),
        '/1': { ...february, body: 'true' },
        '/2': { ...february, body: 'true, too' },
        '/3': { ...said('Fri, 01 Mar 2024 18:00:00 GMT'), body: 'a day and more later: not true' },
        '/4': 'the server says nothing: not judged',
        '/5': (_, response) => {
          response.setHeader('content-type', 'text/html')
          response.setHeader('last-modified', new Date().toUTCString())
          response.end('made just now: not judged')
        },
      },
    })
    for (const slice of ['100', '2']) {
      const at = folder(t)
      await runTo(0, crawl(web, at, 'a.test', '--slice-pages', slice))
      const { site } = await json<{ site: { hints: unknown } }>(['explain', 'a.test', '-c', at])
      assert.deepEqual(site.hints, { checked: 3, held: 2 }, `slices of ${slice}`)
    }
  })

  test('pages that nobody links to are collected, slice by slice; the sitemaps are archived and no documents', async (t) => {
    const many = Array.from({ length: 12 }, (_, i) => `/p${i}`)
    const rss = `<rss><channel><item><link>http://a.test/fed</link></item></channel></rss>`
    const feed = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    const web = await serve(t, {
      'a.test': {
        '/robots.txt':
          'User-agent: *\nDisallow: /no/\nSitemap: http://a.test/index.xml\nSitemap: http://cdn.a.test/map.xml',
        '/': `${feed}home`,
        '/index.xml': xml(
          '<sitemapindex><sitemap><loc>http://a.test/one.xml.gz</loc></sitemap><sitemap><loc>http://a.test/two.txt</loc></sitemap></sitemapindex>',
        ),
        '/one.xml.gz': gz(
          urlset(...many.map((path) => `http://a.test${path}`), 'http://a.test/no/1', 'http://b.test/'),
        ),
        '/two.txt': { body: 'http://a.test/text\n', headers: { 'content-type': 'text/plain' } },
        '/feed': xml(rss),
        ...Object.fromEntries([...many, '/text', '/fed', '/away', '/no/1'].map((path) => [path, `page ${path}`])),
      },
      'cdn.a.test': { '/map.xml': xml(urlset('http://a.test/away', 'http://c.test/')) },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--slice-pages', '3'))
    const expected = ['', 'away', 'fed', 'text', ...many.map((path) => path.slice(1))]
    assert.deepEqual(kept(at), expected.map((name) => `http://a.test/${name}`).sort())
    assert.deepEqual([...new Set(web.asked.map(({ host }) => host))].sort(), ['a.test', 'cdn.a.test'])
    assert.ok(!web.paths('a.test').includes('/no/1'))
    for (const path of ['/index.xml', '/one.xml.gz', '/two.txt', '/feed']) {
      assert.equal(web.paths('a.test').filter((asked) => asked === path).length, 1, `${path} is asked for once`)
    }
    assert.equal(counters(at).sitemaps, 5)
    assert.equal(counters(at).documents, expected.length)
    const { outcome, detail } = page(at, 'http://a.test/one.xml.gz')!
    assert.deepEqual([outcome, detail], ['read', '13 URLs'])
    const archived = new Set(warcRecords(at).map(({ headers }) => headers['WARC-Target-URI']))
    for (const path of ['/index.xml', '/one.xml.gz', '/two.txt', '/feed'])
      assert.ok(archived.has(`http://a.test${path}`))
    const [{ lastmod }] = sql(at, `SELECT lastmod FROM url WHERE url = 'http://a.test/p3'`)
    assert.equal(lastmod, Date.UTC(2024, 1, 29))

    const forbidden = await runTo(0, ['explain', '-c', at, 'http://a.test/no/1'])
    assert.match(forbidden.stdout, /robots\.txt forbids it: line 2, "Disallow: \/no\/" in the group for "\*"/)
    assert.match(forbidden.stdout, /robots\.txt over http: read \S+ ago \(status 200\)/)
    assert.match(forbidden.stdout, /Sitemaps: 4 known \(1 feed among them\), with \d+ URLs/)
    const told = await json<{ robots: object }>(['explain', '-c', at, 'http://a.test/no/1'])
    assert.deepEqual(told.robots, { allowed: false, group: '*', line: 2, rule: 'Disallow: /no/' })
    const map = await runTo(0, ['explain', '-c', at, 'http://a.test/one.xml.gz'])
    assert.match(map.stdout, /It is a sitemap, listed in http:\/\/a\.test\/index\.xml/)
    await runTo(0, ['verify', '-c', at])
  })

  test('--sitemaps no asks for none, usual also where robots.txt is silent', async (t) => {
    const pages = { '/': links('/b'), '/b': 'b', '/c': 'c', '/sitemap.xml': xml(urlset('http://a.test/c')) }
    const asked = async (...flags: string[]) => {
      const web = await serve(t, { 'a.test': pages })
      await runTo(0, crawl(web, folder(t), 'a.test', ...flags))
      // How the site says that a page is missing is asked of some (a hazard's question), and is no matter here.
      const paths = web.paths('a.test').filter((path) => !path.startsWith('/no-such-page'))
      return paths.sort()
    }
    assert.deepEqual(await asked('--sitemaps', 'no'), ['/', '/b'])
    assert.deepEqual(await asked(), ['/', '/b'])
    assert.deepEqual(await asked('--sitemaps', 'usual'), ['/', '/b', '/c', '/sitemap.xml'])
  })
})
