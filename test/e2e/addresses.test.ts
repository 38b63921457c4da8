/** Issue 2, point 2.6: addresses that are not public are refused, however they are come by. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { counters, crawl, file, folder, kept, links, page, runTo, serve, sql } from './command.ts'

describe('addresses', { concurrency: 4 }, () => {
  test('loopback, private, link-local, metadata and mapped forms are refused', async (t) => {
    const web = await serve(t, { '127.0.0.1': { '/': 'inside' }, localhost: { '/': 'inside' } })
    const { port } = web
    const seeds = [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
      'http://10.0.0.1/',
      'http://192.168.1.1/',
      'http://172.16.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://[fd00::1]/',
      'http://224.0.0.1/',
      'http://100.64.0.1/',
    ]
    const at = folder(t)
    const { ms } = await runTo(0, ['crawl', '-c', at, ...seeds, '--pause-for', '127.0.0.1=0s', '--patience', '0.001'])
    assert.deepEqual(web.asked, [])
    assert.ok(ms < 30_000)
    assert.deepEqual(kept(at), [])
    const states = sql(at, 'SELECT DISTINCT state, reason FROM sites')
    assert.deepEqual(
      states.map(({ state }) => state),
      ['barred'],
    )
    assert.ok(counters(at)['failure:address-refused'] >= 10)
    const { stdout } = await runTo(0, ['explain', `127.0.0.1:${port}`, '-c', at])
    assert.match(stdout, /address|public/)
  })

  test('--allow-private allows them', async (t) => {
    const web = await serve(t, { '127.0.0.1': { '/': links('/b'), '/b': 'b' }, localhost: { '/': 'local' } })
    const at = folder(t)
    const pauses = ['--pause-for', '127.0.0.1=0s', '--pause-for', 'localhost=0s']
    const seeds = [`http://127.0.0.1:${web.port}/`, `http://localhost:${web.port}/`]
    await runTo(0, ['crawl', '-c', at, ...seeds, ...pauses, '--allow-private'])
    assert.equal(kept(at).length, 3)
  })

  test('--resolve allows what it names and nothing else', async (t) => {
    const web = await serve(t, { 'a.test': {}, '127.0.0.1': { '/': 'inside' }, localhost: { '/': 'inside' } })
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '0',
      '[::ffff:127.0.0.1]',
    ]
    web.pages['a.test']['/'] = links(...hosts.map((host) => `http://${host}:${web.port}/`))
    const at = folder(t)
    // The widest scope: only the guard of addresses stands between a page and the inside.
    await runTo(0, crawl(web, at, 'a.test', '--scope', 'surt:(', '--links', 'deep'))
    assert.deepEqual(kept(at), ['http://a.test/'])
    assert.deepEqual([...new Set(web.asked.map(({ host }) => host))], ['a.test'])
  })

  test('a redirect, also of robots.txt, to a private address is not followed', async (t) => {
    const web = await serve(t, { 'a.test': {}, 'b.test': { '/': 'b' }, '127.0.0.1': { '/secret': 'secret', '/r': '' } })
    const inside = (path: string) => ({ status: 302, headers: { location: `http://127.0.0.2:${web.port}${path}` } })
    web.pages['a.test']['/'] = inside('/secret')
    web.pages['b.test']['/robots.txt'] = inside('/r')
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', 'b.test', '--scope', 'surt:('))
    assert.ok(
      web.asked.every(({ host }) => host.endsWith('.test')),
      JSON.stringify(web.asked.map(({ host }) => host)),
    )
    assert.equal(page(at, 'http://a.test/')?.outcome, 'moved')
    assert.deepEqual(web.paths('b.test'), [], 'robots.txt could not be had, so nothing was fetched')
  })

  test('--blacklist-addresses', async (t) => {
    const web = await serve(t, { 'a.test': { '/': 'a' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--blacklist-addresses', file(t, '# mine\n127.0.0.0/8\n')))
    assert.deepEqual(web.asked, [])
    assert.equal(sql(at, 'SELECT state FROM sites')[0].state, 'barred')
  })
})
