/** Volumes, index and log of an ordinary crawl, read with a reader that shares no code. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  crawl,
  folder,
  html,
  json,
  links,
  NOT_FOUND,
  responseOf,
  runTo,
  serve,
  serveRaw,
  sql,
  volumes,
  warcRecords,
} from './command.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function sha1(bytes: Buffer): string {
  let bits = ''
  for (const byte of createHash('sha1').update(bytes).digest()) bits += byte.toString(2).padStart(8, '0')
  return `sha1:${(bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('')}`
}

describe('volumes', { concurrency: 4 }, () => {
  test('WARC 1.1: warcinfo first, request and response tied, digests right, the head and the payload as they came', async (t) => {
    const packed = gzipSync('<p>packed</p>')
    const web = await serve(t, {
      'a.test': {
        '/': links('/chunked', '/packed', '/moved', '/gone'),
        '/chunked': (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html' })
          response.write('<p>one ')
          response.end('two</p>')
        },
        '/packed': { headers: { 'content-encoding': 'gzip' }, body: packed },
        '/moved': { status: 302, headers: { location: '/' }, body: 'over there' },
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const records = warcRecords(at)
    assert.equal(records[0].headers['WARC-Type'], 'warcinfo')
    assert.match(records[0].block.toString(), /software: orbweaver\//i)
    const types = records.slice(1).map(({ headers }) => headers['WARC-Type'])
    assert.equal(types.filter((type) => type === 'request').length, 6)
    assert.equal(types.filter((type) => type === 'response' || type === 'revisit').length, 6)
    for (const { headers, block } of records) {
      if (headers['WARC-Block-Digest'] !== undefined) assert.equal(headers['WARC-Block-Digest'], sha1(block))
      assert.match(headers['WARC-Date'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    }
    const answers = records.filter(({ headers }) => headers['WARC-Type'] === 'response')
    const requests = records.filter(({ headers }) => headers['WARC-Type'] === 'request')
    for (const { headers } of answers) {
      assert.equal(headers['WARC-IP-Address'], '127.0.0.1')
      assert.match(headers['WARC-Protocol'], /^http\/1\.1$/)
      assert.match(headers['WARC-Payload-Digest'], /^sha1:[A-Z2-7]{32}$/)
      const tied = requests.filter(
        (request) =>
          request.headers['WARC-Concurrent-To'] === headers['WARC-Record-ID'] ||
          headers['WARC-Concurrent-To'] === request.headers['WARC-Record-ID'],
      )
      assert.equal(tied.length, 1)
      assert.equal(tied[0].headers['WARC-Target-URI'], headers['WARC-Target-URI'])
    }
    const chunked = responseOf(at, 'http://a.test/chunked').block.toString()
    assert.match(chunked, /^X-Crawler-Transfer-Encoding: chunked\r$/im)
    assert.doesNotMatch(chunked, /^Transfer-Encoding:/im)
    assert.match(chunked, /\r\n\r\n<p>one two<\/p>$/)
    const raw = responseOf(at, 'http://a.test/packed').block
    assert.ok(raw.subarray(raw.indexOf('\r\n\r\n') + 4).equals(packed))
    for (const { headers, block } of answers)
      assert.equal(headers['WARC-Payload-Digest'], sha1(block.subarray(block.indexOf('\r\n\r\n') + 4)))
  })

  test('one gzip member a record, at the offsets that the catalogue and the index name', async (t) => {
    const web = await serve(t, { 'a.test': { '/': links('/b', '/c'), '/b': 'b', '/c': 'c' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const captures = sql(at, 'SELECT url, volume, offset, length FROM captures')
    assert.equal(captures.length, 4)
    for (const { url, volume, offset, length } of captures) {
      const member = Buffer.alloc(Number(length))
      readSync(openSync(join(at, 'archive', String(volume)), 'r'), member, 0, Number(length), Number(offset))
      assert.match(gunzipSync(member).toString(), new RegExp(`^WARC/1\\.1\r\n[\\s\\S]*WARC-Target-URI: ${url}\r\n`))
    }
    const index = readFileSync(join(at, 'indexes/index.cdxj'), 'utf8').trim().split('\n')
    assert.equal(index.length, 4)
    for (const line of index) {
      const [, key, stamp, fields] = /^(\S+) (\d{14}) (\{.*\})$/.exec(line) ?? assert.fail(line)
      const found = JSON.parse(fields) as Record<string, string>
      assert.ok(key.startsWith('test,a)/') && stamp.length === 14)
      const capture = captures.find(({ url }) => url === found.url)
      assert.deepEqual(
        [found.offset, found.length, found.filename],
        [String(capture?.offset), String(capture?.length), capture?.volume],
      )
    }
  })

  test('a payload that is there already becomes a revisit of the response, never of a revisit', async (t) => {
    const same = '<p>the same words everywhere</p>'
    const web = await serve(t, { 'a.test': { '/': links('/1'), '/1': same, '/2': same, '/3': same } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    await runTo(0, crawl(web, at, 'http://a.test/2'))
    await runTo(0, crawl(web, at, 'http://a.test/3'))
    const revisits = warcRecords(at).filter(({ headers }) => headers['WARC-Type'] === 'revisit')
    assert.equal(revisits.length, 2)
    const original = responseOf(at, 'http://a.test/1')
    for (const { headers, block } of revisits) {
      assert.equal(headers['WARC-Refers-To-Target-URI'], 'http://a.test/1')
      assert.equal(headers['WARC-Refers-To-Date'], original.headers['WARC-Date'])
      assert.equal(headers['WARC-Payload-Digest'], original.headers['WARC-Payload-Digest'])
      assert.match(headers['WARC-Profile'], /identical-payload-digest/)
      assert.ok(!block.includes('the same words'))
    }
    assert.equal((await runTo(0, ['get', 'http://a.test/3', '-c', at])).stdout, same)
    const { documents, duplicates } = await json<{ documents: number; duplicates: number }>(['report', '-c', at])
    assert.deepEqual([documents, duplicates], [4, 2])
  })

  test('volumes roll before they are too large; names say where and when', async (t) => {
    const pages: Record<string, string> = {}
    for (let i = 0; i < 12; i++) {
      const noise = Array.from({ length: 14_000 }, (_, j) => Math.sin(i * 1e5 + j).toString(36)).join(' ')
      pages[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`) + noise
    }
    const web = await serve(t, { 'a.test': pages })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--volume-size', '1MB'))
    assert.ok(volumes(at).length > 1)
    for (const name of volumes(at)) {
      assert.match(name, /^[A-Z]+-\d{17}-\d{5}-.+\.warc\.gz$/)
      const bytes = readFileSync(join(at, 'archive', name))
      assert.ok(bytes.length <= 1_100_000, `${name}: ${bytes.length}`)
      assert.match(gunzipSync(bytes).toString('latin1', 0, 60), /WARC\/1\.1\r\nWARC-Type: warcinfo/)
    }
    assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
  })
})

describe('verify', { concurrency: 4 }, () => {
  const damages: [string, (at: string) => void][] = [
    [
      'a byte of a volume',
      (at) => {
        const path = join(at, 'archive', volumes(at)[0])
        const bytes = readFileSync(path)
        bytes[bytes.length - 200] ^= 0xff
        writeFileSync(path, bytes)
      },
    ],
    [
      'the end of a volume',
      (at) => {
        const path = join(at, 'archive', volumes(at)[0])
        writeFileSync(path, readFileSync(path).subarray(0, -300))
      },
    ],
    ['a whole volume', (at) => rmSync(join(at, 'archive', volumes(at)[0]))],
    [
      'a line of the index',
      (at) => {
        const path = join(at, 'indexes/index.cdxj')
        writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'))
      },
    ],
    [
      'a row of the catalogue',
      (at) => {
        const database = new DatabaseSync(join(at, 'collection.db'))
        database.exec('DELETE FROM capture WHERE id = (SELECT max(id) FROM capture)')
        database.close()
      },
    ],
  ]
  for (const [what, damage] of damages) {
    test(`finds ${what} that is missing or wrong, exit 1`, async (t) => {
      const web = await serve(t, { 'a.test': { '/': links('/b', '/c'), '/b': 'b'.repeat(500), '/c': 'c' } })
      const at = folder(t)
      await runTo(0, crawl(web, at, 'a.test'))
      assert.match((await runTo(0, ['verify', '-c', at])).stdout, /No faults: /)
      damage(at)
      const { stdout, stderr } = await runTo(1, ['verify', '-c', at])
      assert.match(stderr, /orbweaver: found \d+ faults? /)
      assert.ok(stdout.length > 10, 'says where')
      const { faults } = JSON.parse((await runTo(1, ['verify', '--json', '-c', at])).stdout) as { faults: unknown[] }
      assert.ok(faults.length > 0)
    })
  }
})

describe('index and log', { concurrency: 4 }, () => {
  test('the index is sorted bytewise, also after going on', async (t) => {
    const names = ['/z', '/a', '/B', '/~u', '/é', '/a?b=1', '/a/b', '/a-b', '/%2F', '/0', '/A']
    const web = await serve(t, {
      'b.test': { '/': links(...names) },
      'a-b.test': { '/': links('/x') },
      'a.test': { '/': links('/y') },
      'a.b.test': { '/': 'ab' },
    })
    for (const host of Object.keys(web.pages))
      for (const name of [...names, '/x', '/y']) web.pages[host][encodeURI(name).replaceAll('%25', '%')] ??= name
    const at = folder(t)
    await runTo(0, crawl(web, at, 'b.test', 'a-b.test'))
    await runTo(0, crawl(web, at, 'a.test', 'a.b.test'))
    const path = join(at, 'indexes/index.cdxj')
    execFileSync('sort', ['-c', path], { env: { LC_ALL: 'C', PATH: process.env['PATH'] } })
    const exported = await runTo(0, ['export', 'cdxj', '-c', at])
    assert.equal(exported.stdout, readFileSync(path, 'utf8'))
    assert.equal(exported.stdout.trim().split('\n').length, sql(at, 'SELECT count(*) AS n FROM captures')[0].n)
  })

  test('no URL and no header can forge a line or a column of crawl.log, nor of what commands print', async (t) => {
    const forged = '2031-01-01T00:00:00.000Z   200  1 http://forged.test/'
    const target = `/a\\n${forged}`
    const hrefs = [
      `/x&#10;${forged}`,
      `/x%0a${forged}`,
      `/y&#13;&#10;${forged}`,
      `/z\u2028${forged}`,
      `/tab&#9;col`,
      `/esc&#27;[31mred`,
      '/nul%00x',
      `/${encodeURIComponent('\n')}${forged}`,
    ]
    const raw = await serveRaw(t, (path, socket) => {
      if (path === '/robots.txt') socket.write(NOT_FOUND)
      else if (path === '/') socket.write(html(links(...hrefs, target, '/type', '/loc')))
      else if (path === '/type') socket.write(html('t').replace('text/html', `text/html\t${forged}\x1b[2J`))
      else if (path === '/loc')
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /t\x0b${forged}\r\nContent-Length: 0\r\n\r\n`)
      else socket.write(html(`<title>evil\x1b[2J&#10;${forged}</title>`))
    })
    const at = folder(t)
    const { stderr } = await runTo(0, crawl(raw, at, 'a.test', '--verbose', '--trust', '*'))
    const log = readFileSync(join(at, 'logs/crawl.log'), 'utf8')
    const lines = log.split('\n').slice(0, -1)
    const actions = sql(at, 'SELECT count(*) AS n FROM pages')[0].n
    assert.equal(lines.length, Number(actions) + 1, 'a line for each page and one for robots.txt')
    for (const line of lines) {
      assert.match(line, /^[\x20-\x7e]+$/)
      assert.doesNotMatch(line, /^2031/)
      assert.equal(line.split(/ +/).length, 12, line)
      assert.match(line.split(/ +/)[3], /^http:\/\/a\.test\//)
    }
    assert.doesNotMatch(stderr, /\x1b/)
    assert.doesNotMatch(stderr, /^2031/m)
    const links2 = await runTo(0, ['export', 'links', '-c', at])
    for (const line of links2.stdout.trim().split('\n')) assert.equal(line.split('\t').length, 2, line)
    const report = await runTo(0, ['report', '-c', at])
    assert.doesNotMatch(report.stdout, /\x1b/)
    for (const { url } of sql(at, 'SELECT url FROM urls')) {
      const { stdout } = await runTo(0, ['explain', String(url), '-c', at])
      assert.doesNotMatch(stdout, /\x1b|^2031/m)
    }
  })
})
