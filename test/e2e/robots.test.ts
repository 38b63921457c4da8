/** Who we say we are, robots.txt and page directives, judged by what the server was asked for. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type Answer,
  CONTACT,
  counters,
  crawl,
  folder,
  kept,
  links,
  NOT_FOUND,
  type Page,
  page,
  ROOT,
  runTo,
  serve,
  serveRaw,
  sql,
  warcRecords,
} from './command.ts'

const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version

describe('who asks', { concurrency: 4 }, () => {
  test('NAME/VERSION (+CONTACT) with every request, robots.txt first', async (t) => {
    const web = await serve(t, { 'a.test': { '/': links('/b'), '/b': 'b' } })
    const { stderr } = await runTo(0, crawl(web, folder(t), 'a.test'))
    assert.deepEqual(
      web.asked.map(({ path }) => path),
      ['/robots.txt', '/', '/b'],
    )
    for (const { headers } of web.asked) assert.equal(headers['user-agent'], `Orbweaver/${VERSION} (+${CONTACT})`)
    assert.doesNotMatch(stderr, /contact/)
  })

  test('no contact: a warning before the start, and a line in the report', async (t) => {
    const web = await serve(t, { 'a.test': { '/': 'a' } })
    const at = folder(t)
    const args = crawl(web, at, 'a.test').filter((word) => word !== '--contact' && word !== CONTACT)
    const { stderr } = await runTo(0, args)
    assert.match(stderr.split('\n')[0], /--contact/)
    assert.equal(web.asked[0].headers['user-agent'], `Orbweaver/${VERSION}`)
    const report = await runTo(0, ['report', '-c', at])
    assert.match(report.stdout, /without --contact/)
  })

  test('its name is the one that robots.txt names, whatever the case; others do not count', async (t) => {
    const robots =
      'User-agent: *\nDisallow: /\n\nUser-agent: mybot\nDisallow: /private\n\nUser-agent: mybots\nDisallow: /b\n'
    const web = await serve(t, {
      'a.test': { '/robots.txt': robots, '/': links('/b', '/private'), '/b': 'b', '/private': 'p' },
    })
    await runTo(0, crawl(web, folder(t), 'a.test', '--user-agent-name', 'MyBot'))
    assert.match(String(web.asked[0].headers['user-agent']), /^MyBot\//)
    assert.deepEqual(web.paths('a.test'), ['/', '/b'])
  })
})

/** A site with this robots.txt, and whether its home page was asked for. */
async function withRobots(t: Parameters<typeof serve>[0], robots: Page | Answer, exit = 0) {
  const web = await serve(t, { 'a.test': { '/robots.txt': robots, '/': links('/b'), '/b': 'b' } })
  const at = folder(t)
  const ended = await runTo(exit, crawl(web, at, 'a.test'))
  return { web, at, ended, asked: web.paths('a.test') }
}

describe('robots.txt', { concurrency: 4 }, () => {
  for (const status of [404, 403, 401, 410, 400]) {
    test(`${status}: no restriction`, async (t) => {
      const { asked } = await withRobots(t, { status, body: 'User-agent: *\nDisallow: /' })
      assert.deepEqual(asked, ['/', '/b'])
    })
  }

  for (const status of [503, 500, 429]) {
    test(`${status}: nothing is fetched, and the crawl ends and says so`, async (t) => {
      const { asked, web, at, ended } = await withRobots(t, { status, body: 'User-agent: *\nAllow: /' }, 1)
      assert.deepEqual(asked, [])
      assert.equal(web.asked.length, 4, 'as often as the failure table says')
      assert.match(ended.stderr, /nothing collected from seed http:\/\/a\.test\/: robots\.txt unreachable/)
      assert.match(ended.stderr, /Complete, but no seed led to a document: 0 documents/)
      const [site] = sql(at, 'SELECT state, reason FROM sites')
      assert.equal(site.state, 'barred')
      assert.match(String(site.reason), /robots/)
      assert.equal(counters(at)['failure:robots-unreachable'], 4)
      const { stdout } = await runTo(0, ['explain', 'http://a.test/', '-c', at])
      assert.match(stdout, /robots\.txt/)
    })
  }

  test('a connection that ends before an answer: nothing is fetched', async (t) => {
    const raw = await serveRaw(t, (_path, socket) => socket.destroy())
    const at = folder(t)
    await runTo(1, crawl(raw, at, 'a.test'))
    assert.ok(raw.heads.every((head) => head.startsWith('GET /robots.txt ')))
    assert.equal(sql(at, 'SELECT state FROM sites')[0].state, 'barred')
  })

  test('nobody listens: nothing is fetched, the crawl ends', async (t) => {
    const ends: (() => unknown)[] = []
    const { port } = await serveRaw({ after: (call) => ends.push(call) }, () => {})
    for (const end of ends) await end()
    const at = folder(t)
    const { stderr } = await runTo(1, crawl({ port }, at, 'a.test'))
    assert.match(stderr, /Complete, but no seed led to a document: 0 documents/)
    const [site] = sql(at, 'SELECT state, reason FROM sites')
    assert.equal(site.state, 'barred')
    assert.match(String(site.reason), /robots|connect/)
  })

  test('503 that passes: asked again later, then obeyed', async (t) => {
    let times = 0
    const { asked } = await withRobots(t, (_request, response) => {
      response.writeHead(++times === 1 ? 503 : 200, { 'content-type': 'text/plain' })
      response.end('User-agent: *\nDisallow: /b')
    })
    assert.deepEqual(asked, ['/'])
  })

  test('Disallow, Allow, *, $, longest match, and each refusal with its rule', async (t) => {
    const robots = [
      'User-agent: *',
      'Disallow: /closed/',
      'Allow: /closed/open/',
      'Disallow: /*.pdf$',
      'Disallow: /tie',
      'Allow: /tie',
      'Disallow: /q?*secret',
      'Disallow:/sp ace',
      'Disallow: /%7Euser',
      'disallow : /loose',
    ].join('\r\n')
    const permitted = ['/closed', '/closed/open/x', '/a.pdf?x', '/tie', '/q?open', '/closedness']
    const forbidden = ['/closed/x', '/closed/', '/a.pdf', '/d/b.pdf', '/q?a=secret', '/~user/x', '/loose']
    const all = Object.fromEntries([...permitted, ...forbidden].map((path) => [path, path]))
    const web = await serve(t, {
      'a.test': { '/robots.txt': robots, '/': links(...Object.keys(all)), ...all },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    assert.deepEqual(web.paths('a.test').sort(), ['/', ...permitted].sort())
    assert.equal(counters(at)['refused:robots'], forbidden.length)
    const refused = sql(at, `SELECT url, detail FROM pages WHERE outcome = 'refused' AND why = 'robots'`)
    assert.equal(refused.length, forbidden.length)
    assert.match(String(page(at, 'http://a.test/d/b.pdf')?.detail), /\/\*\.pdf\$/)
    assert.match(String(page(at, 'http://a.test/closed/x')?.detail), /\/closed\//)
    const log = readFileSync(join(at, 'logs/crawl.log'), 'utf8')
    assert.match(log, / -9998 +- http:\/\/a\.test\/closed\/x .*refused:robots:/)
  })

  test('followed through redirects, asked once a day, archived and no document', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/robots.txt': { status: 301, headers: { location: '/other/robots.txt' } },
        '/other/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /b' },
        '/': links('/b', '/c'),
        '/b': 'b',
        '/c': 'c',
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    web.pages['a.test']['/d'] = 'd'
    await runTo(0, crawl(web, at, 'http://a.test/d'))
    assert.deepEqual(kept(at), ['http://a.test/', 'http://a.test/c', 'http://a.test/d'])
    assert.equal(web.asked.filter(({ path }) => path === '/robots.txt').length, 1)
    const archived = warcRecords(at).map(({ headers }) => headers['WARC-Target-URI'])
    assert.ok(archived.includes('http://a.test/robots.txt') && archived.includes('http://a.test/other/robots.txt'))
    assert.equal(counters(at).documents, 3)
  })

  test('500 KiB are read, and a longer one is no error', async (t) => {
    const filler = '# a comment of a line that says nothing at all\n'.repeat(10_800)
    assert.ok(filler.length < 512_000 && filler.length > 500_000)
    const { asked } = await withRobots(t, `User-agent: *\n${filler}Disallow: /b\n${filler}`)
    assert.deepEqual(asked, ['/'])
  })
})

describe('directives', { concurrency: 4 }, () => {
  test('noindex is not kept, nofollow is not followed, in meta, X-Robots-Tag and rel', async (t) => {
    const meta = (content: string, body: string) => `<meta name="robots" content="${content}"><title>t</title>${body}`
    const web = await serve(t, {
      'a.test': {
        '/': links('/noindex', '/nofollow', '/none', '/tag', '/tag-other', '/mine', '/rel'),
        '/noindex': meta('NOINDEX', links('/from-noindex')),
        '/nofollow': meta('follow, nofollow', links('/from-nofollow')),
        '/none': meta('none', links('/from-none')),
        '/tag': { headers: { 'x-robots-tag': 'noindex' }, body: 'tag' },
        '/tag-other': {
          headers: { 'x-robots-tag': ['otherbot: noindex', 'nofollow'] },
          body: links('/from-tag-other'),
        },
        '/mine': '<meta name="orbweaver" content="noindex"><title>t</title>mine',
        '/rel': '<a rel="external NOFOLLOW" href="/from-rel">x</a><a href="/followed">y</a>',
        '/followed': 'f',
        '/from-noindex': 'fn',
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const paths = kept(at).map((url) => url.slice('http://a.test'.length))
    assert.deepEqual(paths, ['/', '/followed', '/from-noindex', '/nofollow', '/rel', '/tag-other'])
    for (const path of ['/from-nofollow', '/from-none', '/from-tag-other', '/from-rel'])
      assert.ok(!web.paths('a.test').includes(path), path)
    const refused = sql(at, `SELECT url, detail FROM pages WHERE why = 'directive' ORDER BY url`)
    assert.deepEqual(
      refused.map(({ url, detail }) => [url, detail]),
      ['/mine', '/noindex', '/none', '/tag'].map((path) => [`http://a.test${path}`, 'noindex']),
    )
    const archived = warcRecords(at).map(({ headers }) => headers['WARC-Target-URI'])
    assert.ok(!archived.includes('http://a.test/noindex'), 'not kept means: not in a volume either')
    assert.equal(counters(at)['refused:directive'], 4 + 4, 'pages not kept, links not followed')
  })
})

test('a robots.txt that never ends is cut, and what came is obeyed', async (t) => {
  const raw = await serveRaw(t, (path, socket) => {
    if (path !== '/robots.txt') return void socket.write(NOT_FOUND)
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n')
    const piece = '# and on and on\n'.repeat(4096)
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    more()
  })
  const at = folder(t)
  await runTo(1, crawl(raw, at, 'a.test'))
  assert.equal(page(at, 'http://a.test/')?.why, 'robots')
  assert.equal(raw.heads.length, 1)
})
