/** Servers that misbehave. Everything ends, everything is bounded, each failure has its line. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  counters,
  crawl,
  folder,
  html,
  kept,
  links,
  NOT_FOUND,
  page,
  responseOf,
  runTo,
  serve,
  serveRaw,
  sql,
  warcRecords,
} from './command.ts'

const HASTE = ['--first-byte-timeout', '1s', '--idle-timeout', '1s', '--exchange-timeout', '3s']

/** One hostile page beside an honest one. */
async function hostile(
  t: Parameters<typeof serveRaw>[0],
  answer: (socket: Socket) => void,
  more: readonly string[] = HASTE,
) {
  const raw = await serveRaw(t, (path, socket) => {
    if (path === '/') socket.write(html(links('/bad', '/good')))
    else if (path === '/good') socket.write(html('good'))
    else if (path === '/bad') answer(socket)
    else socket.write(NOT_FOUND)
  })
  const at = folder(t)
  const ended = await runTo(0, crawl(raw, at, 'a.test', ...more))
  assert.ok(kept(at).includes('http://a.test/good'), 'the honest page is collected')
  const times = raw.heads.filter((head) => head.startsWith('GET /bad ')).length
  return { at, ended, times, bad: page(at, 'http://a.test/bad') }
}

/** Pieces without end, until the other side has had enough. */
function pour(socket: Socket, piece: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

async function drip(socket: Socket, head: string, piece: string, everyMs: number): Promise<void> {
  socket.write(head)
  while (!socket.destroyed) {
    socket.write(piece)
    await sleep(everyMs)
  }
}

/** What came is kept, and says that it is not all. */
function assertCutByTime(at: string, bad: ReturnType<typeof page>): void {
  assert.equal(bad?.outcome, 'kept')
  assert.match(String(bad?.annotations), /timeTrunc/)
  assert.equal(responseOf(at, 'http://a.test/bad').headers['WARC-Truncated'], 'time')
}

describe('servers that do not come to an end', { concurrency: 6 }, () => {
  test('a drip-feed of a body ends at the deadline', async (t) => {
    const { bad, at, ended } = await hostile(t, (socket) => {
      void drip(socket, 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n', 'x', 100)
    })
    assertCutByTime(at, bad)
    assert.ok(ended.ms < 20_000)
  })

  test('a drip-feed ends by its rate, long before the deadline', async (t) => {
    const { bad, at, ended } = await hostile(
      t,
      (socket) => void drip(socket, 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n', 'x'.repeat(20), 200),
      [],
    )
    assertCutByTime(at, bad)
    assert.ok(ended.ms < 40_000, 'the deadline of the whole exchange is 60 s')
  })

  test('a drip-feed of a head', async (t) => {
    const { bad } = await hostile(t, (socket) => void drip(socket, 'HTTP/1.1 200 OK\r\n', 'X-More: and more\r\n', 100))
    assert.equal(bad?.outcome, 'gone')
    assert.match(String(bad?.why), /timeout/)
  })

  test('silence before the answer, and in its middle', async (t) => {
    const silent = await hostile(t, () => {})
    assert.equal(silent.bad?.why, 'first-byte-timeout')
    assert.equal(silent.times, 3)
    const idle = await hostile(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'))
    assertCutByTime(idle.at, idle.bad)
  })

  test('a head without end', async (t) => {
    const { bad, times } = await hostile(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      pour(socket, `X-More: ${'y'.repeat(1000)}\r\n`)
    })
    assert.equal(bad?.why, 'head-too-large')
    assert.equal(times, 1)
  })

  test('interim answers without end, chunk extensions, trailers', async (t) => {
    const interim = await hostile(t, (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'))
    assert.equal(interim.bad?.outcome, 'gone')
    const chunked = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n'
    const extension = await hostile(t, (socket) => {
      socket.write(`${chunked}5;x=`)
      pour(socket, 'y'.repeat(1000))
    })
    assert.equal(extension.bad?.outcome, 'gone')
    const trailer = await hostile(t, (socket) => {
      socket.write(`${chunked}3\r\nabc\r\n0\r\n`)
      pour(socket, `X-More: ${'y'.repeat(1000)}\r\n`)
    })
    assert.ok(trailer.bad !== undefined && trailer.bad.outcome !== 'later')
  })

  test('a body without end is cut at its limit, kept and marked', async (t) => {
    let sent = 0
    const { at, bad } = await hostile(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>endless</title>')
      socket.on('close', () => {
        sent = socket.bytesWritten
      })
      pour(socket, '<p>and on and on</p>\n'.repeat(1000))
    })
    assert.equal(bad?.outcome, 'kept')
    assert.equal(bad?.title, 'endless')
    assert.match(String(bad?.annotations), /lenTrunc/)
    const record = responseOf(at, 'http://a.test/bad')
    assert.equal(record.headers['WARC-Truncated'], 'length')
    assert.ok(Number(bad?.bytes) <= 2_000_000 && Number(bad?.bytes) >= 1_900_000, `${bad?.bytes}`)
    assert.ok(sent < 12_000_000, `${sent} bytes were taken; what buffers of both sides hold is no download`)
    assert.equal(counters(at).cut, 1)
  })

  test('--max-bytes by media type', async (t) => {
    const body = 'z'.repeat(50_000)
    const web = await serve(t, {
      'a.test': {
        '/': links('/t'),
        '/t': { headers: { 'content-type': 'text/plain' }, body },
        '/robots.txt': { status: 404 },
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--max-bytes', 'text/plain=10kB'))
    assert.equal(page(at, 'http://a.test/t')?.bytes, 10_000)
    assert.equal(responseOf(at, 'http://a.test/t').headers['WARC-Truncated'], 'length')
  })

  test('a gzip bomb is bounded', async (t) => {
    const bomb = gzipSync(Buffer.alloc(400_000_000, '<p>boom</p>'), { level: 9 })
    const { bad, at, ended } = await hostile(
      t,
      (socket) => {
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`,
        )
        socket.write(bomb)
      },
      [],
    )
    assert.ok(ended.ms < 30_000)
    assert.equal(bad?.outcome, 'kept')
    const [row] = sql(at, `SELECT bytes FROM pages WHERE url = 'http://a.test/bad'`)
    assert.ok(Number(row.bytes) <= 2_000_000)
  })
})

describe('what is not HTTP, or ambiguous', { concurrency: 6 }, () => {
  for (const [name, answer, why] of [
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', /protocol/],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', /protocol/],
  ] as const) {
    test(name, async (t) => {
      const { bad, times } = await hostile(t, (socket) => void socket.end(answer))
      assert.equal(bad?.outcome, 'gone')
      assert.match(String(bad?.why), why)
      assert.equal(times, 2)
    })
  }

  test('a connection that breaks off in the body: what came is kept and marked, or the page is tried again', async (t) => {
    const { at, bad } = await hostile(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<title>half</title>')
      setImmediate(() => socket.destroy())
    })
    assert.ok(bad !== undefined && bad.outcome !== 'later')
    if (bad.outcome === 'kept')
      assert.equal(responseOf(at, 'http://a.test/bad').headers['WARC-Truncated'], 'disconnect')
  })
})

describe('what is not wanted', { concurrency: 4 }, () => {
  test('a body of an unwanted media type: at most 64 KB are sent by a server that sends in small pieces', async (t) => {
    const sent: number[] = []
    const raw = await serveRaw(t, (path, socket) => {
      if (path === '/') return void socket.write(html(links('/video', '/after')))
      if (path === '/after') return void socket.write(html('after'))
      if (path !== '/video') return void socket.write(NOT_FOUND)
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 50000000\r\n\r\n')
      const piece = Buffer.alloc(8192)
      // A piece leaves when the one before is gone, and a moment after: a server at the speed of a network.
      const next = () => setTimeout(() => !socket.destroyed && socket.write(piece, next), 5)
      next()
      socket.on('close', () => sent.push(socket.bytesWritten))
    })
    const at = folder(t)
    await runTo(0, crawl(raw, at, 'a.test'))
    assert.equal(sent.length, 1)
    assert.ok(sent[0] <= 65_536, `${sent[0]} bytes`)
    const video = page(at, 'http://a.test/video')
    assert.equal(video?.why, 'unwanted')
    assert.equal(counters(at)['unwanted:video/mp4'], 1)
    assert.ok(kept(at).includes('http://a.test/after'))
  })

  test('what its name tells is not asked for, and is counted by kind', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': `${links('/a.zip', '/b.mp3', 'mailto:x@a.test', 'javascript:x()', 'ftp://a.test/')}<img src="/c.png"><link rel="stylesheet" href="/d.css">`,
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    assert.deepEqual(web.paths('a.test'), ['/'])
    const unwanted = Object.entries(counters(at)).filter(([name]) => name.startsWith('unwanted:'))
    const kinds = Object.fromEntries(unwanted.map(([name, n]) => [name.slice('unwanted:'.length), n]))
    for (const kind of ['archive', 'audio', 'mailto', 'javascript', 'ftp']) assert.equal(kinds[kind], 1, kind)
  })

  test('--media-types', async (t) => {
    const typed = (type: string) => ({ headers: { 'content-type': type }, body: type })
    const web = await serve(t, {
      'a.test': {
        '/': links('/html', '/plain', '/json', '/png.png'),
        '/html': 'x',
        '/plain': typed('text/plain'),
        '/json': typed('application/json'),
        '/png.png': typed('image/png'),
      },
    })
    const some = folder(t)
    await runTo(0, crawl(web, some, 'a.test', '--media-types', 'text/html,image/*'))
    assert.deepEqual(kept(some), ['http://a.test/', 'http://a.test/html', 'http://a.test/png.png'])
    const all = folder(t)
    await runTo(0, crawl(web, all, 'a.test', '--media-types', '*/*'))
    assert.equal(kept(all).length, 5)
  })
})

describe('redirects', { concurrency: 4 }, () => {
  const to = (location: string, status = 302) => ({ status, headers: { location }, body: 'moved' })

  test('are outcomes, their targets links; loops end; each hop is asked once', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': links('/self', '/ping', '/one', '/endless/0', '/abroad', '/nowhere', '/loc'),
        '/self': to('/self'),
        '/ping': to('/pong'),
        '/pong': to('/ping', 301),
        '/one': to('two', 307),
        '/two': to('http://a.test/end', 308),
        '/end': 'end',
        '/abroad': to('http://other.test/'),
        '/nowhere': { status: 302, body: 'no location' },
        '/loc': to('http://[bad/'),
      },
      'other.test': { '/': 'other' },
    })
    for (let i = 0; i < 100; i++) web.pages['a.test'][`/endless/${i}`] = to(`/endless/${i + 1}`)
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--max-depth', '20'))
    const paths = web.paths('a.test')
    assert.equal(new Set(paths).size, paths.length, 'nothing is asked twice')
    assert.deepEqual(kept(at), ['http://a.test/', 'http://a.test/end'])
    assert.deepEqual(web.paths('other.test'), [], 'out of scope')
    assert.equal(page(at, 'http://a.test/one')?.detail, 'http://a.test/two')
    assert.equal(page(at, 'http://a.test/two')?.outcome, 'moved')
    assert.ok(paths.length < 40, 'a chain without end ends at the depth')
    assert.equal(page(at, 'http://a.test/nowhere')?.outcome, 'gone')
  })

  test('credentials in links and in redirects are never sent, nor archived', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': links('http://user:secret@a.test/login', '/go'),
        '/go': to('http://me:hidden@a.test/target'),
        '/login': { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: 'no' },
        '/target': 'target',
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    for (const { headers } of web.asked) assert.equal(headers.authorization, undefined)
    const requests = warcRecords(at).filter(({ headers }) => headers['WARC-Type'] === 'request')
    for (const { headers, block } of requests) {
      assert.doesNotMatch(block.toString(), /secret|hidden/)
      assert.doesNotMatch(headers['WARC-Target-URI'], /secret|hidden/)
    }
    assert.ok(!web.paths('a.test').some((path) => path.includes('secret')))
    for (const { url } of sql(at, 'SELECT url FROM urls')) assert.doesNotMatch(String(url), /secret|hidden/)
  })
})

describe('cookies', { concurrency: 4 }, () => {
  test('are kept during a visit, for their host only, and bounded', async (t) => {
    const web = await serve(t, {
      'a.test': {
        '/': { headers: { 'set-cookie': ['session=abc; Path=/', 'other=1; Domain=b.test'] }, body: links('/b') },
        '/b': 'b',
      },
      'b.test': { '/': links('/c'), '/c': 'c' },
      'many.test': {
        '/': {
          headers: { 'set-cookie': Array.from({ length: 50 }, (_, i) => `c${i}=${'v'.repeat(200)}`) },
          body: links('/d'),
        },
        '/d': 'd',
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'b.test', 'many.test'))
    const cookie = (host: string, path: string) =>
      web.asked.find((entry) => entry.host === host && entry.path === path)?.headers.cookie
    assert.equal(cookie('a.test', '/'), undefined)
    assert.equal(cookie('a.test', '/b'), 'session=abc')
    assert.equal(cookie('b.test', '/'), undefined)
    assert.equal(cookie('b.test', '/c'), undefined)
    assert.ok((cookie('many.test', '/d') ?? '').length < 9000)
    // Not beyond the visit.
    web.pages['a.test']['/new'] = 'new'
    await runTo(0, crawl(web, at, 'http://a.test/new'))
    assert.equal(cookie('a.test', '/new'), undefined)
  })
})

describe('the failure table', { concurrency: 4 }, () => {
  test('each status its outcome, and its number of requests', async (t) => {
    const statuses = { 401: 1, 403: 1, 404: 1, 410: 1, 418: 1, 429: 5, 500: 3, 503: 4, 408: 3, 999: 1 }
    const pages = Object.fromEntries(
      Object.keys(statuses).map((status) => [`/${status}`, { status: Number(status), body: 'x' }]),
    )
    const web = await serve(t, { 'a.test': { '/': links(...Object.keys(pages)), ...pages } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    for (const [status, tries] of Object.entries(statuses)) {
      assert.equal(web.paths('a.test').filter((path) => path === `/${status}`).length, tries, `requests of ${status}`)
      assert.equal(page(at, `http://a.test/${status}`)?.outcome, 'gone', status)
      assert.equal(counters(at)[`status:${status}`] ?? 0, tries + (status === '404' ? 1 : 0))
    }
    assert.equal(page(at, 'http://a.test/410')?.why, 'status-410')
  })

  test('a site that answers nothing is given up after bounded tries, the others go on', async (t) => {
    const raw = await serveRaw(t, (path, socket, head) => {
      if (path === '/robots.txt') socket.write(NOT_FOUND)
      else if (head.includes('Host: dead.test')) return
      else socket.write(html('fine'))
    })
    const at = folder(t)
    const seeds = Array.from({ length: 12 }, (_, i) => `http://dead.test/${i}`)
    await runTo(0, crawl(raw, at, 'live.test', ...seeds, '--first-byte-timeout', '300ms'))
    assert.ok(kept(at).includes('http://live.test/'))
    const dead = sql(at, `SELECT state, reason FROM sites WHERE site = 'dead.test'`)[0]
    assert.equal(dead.state, 'barred', 'given up')
    assert.ok(raw.heads.filter((head) => head.includes('dead.test')).length < 40)
  })
})
