/** `orbweaver seed` from every source; names that answer in some way or not at all. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  CONTACT,
  crawl,
  file,
  folder,
  html,
  json,
  kept,
  run,
  runTo,
  type Scene,
  serve,
  serveRaw,
  sql,
  start,
  until,
} from './command.ts'

interface Standing {
  sources: { source: string; waiting: number; collected: number; moved: number; dead: number; refused: number }[]
}

interface Seeded {
  added: number
  known: number
  dead: number
  refused: number
  repeated: number
  stopped: boolean
  sources: {
    source: string
    name: string
    new: number
    examples: { at: number; text: string; why: string }[]
    damage: string | null
  }[]
}

const home = { '/': '<title>home</title>' }

/** Answers that no name exists. */
async function noNames(scene: Scene): Promise<string[]> {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const answer = Buffer.from(question)
    answer.writeUInt16BE(0x8183, 2)
    socket.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  scene.after(() => socket.close())
  return ['--dns-servers', `127.0.0.1:${socket.address().port}`]
}

describe('seed', { concurrency: 4 }, () => {
  test('names that answer over https, only with www., only over http, only with both, and not at all', async (t) => {
    const web = await serve(t, {
      'both.test': home,
      'www.both.test': home,
      'www.prefixed.test': home,
      'sub.deep.test': home,
    })
    // Speaks no TLS whatever it is asked.
    const plain = await serveRaw(t, (path, socket, head) => {
      const body =
        path === '/' && !/^host: missing/im.test(head)
          ? html('<title>plain</title>')
          : 'HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n'
      socket.write(body)
    })
    const at = folder(t)
    const names = file(
      t,
      '1,both.test\n2,prefixed.test\n3,plain.test\n4,old.test\n5,nowhere.test\n6,sub.deep.test\n7,www.given.test\n8,Both.TEST\n9,missing.test\n10,not a name\n',
    )
    const seeded = await json<Seeded>(['seed', '--names', names, '-c', at])
    assert.deepEqual([seeded.added, seeded.repeated, seeded.refused], [8, 1, 1])
    assert.deepEqual([seeded.sources[0].source, seeded.sources[0].examples[0].at], ['names', 10])
    assert.deepEqual(web.asked, [])

    const there = (host: string, port: number) => ['--resolve', `${host}=127.0.0.1:${port}`]
    const resolve = [
      ...['both.test', 'www.both.test', 'www.prefixed.test', 'sub.deep.test'].flatMap((host) => there(host, web.port)),
      ...['plain.test', 'www.old.test', 'given.test', 'missing.test'].flatMap((host) => there(host, plain.port)),
      ...(await noNames(t)),
    ]
    const limits = [
      '--pause-for',
      '*.test=0s',
      '--patience',
      '0.001',
      '--workers',
      '1',
      '--connect-timeout',
      '500ms',
      '--first-byte-timeout',
      '500ms',
    ]
    await runTo(0, ['crawl', '-c', at, '--contact', CONTACT, ...resolve, ...limits])
    assert.deepEqual(kept(at), [
      'http://given.test/',
      'http://plain.test/',
      'http://www.old.test/',
      'https://both.test/',
      'https://sub.deep.test/',
      'https://www.prefixed.test/',
    ])
    assert.deepEqual(web.paths('www.both.test'), [], 'the first that answers ends the search')
    // Which guess it was, and where it came from, is in the catalogue.
    const [row] = sql(at, `SELECT path, via, depth FROM pages WHERE url = 'http://plain.test/'`)
    assert.deepEqual({ ...row }, { path: 'NNN', via: 'https://www.plain.test/', depth: 0 })
    const { sources } = await json<Standing>(['seed', '--list', '-c', at])
    assert.deepEqual(sources, [{ source: 'names', waiting: 0, collected: 6, moved: 0, dead: 2, refused: 0 }])
    const { stdout } = await runTo(0, ['seed', '--list', '-c', at])
    assert.match(stdout, /source +waiting +collected +moved +dead +refused/)

    const again = await json<Seeded>(['seed', '--names', names, '-c', at])
    assert.deepEqual([again.added, again.known, again.dead], [0, 2, 6])
  })

  test('a name that moves to www. is followed there, in the default scope', async (t) => {
    const moved = { '/': { status: 301, headers: { location: 'https://www.a.test/' } } }
    const web = await serve(t, { 'a.test': moved, 'www.a.test': { '/': '<a href="/next">n</a>', '/next': 'next' } })
    const at = folder(t)
    await runTo(0, ['seed', '--names', file(t, 'a.test\n'), '-c', at])
    await runTo(0, crawl(web, at))
    assert.deepEqual(kept(at), ['https://www.a.test/', 'https://www.a.test/next'])
    const { sources } = await json<Standing>(['seed', '--list', '-c', at])
    assert.equal(sources[0].moved, 1)
  })

  test('an earlier collection: the home pages of the sites that answered, which is only read', async (t) => {
    const web = await serve(t, { 'a.test': { '/page': 'page' }, 'b.test': home, 'c.test': {} })
    const earlier = folder(t)
    await runTo(0, crawl(web, earlier, 'http://a.test/page', 'http://b.test/', 'http://c.test/'))
    const at = folder(t)
    const seeded = await json<Seeded>(['seed', '--from-collection', earlier, '-c', at])
    assert.deepEqual([seeded.added, seeded.sources[0].source], [2, 'collection'])
    assert.deepEqual(
      sql(at, 'SELECT url FROM seeds ORDER BY url').map(({ url }) => url),
      ['http://a.test/', 'http://b.test/'],
    )
    assert.match((await runTo(2, ['seed', '--from-collection', at, '-c', at])).stderr, /is the collection itself/)
    assert.match(
      (await runTo(2, ['seed', '--from-collection', join(at, 'none'), '-c', at])).stderr,
      /no collection here/,
    )
  })

  test('indexes and WARC files of others, home pages only or all, as the crawl of another collection wrote them', async (t) => {
    // Bodies of their own: an index does not tell the status of a revisit.
    const pages = (own: string) => ({
      '/': '<a href="/one">1</a><a href="/missing">2</a>',
      '/one': 'one',
      '/missing': { status: 404, body: `${own} has no such page` },
    })
    const web = await serve(t, { 'a.test': pages('a'), 'b.test': pages('b') })
    const other = folder(t)
    await runTo(0, crawl(web, other, 'http://a.test/', 'http://b.test/'))
    const index = join(other, 'indexes', 'index.cdxj')
    const all = ['http://a.test/', 'http://a.test/one', 'http://b.test/', 'http://b.test/one']
    const urls = (at: string) => sql(at, 'SELECT url FROM seeds ORDER BY url').map(({ url }) => url)
    const fromIndex = folder(t)
    const seeded = await json<Seeded>(['seed', '--from-cdx', index, '-c', fromIndex])
    assert.deepEqual(urls(fromIndex), all)
    assert.ok(seeded.sources[0].examples.some(({ why }) => /status 404/.test(why)))
    const volumes = readdirSync(join(other, 'archive')).map((name) => join(other, 'archive', name))
    const fromWarc = folder(t)
    await runTo(0, ['seed', '--from-warc', ...volumes, '-c', fromWarc])
    assert.deepEqual(urls(fromWarc), all)
    const homes = folder(t)
    await runTo(0, ['seed', '--from-warc', volumes[0], '--homes', '-c', homes])
    assert.deepEqual(urls(homes), ['http://a.test/', 'http://b.test/'])
  })

  test('a damaged file is entered as far as it goes, and named with the place (exit code 1)', async (t) => {
    const at = folder(t)
    const lines = Array.from(
      { length: 20_000 },
      (_, i) => `test,n${i})/ 20200101000000 {"url": "http://n${i}.test/", "status": "200"}`,
    )
    const packed = gzipSync(lines.join('\n'))
    const torn = join(folder(t), 'torn.cdxj.gz')
    writeFileSync(torn, packed.subarray(0, packed.length - 1000))
    const { stdout } = await runTo(1, ['seed', '--from-cdx', torn, '-c', at])
    assert.match(
      stdout,
      /torn\.cdxj\.gz ends inside a gzip member \(after \d+ bytes\); the seeds before that point were added/,
    )
    assert.ok(Number(sql(at, 'SELECT count(*) AS n FROM seeds')[0].n) > 15_000)
  })

  test('sitemaps: a file is read at once, a URL waits for the crawl', async (t) => {
    const at = folder(t)
    const list = join(folder(t), 'sitemap.xml.gz')
    writeFileSync(
      list,
      gzipSync('<urlset><url><loc>http://a.test/x</loc></url><url><loc>http://a.test/y</loc></url></urlset>'),
    )
    const seeded = await json<Seeded>([
      'seed',
      '--from-sitemap',
      list,
      '--from-sitemap',
      'https://b.test/sitemap.xml',
      '-c',
      at,
    ])
    assert.equal(seeded.added, 3)
    assert.deepEqual(
      sql(at, 'SELECT url, path FROM urls ORDER BY url').map(({ url, path }) => [url, path]),
      [
        ['http://a.test/x', ''],
        ['http://a.test/y', ''],
        ['https://b.test/sitemap.xml', 'M'],
      ],
    )
  })

  test('a sitemap by its URL is read by the crawl, and what it lists is collected', async (t) => {
    const list = '<urlset><url><loc>http://b.test/listed</loc></url></urlset>'
    const sitemap = { headers: { 'content-type': 'application/xml' }, body: list }
    const web = await serve(t, { 'b.test': { '/map.xml': sitemap, '/listed': 'listed', '/other': 'not listed' } })
    const at = folder(t)
    await runTo(0, ['seed', '--from-sitemap', 'http://b.test/map.xml', '-c', at])
    await runTo(0, crawl(web, at))
    assert.deepEqual(kept(at), ['http://b.test/listed'])
    const { sources } = await json<Standing>(['seed', '--list', '-c', at])
    assert.deepEqual([sources[0].source, sources[0].collected], ['sitemap', 1])
  })

  test('a file of submissions: bad lines are named and the others entered; the scope of the collection refuses', async (t) => {
    const at = folder(t)
    writeFileSync(join(at, 'orbweaver.yaml'), 'scope: tld:test\nexclude:\n  - private\n')
    const seeds = file(t, '# ours\na.test\nhttp://a.test/\nmailto:x@a.test\nhttp://b.example/\nhttp://a.test/private\n')
    const seeded = await json<Seeded>(['seed', '--seeds', seeds, '-c', at])
    assert.deepEqual([seeded.added, seeded.repeated, seeded.refused], [1, 1, 3])
    assert.deepEqual(
      seeded.sources[0].examples.map(({ at, why }) => [at, why.split(/[ :]/)[0]]),
      [
        [4, '"mailto'],
        [5, 'scope'],
        [6, 'exclude'],
      ],
    )
    const { stdout } = await runTo(0, ['seed', '--seeds', seeds, '-c', at])
    assert.match(stdout, /line 4: refused 'mailto:x@a\.test'/)
    assert.match(stdout, /0 seeds added, 1 already known/)
    const none = await run(['seed', '--seeds', file(t, 'mailto:x\n'), '-c', at])
    assert.equal(none.code, 2)
    assert.match(none.stdout, /No seeds were added/)
  })

  test('words of the command line are put right like lines of a file; what cannot be is told before anything is entered', async (t) => {
    const at = folder(t)
    const { stdout } = await runTo(0, ['seed', 'http//a.test', 'http:/b.test/x', '"http://c.test/"', '-c', at])
    assert.match(stdout, /the command line: read 'http\/\/a\.test' as http:\/\/a\.test\//)
    assert.match(stdout, /3 seeds added/)
    const bad = await run(['seed', 'd.test', 'mailto:x@a.test', '-c', at])
    assert.deepEqual([bad.code, /cannot use 'mailto:x@a\.test' as a seed: /.test(bad.stderr)], [2, true], bad.stderr)
    const { sources } = await json<Standing>(['seed', '--list', '-c', at])
    assert.equal(sources[0].waiting, 3)
  })

  test('a long list says how far it is, and Ctrl-C keeps what was entered (exit code 11)', async (t) => {
    const at = folder(t)
    const list = file(t, Array.from({ length: 200_000 }, (_, i) => `${i + 1},name${i}.test`).join('\n'))
    const running = start(['seed', '--names', list, '-c', at, '--json'], { env: { ORBWEAVER_PROGRESS_EVERY: '100ms' } })
    await until('a line of progress', () => /: [\d,]+ new/.test(running.stderr()))
    running.child.kill('SIGINT')
    const { code, stdout } = await running.ended
    assert.equal(code, 11)
    const seeded = JSON.parse(stdout) as Seeded
    assert.equal(seeded.stopped, true)
    assert.ok(seeded.added >= 1000 && seeded.added < 200_000)
    assert.equal(Number(sql(at, 'SELECT count(*) AS n FROM seeds')[0].n), seeded.added)
  })
})
