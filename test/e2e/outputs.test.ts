/** What commands answer about one collection in which everything happens once. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { crawl, folder, json, kept, links, runTo, serve, sql, type Web } from './command.ts'

const ends: (() => unknown)[] = []
const scene = { after: (call: () => unknown) => void ends.push(call) }
let at = ''
let web: Web

before(async () => {
  at = folder(scene)
  web = await serve(scene, {
    'a.test': {
      '/robots.txt': 'User-agent: *\nDisallow: /closed/\n',
      '/': links(
        '/page',
        '/twin1',
        '/twin2',
        '/moved',
        '/missing',
        '/closed/x',
        '/noindex',
        '/data',
        '/plain',
        'http://out.example/',
        'mailto:a@a.test',
        '/a.zip',
        '/page',
        'http://b.test/orphan',
        '/packed',
        '/broken',
      ),
      '/page': '<title>A page &amp; more</title><p>hello from the page</p><a href="/">home</a>',
      '/twin1': '<p>the same content under two names</p>',
      '/twin2': '<p>the same content under two names</p>',
      '/moved': { status: 301, headers: { location: '/page' }, body: 'moved' },
      '/noindex': { headers: { 'x-robots-tag': 'noindex' }, body: 'no' },
      '/data': { headers: { 'content-type': 'application/octet-stream' }, body: 'data' },
      '/plain': { headers: { 'content-type': 'text/plain' }, body: 'plain text' },
      '/packed': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('<title>Packed</title>unpacked words') },
      '/broken': { status: 500, body: 'oops' },
    },
    'b.test': {
      '/': 'b home',
      '/orphan': `${links('http://a.test/page')}<a rel=nofollow href=http://a.test/unfollowed>`,
    },
    'dead.test': { '/robots.txt': { status: 503 } },
  })
  await runTo(0, crawl(web, at, 'a.test', 'dead.test', '--scope', 'tld:test', '--links', 'combined'))
})
after(async () => {
  for (const end of ends) await end()
})

const DOCUMENTS = ['/', '/packed', '/page', '/plain', '/twin1', '/twin2'].map((path) => `http://a.test${path}`)

interface Report {
  documents: number
  bytes: number
  servers: number
  urls: { seen: number; fetched: number; waiting: number }
  links: number
  duplicates: number
  statuses: Record<string, number>
  failures: Record<string, number>
  refused: Record<string, number>
  unwanted: Record<string, number>
  documentsByType: Record<string, { count: number; bytes: number; mean: number }>
  perServer: { mean: number; median: number; max: number }
  ratesByDay: { day: string; documents: number; bytes: number; documentsPerMinute: number }[]
  downloadsPerUrl: number
}

describe('answers', { concurrency: 4 }, () => {
  test('the collection is the right one', () => {
    assert.deepEqual(kept(at), [...DOCUMENTS, 'http://b.test/', 'http://b.test/orphan'].sort())
  })

  test('report --json has every key, and the numbers agree with each other', async () => {
    const report = await json<Report>(['report', '-c', at])
    assert.equal(report.documents, 8)
    assert.equal(report.duplicates, 1)
    assert.equal(report.servers, 3)
    assert.ok(report.bytes > 0 && report.links > 15)
    assert.deepEqual(Object.keys(report.urls).sort(), ['fetched', 'seen', 'waiting'])
    assert.equal(report.urls.waiting, 0)
    assert.equal(report.urls.seen, sql(at, 'SELECT count(*) AS n FROM urls')[0].n)
    // Pages, redirect, missing, unwanted, noindex and the broken one, all answered for good.
    assert.equal(report.urls.fetched, 8 + 5)
    // Eight documents, noindex, the unwanted one, robots.txt of one site; the other's is missing.
    assert.equal(report.statuses['200'], 8 + 2 + 1)
    assert.equal(report.statuses['301'], 1)
    assert.equal(report.statuses['404'], 2)
    assert.equal(report.statuses['500'], 3)
    assert.equal(report.statuses['503'], 4)
    assert.equal(report.failures['status-404'], 1)
    assert.equal(report.failures['status-5xx'], 3)
    assert.equal(report.failures['robots-unreachable'], 4)
    assert.equal(report.refused.robots, 1)
    assert.equal(report.refused.scope, 1)
    for (const key of ['hazard', 'classifier']) assert.equal(report.refused[key], 0)
    assert.equal(report.unwanted.mailto, 1)
    assert.equal(report.unwanted.archive, 1)
    assert.equal(report.unwanted['application/octet-stream'], 1)
    assert.equal(report.documentsByType['text/html'].count, 7)
    const plain = report.documentsByType['text/plain']
    assert.deepEqual(plain, { count: 1, bytes: 10, mean: 10 })
    assert.deepEqual(report.perServer, { mean: 8 / 3, median: 2, max: 6 })
    assert.equal(
      report.ratesByDay.reduce((sum, day) => sum + day.documents, 0),
      8,
    )
    assert.ok(report.downloadsPerUrl > 0 && report.downloadsPerUrl <= 1)
    const sum = Object.values(report.documentsByType).reduce((total, { bytes }) => total + bytes, 0)
    assert.equal(sum, report.bytes)
  })

  test('report as text prints the tables of the papers', async () => {
    const { stdout } = await runTo(0, ['report', '-c', at])
    for (const title of [
      'Collection rates',
      'Size of the collected web',
      'Servers',
      'Responses by status',
      'Documents by media type',
      'Coverage',
    ])
      assert.ok(stdout.includes(title), title)
    assert.match(stdout, /robots/)
  })

  test('report duplicates lists contents with all their URLs', async () => {
    const { stdout } = await runTo(0, ['report', 'duplicates', '-c', at])
    assert.match(stdout, /^sha1:[A-Z2-7]{32} {2}2 URLs\n {2}http:\/\/a\.test\/twin1\n {2}http:\/\/a\.test\/twin2\n$/)
    const { duplicates } = await json<{ duplicates: { count: number; urls: string[] }[] }>([
      'report',
      'duplicates',
      '-c',
      at,
    ])
    assert.deepEqual(
      duplicates.map(({ count, urls }) => [count, urls.length]),
      [[2, 2]],
    )
  })

  test('status shows known : collected : waiting', async () => {
    const { stdout } = await runTo(0, ['status', '-c', at])
    assert.match(stdout, /\d+ known : 8 collected \([\d.]+ ?%\) : 0 waiting/)
    const status = await json<{
      state: string
      documents: number
      urls: object
      sites: { crawled: number; barred: number }
    }>(['status', '-c', at])
    assert.equal(status.state, 'complete')
    assert.equal(status.sites.crawled, 2)
    assert.equal(status.sites.barred, 1)
  })

  test('get: the page, its headers, as it came, into a file, with and without scheme', async (t) => {
    const body = '<title>A page &amp; more</title><p>hello from the page</p><a href="/">home</a>'
    assert.equal((await runTo(0, ['get', 'http://a.test/page', '-c', at])).stdout, body)
    assert.equal((await runTo(0, ['get', 'a.test/page', '-c', at])).stdout, body)
    assert.equal(
      (await runTo(0, ['get', 'http://a.test/twin2', '-c', at])).stdout,
      '<p>the same content under two names</p>',
    )
    const withHead = await runTo(0, ['get', 'http://a.test/page', '--headers', '-c', at])
    assert.match(withHead.stdout, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n<title>A/)
    assert.match((await runTo(0, ['get', 'http://a.test/packed', '-c', at])).stdout, /unpacked words/)
    const out = join(folder(t), 'raw')
    await runTo(0, ['get', 'http://a.test/packed', '--raw', '-o', out, '-c', at])
    assert.equal(readFileSync(out).readUInt16BE(0), 0x1f8b)
    const facts = await json<{ status: number; decodedBytes: number }>(['get', 'http://a.test/packed', '-c', at])
    assert.equal(facts.decodedBytes, '<title>Packed</title>unpacked words'.length)
    const missing = await runTo(1, ['get', 'http://a.test/never', '-c', at])
    assert.match(missing.stderr, /explain/)
    await runTo(1, ['get', 'http://a.test/page', '--at', '2001-01-01', '-c', at])
    await runTo(0, ['get', 'http://a.test/page', '--at', '2999-01-01', '-c', at])
  })

  test('history: the captures of a URL', async () => {
    const { stdout } = await runTo(0, ['history', 'http://a.test/page', '-c', at])
    assert.match(stdout, /200 {2}text\/html {2}response of .*\n +sha1:.*\n +\S+\.warc\.gz:\d+\n/)
    const { captures } = await json<{ captures: { volume: string; kind: string; status: number }[] }>([
      'history',
      'http://a.test/moved',
      '-c',
      at,
    ])
    assert.equal(captures.length, 1)
    assert.equal(captures[0].status, 301)
    assert.ok(existsSync(join(at, 'archive', captures[0].volume)))
    await runTo(1, ['history', 'http://a.test/never', '-c', at])
  })

  const explained: [string, RegExp[]][] = [
    [
      'http://a.test/page',
      [
        /Collected: 1 capture/,
        /found on http:\/\/a\.test\/, one level deep/,
        /3 pages link here/,
        /http:\/\/b\.test\/orphan/,
      ],
    ],
    ['http://a.test/', [/Collected/, /It is a seed/]],
    ['http://a.test/closed/x', [/forbidden by robots\.txt/, /\/closed\//]],
    ['http://a.test/noindex', [/the page forbids it \(noindex\)/]],
    ['http://a.test/data', [/application\/octet-stream is not in --media-types/]],
    ['http://a.test/moved', [/Redirected with status 301 to http:\/\/a\.test\/page/]],
    ['http://a.test/missing', [/Not collected/, /404/]],
    ['http://a.test/broken', [/Not collected/, /500/]],
    ['http://out.example/', [/Out of scope: scope tld:test/, /pages? links? here/, /http:\/\/a\.test\//]],
    ['http://never.example/', [/Unknown/]],
    ['http://a.test/unfollowed', [/Not queued/, /the links to it, or the pages they are on, say nofollow\./]],
    ['http://dead.test/', [/robots\.txt/, /given up/]],
  ]
  for (const [url, says] of explained) {
    test(`explain ${url}`, async () => {
      const { stdout } = await runTo(0, ['explain', url, '-c', at])
      for (const word of says) assert.match(stdout, word)
    })
  }

  test('explain SITE', async () => {
    const site = await runTo(0, ['explain', 'a.test', '-c', at])
    assert.match(site.stdout, /^a\.test: done/)
    assert.match(site.stdout, /6 documents/)
    const dead = await json<{ site: { state: string; reason: string; robots: { http: { status: number } } } }>([
      'explain',
      'dead.test',
      '-c',
      at,
    ])
    assert.equal(dead.site.state, 'barred')
    assert.equal(dead.site.robots.http.status, 503)
    assert.match((await runTo(0, ['explain', 'nobody.test', '-c', at])).stdout, /unknown/)
  })

  test('export pages: one JSON object a line', async () => {
    const { stdout } = await runTo(0, ['export', 'pages', '-c', at])
    const pages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.equal(pages.length, sql(at, 'SELECT count(*) AS n FROM pages')[0].n)
    const page = pages.find(({ url }) => url === 'http://a.test/page')
    assert.equal(page?.outcome, 'kept')
    assert.equal(page?.title, 'A page & more')
    assert.equal(page?.via, 'http://a.test/')
    assert.equal(page?.depth, 1)
  })

  test('export links: lines, and an ordinary table on demand', async (t) => {
    const { stdout } = await runTo(0, ['export', 'links', '-c', at])
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
    assert.ok(rows.every((row) => row.length === 2))
    const has = (from: string, to: string) => rows.some(([f, to2]) => f === from && to2 === to)
    assert.ok(has('http://a.test/', 'http://a.test/page'))
    assert.ok(has('http://a.test/', 'http://out.example/'))
    assert.ok(has('http://b.test/orphan', 'http://a.test/page'))
    assert.ok(has('http://a.test/moved', 'http://a.test/page'))
    const into = join(folder(t), 'graph.db')
    await runTo(0, ['export', 'links', '--into', into, '-c', at])
    const graph = new DatabaseSync(into, { readOnly: true })
    const { n } = graph.prepare('SELECT count(*) AS n FROM link').get() as { n: number }
    const [{ from_url: first }] = graph
      .prepare(`SELECT from_url FROM link WHERE to_url = 'http://out.example/'`)
      .all() as { from_url: string }[]
    graph.close()
    assert.equal(n, rows.length)
    assert.equal(first, 'http://a.test/')
  })

  test('config shows every value and who set it', async () => {
    const { stdout } = await runTo(0, ['config', '-c', at, '--max-depth', '9', '--limits', 'vn'], {
      env: { ORBWEAVER_PAUSE: '7s' },
    })
    assert.match(stdout, /^max-depth +9 +\(--max-depth\)$/m)
    assert.match(stdout, /^pause +7s +\(ORBWEAVER_PAUSE\)$/m)
    assert.match(stdout, /^scope +tld:test +\(.*orbweaver\.yaml.*\)$/m)
    assert.match(stdout, /^max-url-length +200 +\(.*--limits vn.*\)$/m)
    assert.match(stdout, /^order +klwf +\(default\)$/m)
    assert.match(stdout, /^links +combined/m)
  })

  test('going on with other settings is allowed and said', async () => {
    const { stderr } = await runTo(0, crawl(web, at, '--scope', 'tld:test', '--max-depth', '7', '--links', 'combined'))
    assert.match(stderr, /--max-depth is 7, but the collection was created with 1000/)
    assert.doesNotMatch(stderr, /--scope is/)
  })

  test('documented questions in plain SQL', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/reference/catalogue.md'), 'utf8')
    const task = readFileSync(join(import.meta.dirname, '../../docs/tasks/ask-in-sql.md'), 'utf8')
    const queries = [...`${document}\n${task}`.matchAll(/```sql\n([\s\S]*?)```/g)]
      .flatMap(([, text]) => text.replace(/^--.*$/gm, '').split(';'))
      .map((query) => query.trim())
      .filter((query) => /^SELECT/i.test(query))
    assert.ok(queries.length > 10)
    for (const query of queries) sql(at, query)
    const sites = sql(at, 'SELECT site, state, documents FROM sites ORDER BY site').map((row) => Object.values(row))
    assert.deepEqual(sites, [
      ['a.test', 'crawled', 6],
      ['b.test', 'crawled', 2],
      ['dead.test', 'barred', 0],
    ])
  })
})

test('every command has help with examples, and the list names them all', async () => {
  const { stdout } = await runTo(0, ['--help'])
  const names = [
    'demo',
    'crawl',
    'status',
    'report',
    'get',
    'history',
    'explain',
    'verify',
    'export',
    'seed',
    'config',
    'simulate',
  ]
  await Promise.all(
    names.map(async (name) => {
      assert.match(stdout, new RegExp(`^ +${name}\\b`, 'm'), name)
      const help = await runTo(0, [name, '--help'])
      assert.match(help.stdout, new RegExp(`orbweaver ${name}`), name)
      assert.match(help.stdout, /example/i, name)
      assert.match(help.stdout, /--json/, name)
    }),
  )
})

test('simulate crawl: the same house in virtual time', async () => {
  const result = await json<{
    ok: boolean
    documents: number
    expected: number
    violations: number
    virtualMs: number
  }>(['simulate', 'crawl', '--sites', '20', '--pages', '10', '--random-seed', '5'])
  assert.ok(result.ok)
  assert.equal(result.documents, result.expected)
  assert.equal(result.violations, 0)
  assert.ok(result.documents > 50 && result.virtualMs > 30_000)
})

test('get prints text in UTF-8 whatever its charset; a file of it is marked so; --raw leaves it alone', async (t) => {
  const greek = Buffer.from('<title>Ελλάδα</title>', 'utf8')
  const cyrillic = Buffer.concat([
    Buffer.from('<meta charset=windows-1251><p>'),
    Buffer.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2),
  ])
  const web = await serve(t, {
    'c.test': {
      '/': links('/cyrillic', '/greek'),
      '/cyrillic': { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body: gzipSync(cyrillic) },
      '/greek': { headers: { 'content-type': 'text/html; charset=utf-8' }, body: greek },
    },
  })
  const at = folder(t)
  await runTo(0, crawl(web, at, 'c.test'))
  const get = (...more: string[]) => runTo(0, ['get', 'http://c.test/cyrillic', '-c', at, ...more])
  assert.equal((await get()).stdout, '<meta charset=windows-1251><p>Привет')
  assert.equal((await runTo(0, ['get', 'http://c.test/greek', '-c', at])).stdout, greek.toString())
  const file = join(folder(t), 'page.html')
  await get('-o', file)
  assert.equal(readFileSync(file, 'utf8'), '\ufeff<meta charset=windows-1251><p>Привет')
  await get('--raw', '-o', file)
  assert.deepEqual(gunzipSync(readFileSync(file)), cyrillic)
  const facts = await json<{ charset: string; decodedBytes: number }>(['get', 'http://c.test/cyrillic', '-c', at])
  assert.deepEqual([facts.charset, facts.decodedBytes], ['windows-1251', cyrillic.length])
})
