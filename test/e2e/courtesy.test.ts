/** The pause, judged by the server's own clock, from the end of an answer to the next request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, crawl, folder, kept, links, page, runTo, serve, start, until } from './command.ts'

/** Between the end of each answer and the next request, in order of arrival. */
function gaps(asked: readonly Asked[]): number[] {
  return asked.slice(1).map((entry, i) => entry.at - asked[i].endAt)
}

/** `crawl` without the pause of the tests' own hosts. */
function politely(...given: Parameters<typeof crawl>): string[] {
  const args = crawl(...given)
  args.splice(args.indexOf('--pause-for'), 2)
  return args
}

function assertGaps(asked: readonly Asked[], min: number): void {
  for (const gap of gaps(asked)) assert.ok(gap >= min, `a request ${gap} ms after the answer before it, not ${min}`)
}

describe('the pause', { concurrency: 8 }, () => {
  test('2 s by default, from the end of the answer, robots.txt included', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': async (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html' })
          response.write(links('/b'))
          // A pause that counted from the request, or from the head, would be over too soon.
          await sleep(700)
          response.end('<p>late</p>')
        },
        '/b': 'b',
      },
    })
    await runTo(0, politely(web, folder(t), 'a.test'))
    assert.deepEqual(
      web.asked.map(({ path }) => path),
      ['/robots.txt', '/', '/b'],
    )
    assertGaps(web.asked, 2000)
    assert.ok(gaps(web.asked)[0] < 4000, 'and not much longer')
  })

  test('a factor of the answer time, bounded', async (t) => {
    const slow = (body: string) => async (_request: unknown, response: import('node:http').ServerResponse) => {
      await sleep(900)
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(body)
    }
    const web = await serve(t, { 'a.test': { '/': slow(links('/b')), '/b': slow(links('/c')), '/c': 'c' } })
    await runTo(
      0,
      politely(web, folder(t), 'a.test', '--pause', '1s', '--pause-factor', '4', '--max-slow-pause', '2500ms'),
    )
    const [first, ...rest] = gaps(web.asked)
    assert.ok(first >= 1000 && first < 2000, `${first}`)
    for (const gap of rest) assert.ok(gap >= 2500 && gap < 3500, `${gap}`)
  })

  test('one request at a time to a site, sites beside each other', async (t) => {
    const wait = async (_request: unknown, response: import('node:http').ServerResponse) => {
      await sleep(150)
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(links('/1', '/2', '/3'))
    }
    const site = { '/': wait, '/1': wait, '/2': wait, '/3': wait }
    const hosts = ['a.test', 'b.test', 'c.test', 'd.test']
    const web = await serve(t, Object.fromEntries(hosts.map((host) => [host, site])))
    await runTo(0, crawl(web, folder(t), ...hosts))
    for (const host of hosts)
      assertGaps(
        web.asked.filter((entry) => entry.host === host),
        0,
      )
    const mixed = web.asked.slice(1).some((entry, i) => entry.at < web.asked[i].endAt)
    assert.ok(mixed, 'different sites are asked at the same time')
  })

  test('Crawl-delay, also for the page after robots.txt, also for a host of one’s own', async (t) => {
    const robots = 'User-agent: *\nCrawl-delay: 1.5\n'
    const web = await serve(t, { 'a.test': { '/robots.txt': robots, '/': links('/b'), '/b': 'b' } })
    await runTo(0, crawl(web, folder(t), 'a.test'))
    assert.equal(web.asked.length, 3)
    assertGaps(web.asked, 1500)
  })

  for (const [form, value] of [
    ['seconds', () => '3'],
    ['a date', () => new Date(Date.now() + 4000).toUTCString()],
  ] as const) {
    test(`Retry-After as ${form}`, async (t) => {
      let times = 0
      const web = await serve(t, {
        'a.test': {
          '/': links('/b', '/c'),
          '/b': (_request, response) => {
            if (++times === 1) response.writeHead(503, { 'retry-after': value() })
            else response.writeHead(200, { 'content-type': 'text/html' })
            response.end('b')
          },
          '/c': 'c',
        },
      })
      const at = folder(t)
      await runTo(0, crawl(web, at, 'a.test'))
      const busy = web.asked.findIndex(({ path }) => path === '/b')
      const next = web.asked[busy + 1]
      assert.ok(next.at - web.asked[busy].endAt >= 2900, `the whole site waited ${next.at - web.asked[busy].endAt} ms`)
      assert.deepEqual(kept(at), ['http://a.test/', 'http://a.test/b', 'http://a.test/c'])
      assert.equal(page(at, 'http://a.test/b')?.tries, 2)
    })
  }

  test('http and https of a host are one site', async (t) => {
    const both = {
      '/': links('https://a.test/s1', '/h1', 'https://a.test/s2', '/h2'),
      '/h1': 'h1',
      '/h2': 'h2',
      '/s1': 's1',
      '/s2': 's2',
    }
    const web = await serve(t, { 'a.test': both })
    const at = folder(t)
    await runTo(0, politely(web, at, 'http://a.test/', '--pause', '1s', '--pause-factor', '1'))
    assert.equal(kept(at).length, 5)
    assertGaps(web.asked, 1000)
    const robots = web.asked.filter(({ path }) => path === '/robots.txt').map(({ scheme }) => scheme)
    assert.deepEqual(robots.sort(), ['http', 'https'], 'each scheme has its robots.txt, asked once')
  })

  test('sites at one address share its pause', async (t) => {
    const hosts = ['a.test', 'b.test', 'c.test']
    const web = await serve(t, Object.fromEntries(hosts.map((host) => [host, { '/': host }])))
    await runTo(0, politely(web, folder(t), ...hosts, '--pause', '1s', '--address-pause', '600ms'))
    assert.equal(web.asked.length, 6)
    assertGaps(web.asked, 600)
  })

  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    test(`it holds across ${signal} and a start at once, a Crawl-delay learnt a moment before too`, async (t) => {
      const web = await serve(t, {
        'a.test': { '/robots.txt': 'User-agent: *\nCrawl-delay: 4\n', '/': links('/b'), '/b': 'b' },
      })
      const at = folder(t)
      const first = start(crawl(web, at, 'a.test'))
      // Durable before the second request: so the moment of that request is the earliest to judge from.
      await until('the home page', () => web.asked.length === 2)
      first.child.kill(signal)
      await first.ended
      await runTo(0, crawl(web, at, 'a.test'))
      assertGaps(web.asked, 4000)
      assert.ok(web.paths('a.test').includes('/b'))
    })
  }

  test('a Retry-After holds across a kill at once', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': links('/b', '/c'),
        '/b': { status: 429, headers: { 'retry-after': '6' } },
        '/c': 'c',
      },
    })
    const at = folder(t)
    const first = start(crawl(web, at, 'a.test'))
    const busy = await until('the 429', () => web.asked.find(({ path, endAt }) => path === '/b' && endAt < Infinity))
    // It is durable before the next request would be made; a kill before that may forget what nobody has acknowledged.
    await until('its report', () => page(at, 'http://a.test/b'))
    first.child.kill('SIGKILL')
    await first.ended
    web.pages['a.test']['/b'] = 'b'
    await runTo(0, crawl(web, at, 'a.test'))
    const next = web.asked[web.asked.indexOf(busy) + 1]
    assert.ok(next.at - busy.endAt >= 5900, `${next.at - busy.endAt}`)
    assert.deepEqual(kept(at), ['http://a.test/', 'http://a.test/b', 'http://a.test/c'])
  })
})

describe('what would be impolite is an error', { concurrency: 4 }, () => {
  for (const [flag, value] of [
    ['--pause', '0.5s'],
    ['--pause', '0s'],
    ['--pause-for', '*=0'],
    ['--pause-for', '*=0s'],
    ['--pause-for', '*.com=0s'],
    ['--pause-for', 'com=0s'],
    ['--pause-for', '*.co.uk=0.1s'],
    ['--pause-for', '*.github.io=0s'],
    ['--address-pause', '0s'],
    ['--pause-factor', '0'],
    ['--max-slow-pause', '1s'],
    ['--user-agent-name', 'Googlebot'],
  ]) {
    test(`${flag} ${value}`, async (t) => {
      const { stderr } = await runTo(2, ['crawl', 'a.test', '-c', folder(t), flag, value])
      assert.ok(stderr.includes(flag), stderr)
    })
  }

  test('in the environment and in a file too', async (t) => {
    const args = ['crawl', 'a.test', '-c', folder(t)]
    assert.match((await runTo(2, args, { env: { ORBWEAVER_PAUSE: '10ms' } })).stderr, /ORBWEAVER_PAUSE/)
    assert.match((await runTo(2, args, { env: { ORBWEAVER_PAUSE_FOR: '*=1s' } })).stderr, /ORBWEAVER_PAUSE_FOR/)
  })

  test('one’s own are no error', async (t) => {
    for (const host of ['www.example.org=0s', '*.example.org=0s', '127.0.0.1=0s', '*.test=0s', 'localhost=0s'])
      await runTo(0, ['config', '-c', folder(t), '--pause-for', host])
  })
})
