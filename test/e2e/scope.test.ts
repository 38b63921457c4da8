/** What is read, what is wanted, and what a link to another site adds. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { counters, crawl, file, folder, kept, links, type Pages, page, runTo, serve, sql, type Web } from './command.ts'

const everywhere = [
  'http://www.a.test/docs/',
  'http://www.a.test/docs/one',
  'http://www.a.test/docs/deep/two',
  'http://www.a.test/doc',
  'http://www.a.test/other',
  'https://www.a.test/docs/secure',
  'http://blog.a.test/x',
  'http://a.test/y',
  'http://www.b.test/z',
  'http://www.c.example/w',
]

/** Every page links to every page. */
async function mesh(t: Parameters<typeof serve>[0], urls: readonly string[] = everywhere): Promise<Web> {
  const pages: Pages = {}
  for (const text of urls) {
    const { hostname, pathname, search } = new URL(text)
    pages[hostname] ??= {}
    pages[hostname][pathname + search] = links(...urls)
  }
  return serve(t, pages)
}

async function collected(t: Parameters<typeof serve>[0], scope: string, ...more: string[]): Promise<string[]> {
  const web = await mesh(t)
  const at = folder(t)
  const example = ['--resolve', `*.example=127.0.0.1:${web.port}`, '--pause-for', '*.example=0s']
  const flags = scope === '' ? [] : ['--scope', scope]
  await runTo(0, crawl(web, at, 'http://www.a.test/docs/', ...flags, '--links', 'deep', ...example, ...more))
  for (const { host, path } of web.asked) {
    const urls = [`http://${host}${path}`, `https://${host}${path}`]
    assert.ok(path === '/robots.txt' || urls.some((url) => kept(at).includes(url)), `${urls[0]} was asked for in vain`)
  }
  return kept(at)
}

const under = (...parts: string[]) => everywhere.filter((url) => parts.some((part) => url.includes(part))).sort()

describe('scope', { concurrency: 4 }, () => {
  test('page', async (t) => assert.deepEqual(await collected(t, 'page'), ['http://www.a.test/docs/']))
  test('prefix', async (t) => assert.deepEqual(await collected(t, 'prefix'), under('//www.a.test/docs/')))
  test('host, the default', async (t) => assert.deepEqual(await collected(t, ''), under('//www.a.test/')))
  test('domain', async (t) => assert.deepEqual(await collected(t, 'domain'), under('a.test/')))
  test('tld', async (t) => assert.deepEqual(await collected(t, 'tld:test'), under('.test/')))
  test('two tlds', async (t) => assert.deepEqual(await collected(t, 'tld:test,example'), [...everywhere].sort()))
  test('surt', async (t) => assert.deepEqual(await collected(t, 'surt:test,a,www)/docs'), under('//www.a.test/docs')))
  test('include and exclude', async (t) => {
    const got = await collected(t, 'host', '--include', 'docs|other', '--exclude', 'deep', '--exclude', '/one$')
    assert.deepEqual(
      got,
      ['http://www.a.test/docs/', 'http://www.a.test/other', 'https://www.a.test/docs/secure'].sort(),
    )
  })

  test('queries on and off', async (t) => {
    const urls = ['http://a.test/', 'http://a.test/?a=1', 'http://a.test/b?c=2&d=3', 'http://a.test/plain']
    const web = await mesh(t, urls)
    const [off, on] = [folder(t), folder(t)]
    await runTo(0, crawl(web, off, 'a.test', '--queries', 'no'))
    assert.deepEqual(kept(off), ['http://a.test/', 'http://a.test/plain'])
    assert.ok(!web.paths('a.test').some((path) => path.includes('?')))
    await runTo(0, crawl(web, on, 'a.test'))
    assert.deepEqual(kept(on), [...urls].sort())
  })

  test('--max-depth counts links from the URL by which a site was entered', async (t) => {
    const chain: Record<string, string> = {}
    for (let i = 0; i < 10; i++) chain[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`)
    const web = await serve(t, { 'a.test': chain })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--max-depth', '3'))
    assert.deepEqual(web.paths('a.test'), ['/', '/1', '/2', '/3'])
    assert.equal(page(at, 'http://a.test/3')?.depth, 3)
    assert.equal(counters(at)['refused:scope'], 1)
  })

  test('--max-url-length, malformed links, spaces, and the same page spelt differently', async (t) => {
    const long = `/${'x'.repeat(100)}`
    const hrefs = [
      long,
      'http://',
      'http://[x/',
      ' /sp ace ',
      '/d/../d/e',
      '/d/./e',
      'HTTP://A.TEST:80/d/e',
      '/d/e#f',
      '%7Eme',
      '/~me',
    ]
    const web = await serve(t, {
      'a.test': { '/': links(...hrefs), '/sp%20ace': 's', '/d/e': 'e', '/~me': 'm', [long]: 'long' },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--max-url-length', '80'))
    const asked = web.paths('a.test')
    assert.ok(!asked.includes(long))
    assert.ok(asked.includes('/sp%20ace'), 'spaces are repaired')
    assert.equal(asked.filter((path) => path === '/d/e').length, 1)
    assert.equal(asked.filter((path) => /me$/.test(path)).length, 1)
    assert.equal(counters(at).malformed, 2)
  })

  test('--limits vn: depth 5, and single flags override it', async (t) => {
    const chain: Record<string, string> = {}
    for (let i = 0; i < 12; i++) chain[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`)
    const web = await serve(t, { 'a.test': chain, 'b.test': chain })
    await runTo(0, crawl(web, folder(t), 'a.test', '--limits', 'vn'))
    assert.equal(web.paths('a.test').length, 6)
    await runTo(0, crawl(web, folder(t), 'b.test', '--limits', 'vn', '--max-depth', '7'))
    assert.equal(web.paths('b.test').length, 8)
  })

  test('--limits vn: after ten duplicates no more links of the site are followed, and what was collected is kept', async (t) => {
    const pages: Record<string, string> = { '/': links(...Array.from({ length: 30 }, (_, i) => `/same/${i}`), '/last') }
    for (let i = 0; i < 30; i++) pages[`/same/${i}`] = links('/never')
    pages['/last'] = links('/beyond')
    pages['/never'] = pages['/beyond'] = 'x'
    const web = await serve(t, { 'a.test': pages, 'b.test': { '/': links('/2'), '/2': '2' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'b.test', '--limits', 'vn'))
    assert.ok(!web.paths('a.test').includes('/beyond'))
    assert.ok(kept(at).includes('http://a.test/same/0'))
    assert.deepEqual(web.paths('b.test'), ['/', '/2'])
    const { stdout } = await runTo(0, ['explain', 'a.test', '-c', at])
    assert.match(stdout, /No further links within it are followed: site-duplicates>10/)
  })

  test('--max-urls-per-site stops the following of links there and keeps what was collected', async (t) => {
    const pages: Record<string, string> = {}
    for (let i = 0; i < 200; i++) pages[i === 0 ? '/' : `/${i}`] = links(`/${2 * i + 1}`, `/${2 * i + 2}`)
    const web = await serve(t, { 'a.test': pages, 'b.test': { '/': 'b' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'b.test', '--max-urls-per-site', '20'))
    const count = web.paths('a.test').length
    assert.ok(count >= 10 && count <= 41, `${count}`)
    assert.ok(kept(at).includes('http://b.test/'))
  })

  test('blacklists of URLs and domains; a file that changes is read again while the crawl runs', async (t) => {
    const pages: Record<string, string> = {}
    for (let i = 0; i < 400; i++) pages[i === 0 ? '/' : `/p/${i}`] = links(`/p/${i + 1}`, '/no/x', 'http://bad.test/')
    pages['/no/x'] = 'x'
    const web = await serve(t, { 'a.test': pages, 'bad.test': { '/': 'bad' }, 'x.bad.test': { '/': 'bad' } })
    const urls = file(t, 'http://a.test/no/\n')
    const domains = file(t, 'bad.test\n')
    const at = folder(t)
    const more = [
      '--blacklist-urls',
      urls,
      '--blacklist-domains',
      domains,
      '--scope',
      'tld:test',
      '--max-depth',
      '1000',
    ]
    const args = crawl(web, at, 'a.test', 'x.bad.test', ...more)
    args[args.indexOf('--pause-for') + 1] = '*.test=50ms'
    const running = runTo(0, args)
    while (web.asked.length < 10) await sleep(5)
    writeFileSync(domains, 'bad.test\na.test\n')
    await running
    const asked = web.paths('a.test')
    assert.ok(asked.length > 9 && asked.length < 300, `${asked.length} pages until the change was seen`)
    assert.ok(!asked.includes('/no/x'))
    assert.equal(web.asked.filter(({ host }) => host.includes('bad')).filter(({ path }) => path === '/').length, 0)
    assert.match(
      String(sql(at, `SELECT detail FROM pages WHERE why = 'scope' AND url LIKE '%/p/%'`)[0]?.detail),
      /blacklist/,
    )
  })

  test('a blacklist that cannot be read, or has nonsense in it', async (t) => {
    const missing = await runTo(2, ['crawl', 'a.test', '-c', folder(t), '--blacklist-urls', '/does/not/exist'])
    assert.match(missing.stderr, /exist/)
    const nonsense = await runTo(2, ['crawl', 'a.test', '-c', folder(t), '--blacklist-urls', file(t, 'a.test\n:::\n')])
    assert.match(nonsense.stderr, /line 2/)
  })
})

/** VN's Fig. 5: a site links to an orphan of another, which its own home page does not link to. */
describe('links to other sites', { concurrency: 4 }, () => {
  const fig5 = (): Pages => ({
    'a.test': { '/': links('http://b.test/orphan.html', 'http://seed.test/orphan.html') },
    'b.test': {
      '/': links('/linked.html'),
      '/linked.html': 'linked',
      '/orphan.html': links('/from-orphan.html'),
      '/from-orphan.html': 'o',
    },
    'seed.test': { '/': links('/in.html'), '/in.html': 'in', '/orphan.html': 'orphan' },
  })
  const policy = async (t: Parameters<typeof serve>[0], ...more: string[]) => {
    const web = await serve(t, fig5())
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'seed.test', ...more))
    return { b: web.paths('b.test').sort(), seed: web.paths('seed.test').sort(), at }
  }

  test('home page: never the orphan; links to seeds are dropped and counted', async (t) => {
    const { b, seed, at } = await policy(t, '--scope', 'tld:test', '--links', 'home-page')
    assert.deepEqual(b, ['/', '/linked.html'])
    assert.deepEqual(seed, ['/', '/in.html'])
    assert.equal(counters(at).seedLinksDropped, 1)
  })

  test('home page is the default of tld: scopes', async (t) => {
    assert.deepEqual((await policy(t, '--scope', 'tld:test')).b, ['/', '/linked.html'])
  })

  test('deep: the orphan, and not the home page', async (t) => {
    const { b, seed } = await policy(t, '--scope', 'tld:test', '--links', 'deep')
    assert.deepEqual(b, ['/from-orphan.html', '/orphan.html'])
    assert.deepEqual(seed, ['/', '/in.html', '/orphan.html'])
  })

  test('combined: the orphan and the home page', async (t) => {
    const { b, seed } = await policy(t, '--scope', 'tld:test', '--links', 'combined')
    assert.deepEqual(b, ['/', '/from-orphan.html', '/linked.html', '/orphan.html'])
    assert.deepEqual(seed, ['/', '/in.html', '/orphan.html'])
  })

  test('combined is the default otherwise', async (t) => {
    assert.deepEqual((await policy(t)).seed, ['/', '/in.html', '/orphan.html'])
  })
})

describe('reading', { concurrency: 4 }, () => {
  test('links of every kind, base, entities, charsets, malformed HTML', async (t) => {
    const found = [
      'a',
      'area',
      'frame',
      'iframe',
      'form?q=',
      'canonical',
      'alternate',
      'next',
      'prev',
      'refresh',
      'amp?x=1&y=2',
      'unclosed',
      'unquoted',
    ]
    const body = `<html><head><base href="/base/"><link rel=canonical href="canonical"><link rel="alternate" href="alternate">
      <link rel="next" href="next"><link rel='prev' href='prev'><meta http-equiv="refresh" content="5; url=refresh">
      <title>Caf&eacute; &amp; more</title></head><body><a href="a">a</a><map><area href="area"></map><iframe src="iframe"></iframe>
      <form action="form"><input name=q></form><a href="amp?x=1&amp;y=2">x</a><frameset><frame src=frame></frameset>
      <!-- <a href="comment"> --><script>document.write('<a href="script">')</script><a href=unquoted>y<p><a href="unclosed"><b>z`
    const web = await serve(t, {
      'a.test': {
        '/': body,
        ...Object.fromEntries(
          found.map((name) => [`/base/${name}`, { headers: { 'content-type': 'text/plain' }, body: name }]),
        ),
      },
      'latin.test': {
        '/': {
          headers: { 'content-type': 'text/html; charset=iso-8859-1' },
          body: Buffer.from('<title>\xe9t\xe9</title>', 'latin1'),
        },
      },
      'meta.test': {
        '/': {
          headers: { 'content-type': 'text/html' },
          body: Buffer.from('<meta charset="windows-1251"><title>\xcf\xf0\xe8</title>', 'latin1'),
        },
      },
      'bom.test': {
        '/': { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body: '\uFEFF<title>日本</title>' },
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'latin.test', 'meta.test', 'bom.test'))
    const asked = web
      .paths('a.test')
      .filter((path) => path !== '/')
      .map((path) => path.slice('/base/'.length))
    const wanted = found.filter((name) => name !== 'form?q=')
    for (const name of wanted) assert.ok(asked.includes(name), `${name} of ${asked}`)
    assert.ok(asked.some((name) => name.startsWith('form')))
    assert.ok(!asked.includes('comment') && !asked.includes('script'))
    const title = (host: string) => page(at, `http://${host}/`)?.title
    assert.equal(title('a.test'), 'Café & more')
    assert.equal(title('latin.test'), 'été')
    assert.equal(title('meta.test'), 'При')
    assert.equal(title('bom.test'), '日本')
  })
})
