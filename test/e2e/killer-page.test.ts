/**
 * V6: a page whose reading never ends costs that page only. Reading itself is linear, so the trap is laid in the one place
 * where an operator's own pattern meets a stranger's link: a regular expression that backtracks without end.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { counters, crawl, folder, json, kept, links, page, runTo, serve, sql } from './command.ts'

const TRAP = `/${'a'.repeat(60)}!`
const PATTERN = '^http://killer\\.test/(a+)+$'

describe('killer pages', { concurrency: 3 }, () => {
  test('a killer page: recorded as failed in reading, its thread restarted, all others collected', async (t) => {
    const others = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [
        `s${i}.test`,
        { '/': links('/1', '/2'), '/1': links('/3'), '/2': '2', '/3': '3' },
      ]),
    )
    const web = await serve(t, {
      'killer.test': { '/': links('/before', '/kill', '/after'), '/before': 'b', '/kill': links(TRAP), '/after': 'a' },
      ...others,
    })
    const at = folder(t)
    const seeds = ['killer.test', ...Object.keys(others)]
    const args = crawl(web, at, ...seeds, '--exclude', PATTERN, '--verbose')
    // Slow enough that the other visits are under way when the thread is ended.
    args[args.indexOf('--pause-for') + 1] = '*.test=400ms'
    const { stderr, ms } = await runTo(0, args)
    assert.ok(ms < 45_000, `${ms}`)
    assert.match(stderr, /worker-restarted .*reading never ended.*killer\.test\/kill/)

    const killed = page(at, 'http://killer.test/kill')
    assert.equal(killed?.outcome, 'gone')
    assert.equal(killed?.why, 'reading')
    assert.equal(killed?.status, -5)
    assert.equal(web.paths('killer.test').filter((path) => path === '/kill').length, 1, 'not tried in a loop')
    assert.equal(counters(at)['failure:reading'], 1)

    const expected = [
      ...['/', '/after', '/before'].map((path) => `http://killer.test${path}`),
      ...Object.keys(others).flatMap((host) => ['/', '/1', '/2', '/3'].map((path) => `http://${host}${path}`)),
    ]
    assert.deepEqual(kept(at), expected.sort())
    assert.equal(counters(at).documents, expected.length)
    assert.deepEqual(
      sql(at, 'SELECT DISTINCT state FROM sites').map(({ state }) => state),
      ['crawled'],
    )
    assert.match(readFileSync(join(at, 'logs/crawl.log'), 'utf8'), / -5 +- http:\/\/killer\.test\/kill /)
    assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
  })

  test('a redirect to the trap', async (t) => {
    const web = await serve(t, {
      'killer.test': {
        '/': links('/kill', '/after'),
        '/kill': { status: 302, headers: { location: TRAP } },
        '/after': 'a',
      },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'killer.test', '--exclude', PATTERN))
    assert.equal(page(at, 'http://killer.test/kill')?.why, 'reading')
    assert.deepEqual(kept(at), ['http://killer.test/', 'http://killer.test/after'])
  })

  test('a trap that waits in the queue when the pattern comes', async (t) => {
    const web = await serve(t, { 'killer.test': { '/': links(TRAP, '/after'), [TRAP]: 'trap', '/after': 'a' } })
    const at = folder(t)
    await runTo(14, crawl(web, at, 'killer.test', '--max-pages', '1'))
    await runTo(0, crawl(web, at, '--exclude', PATTERN))
    assert.equal(page(at, `http://killer.test${TRAP}`)?.why, 'reading')
    assert.deepEqual(kept(at), ['http://killer.test/', 'http://killer.test/after'])
    assert.ok(!web.paths('killer.test').includes(TRAP))
  })
})
