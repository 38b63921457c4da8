/** Seeds as arguments, in a file, on standard input; a bad one is an error before anything is fetched. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { crawl, file, folder, json, kept, run, runTo, serve, sql } from './command.ts'

const home = { '/': '<title>home</title>', '/start': '<title>start</title>' }
const three = { 'a.test': home, 'b.test': home, 'c.test': home }

describe('seeds', { concurrency: 4 }, () => {
  test('arguments, with and without a scheme', async (t) => {
    const web = await serve(t, three)
    const at = folder(t)
    await runTo(0, crawl(web, at, 'http://a.test/start', 'b.test', 'C.TEST/start#part'))
    assert.deepEqual(kept(at), ['http://a.test/start', 'http://b.test/', 'http://c.test/start'])
  })

  test('a file with comments, empty lines, CRLF, a byte order mark and hosts without scheme', async (t) => {
    const web = await serve(t, three)
    const at = folder(t)
    const seeds = file(
      t,
      '\uFEFF# the list\r\n\r\na.test\r\n  http://b.test/start   # the start\r\n\r\nc.test/start\r\na.test\r\n',
    )
    await runTo(0, crawl(web, at, '--seeds', seeds))
    assert.deepEqual(kept(at), ['http://a.test/', 'http://b.test/start', 'http://c.test/start'])
    assert.equal(web.paths('a.test').length, 1)
  })

  test('standard input', async (t) => {
    const web = await serve(t, three)
    const at = folder(t)
    await runTo(0, crawl(web, at, '--seeds', '-'), { input: 'a.test\n# no more\nhttp://c.test/' })
    assert.deepEqual(kept(at), ['http://a.test/', 'http://c.test/'])
  })

  test('a line that is no URL is named with file and line, and nothing is fetched', async (t) => {
    const web = await serve(t, three)
    const at = join(folder(t), 'new')
    const seeds = file(t, 'a.test\n# fine\nftp://b.test/\nc.test\n')
    const { stderr } = await runTo(2, crawl(web, at, '--seeds', seeds))
    assert.ok(stderr.includes(`${seeds}, line 3`), stderr)
    assert.deepEqual(web.asked, [])
    assert.ok(!existsSync(join(at, 'collection.db')), 'no collection is made')
  })

  test('a bad argument and a bad line of standard input', async (t) => {
    const web = await serve(t, three)
    for (const bad of ['http://', 'mailto:someone@a.test', 'a b', 'http://a.test:99999/', 'javascript:alert(1)']) {
      const { stderr } = await runTo(2, crawl(web, join(folder(t), 'new'), 'b.test', bad))
      assert.match(stderr, /cannot use '.*' as a seed: /, bad)
    }
    const { stderr } = await runTo(2, crawl(web, join(folder(t), 'new'), '--seeds', '-'), { input: 'a.test\n::::\n' })
    assert.match(stderr, /standard input, line 2/)
    assert.deepEqual(web.asked, [])
  })

  test('no seeds at all, an empty file, a file that is not there', async (t) => {
    const web = await serve(t, three)
    const at = join(folder(t), 'new')
    for (const more of [[], ['--seeds', file(t, '# nothing\n\n')], ['--seeds', join(at, 'missing.txt')]]) {
      const { stderr } = await runTo(2, crawl(web, at, ...more))
      assert.match(stderr, /^orbweaver: (?!note)/m)
    }
    assert.ok(!existsSync(join(at, 'collection.db')))
  })

  test('`seed` adds without crawling, once, and the next crawl takes them up', async (t) => {
    const web = await serve(t, three)
    const at = folder(t)
    const first = await run(['seed', 'http://a.test/', 'b.test', '-c', at, '--json'])
    assert.partialDeepStrictEqual(JSON.parse(first.stdout), { collection: at, added: 2, known: 0 })
    const again = await run(['seed', 'a.test', '-c', at, '--json'])
    assert.partialDeepStrictEqual(JSON.parse(again.stdout), { collection: at, added: 0, known: 1 })
    assert.deepEqual(web.asked, [])
    await runTo(0, crawl(web, at))
    assert.deepEqual(kept(at), ['http://a.test/', 'http://b.test/'])
    assert.equal(sql(at, 'SELECT count(*) AS n FROM sites WHERE seed = 1')[0].n, 2)
  })

  test('seeds that bring nothing are named with the reason, and told one by one', async (t) => {
    const to = (location: string) => ({ status: 301, headers: { location } })
    const web = await serve(t, {
      'a.test': home,
      'gone.test': {},
      'shut.test': { '/robots.txt': 'User-agent: *\nDisallow: /', '/': 'no' },
      'new.test': { '/': to('/start'), '/start': '<title>start</title>' },
      'away.test': { '/': to('http://elsewhere.test/') },
      'round.test': { '/': to('/b'), '/b': to('/') },
      'links.test': { '/': '<meta name=robots content=noindex><a href=/x>x</a>', '/x': '<title>x</title>' },
    })
    const at = folder(t)
    const dead = ['http://gone.test/', 'http://shut.test/', 'http://round.test/', 'http://away.test/']
    const { stderr } = await runTo(0, crawl(web, at, 'a.test', 'new.test', 'links.test', ...dead))
    assert.match(stderr, /nothing collected from seed http:\/\/gone\.test\/: 404 \(not found\)\n/)
    assert.match(stderr, /seed http:\/\/shut\.test\/: skipped: forbidden by robots\.txt \(Disallow: \/\)\n/)
    assert.match(stderr, /seed http:\/\/round\.test\/: redirects to .*: endless redirects\n/)
    assert.match(stderr, /http:\/\/away\.test\/ redirects to http:\/\/elsewhere\.test\/, which is out of scope/)
    assert.equal(stderr.match(/nothing collected from seed/g)?.length, 3)

    const { stdout } = await runTo(0, ['seed', '--list', '-c', at])
    assert.match(stdout, /^http:\/\/a\.test\/ {2}collected$/m)
    assert.match(stdout, /^http:\/\/new\.test\/ {2}redirects to http:\/\/new\.test\/start, which was collected$/m)
    assert.match(stdout, /^http:\/\/links\.test\/ {2}skipped: the page forbids it \(noindex\)$/m)
    assert.match(stdout, /given +0 +1 +3 +1 +2/)
    const listed = await json<{ seeds: { url: string; isEmpty: boolean }[] }>(['seed', '--list', '-c', at])
    assert.deepEqual(listed.seeds.flatMap(({ url, isEmpty }) => (isEmpty ? [url] : [])).sort(), [...dead].sort())
    const report = await runTo(0, ['report', '-c', at])
    assert.match(
      report.stdout,
      /Seeds that led to no document\n(?:.*\n)*? {2}http:\/\/gone\.test\/ +dead: 404 \(not found\)/,
    )
  })

  test('a crawl of which no seed brings anything fails, also into a collection that has pages', async (t) => {
    const web = await serve(t, { 'a.test': home })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const { stderr } = await runTo(1, crawl(web, at, 'http://gone.test/'))
    assert.match(stderr, /Complete, but no seed led to a document: 1 document,/)
    const local = await runTo(1, ['crawl', `http://127.0.0.1:${web.port}/`, '-c', folder(t), '--quiet'])
    assert.match(
      local.stderr,
      /private or blacklisted address, or that of a wildcard domain \(to collect from your own machine or network, use --allow-private\)/,
    )
  })
})
