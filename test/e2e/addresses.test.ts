/** Addresses that are not public are refused, however they are come by. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { describe, test } from 'node:test'
import { counters, crawl, file, folder, kept, links, page, runTo, type Scene, serve, sql } from './command.ts'

/** A name server that answers as told; undefined: there is no such name. */
async function nameServer(t: Scene, answer: (name: string, type: 'A' | 'AAAA') => string[] | undefined) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (; query[at] !== 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
    const name = labels.join('.').toLowerCase()
    const type = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A'
    asked.push(name)
    const found = answer(name, type)
    const records = (found ?? []).map((ip) => {
      const bytes = type === 'A' ? Buffer.from(ip.split('.').map(Number)) : Buffer.from(ip, 'hex')
      const head = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 1, 0, bytes.length])
      return Buffer.concat([head, bytes])
    })
    const head = Buffer.from([
      query[0],
      query[1],
      0x81,
      found === undefined ? 0x83 : 0x80,
      0,
      1,
      0,
      records.length,
      0,
      0,
      0,
      0,
    ])
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => socket.close())
  return { asked, flags: ['--dns-servers', `127.0.0.1:${socket.address().port}`] }
}

describe('names', { concurrency: 4 }, () => {
  test('a name that leads inside is refused, in every form', async (t) => {
    const web = await serve(t, {})
    const inside: Record<string, { A?: string; AAAA?: string }> = {
      'loopback.example': { A: '127.0.0.1' },
      'private.example': { A: '10.1.2.3' },
      'metadata.example': { A: '169.254.169.254' },
      'six.example': { AAAA: '00000000000000000000000000000001' },
      'mapped.example': { AAAA: '00000000000000000000ffff7f000001' },
      'translated.example': { AAAA: '0064ff9b00000000000000007f000001' },
      'zero.example': { A: '0.0.0.0' },
    }
    const names = await nameServer(t, (name, type) => {
      const ip = inside[name]?.[type]
      return ip === undefined ? [] : [ip]
    })
    const at = folder(t)
    const seeds = Object.keys(inside).map((name) => `http://${name}:${web.port}/`)
    await runTo(1, ['crawl', '-c', at, ...seeds, ...names.flags, '--patience', '0.001'])
    assert.deepEqual(web.asked, [])
    assert.equal(counters(at)['failure:address-refused'], seeds.length)
    assert.deepEqual(
      sql(at, 'SELECT DISTINCT state FROM sites').map(({ state }) => state),
      ['barred'],
    )
  })

  test('a name that changes its answer between two visits is refused the second time', async (t) => {
    const web = await serve(t, { 'shift.example': { '/': 'first', '/inside': 'inside' } })
    let ip = '127.0.0.1'
    // Only this name: a top-level domain in which every name resolves would be one that sells what nobody has registered.
    const names = await nameServer(t, (name, type) => (name.startsWith('shift.') && type === 'A' ? [ip] : []))
    const at = folder(t)
    const seed = (path: string) => `http://shift.example:${web.port}${path}`
    const flags = ['-c', at, ...names.flags, '--patience', '0.001', '--pause-for', '*.example=0s']
    await runTo(0, ['crawl', seed('/'), ...flags, '--allow-private'])
    assert.deepEqual(kept(at), [seed('/')])
    ip = '127.0.0.2'
    await runTo(1, ['crawl', seed('/inside'), ...flags])
    assert.ok(!web.paths('shift.example').includes('/inside'))
    assert.equal(page(at, seed('/inside'))?.outcome, 'gone')
  })

  test('a name that does not exist is found out once a site, and the site is given up', async (t) => {
    const web = await serve(t, {
      'a.test': { '/': links(...Array.from({ length: 20 }, (_, i) => `http://no-such.example/${i}`)) },
    })
    const names = await nameServer(t, () => undefined)
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test', '--scope', 'tld:test,example', '--links', 'deep', ...names.flags))
    const [site] = sql(at, `SELECT state, reason FROM sites WHERE site = 'no-such.example'`)
    assert.equal(site.state, 'barred')
    assert.match(String(site.reason), /no-such-name|exist/)
    assert.equal(counters(at)['failure:no-such-name'], 1)
    assert.ok(names.asked.length <= 4, `${names.asked.length} questions, A and AAAA`)
  })

  test('a name server that fails is asked again, and then the site is given up', async (t) => {
    const at = folder(t)
    await runTo(1, ['crawl', '-c', at, 'http://a.example/', '--dns-servers', '127.0.0.1:1', '--patience', '0.001'])
    assert.equal(counters(at)['failure:dns'], 3)
    assert.equal(sql(at, 'SELECT state FROM sites')[0].state, 'barred')
  })
})

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
    const { ms } = await runTo(1, ['crawl', '-c', at, ...seeds, '--pause-for', '127.0.0.1=0s', '--patience', '0.001'])
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
    assert.match(stdout, /private or blacklisted address/)
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
    await runTo(1, crawl(web, at, 'a.test', 'b.test', '--scope', 'surt:('))
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
    await runTo(1, crawl(web, at, 'a.test', '--blacklist-addresses', file(t, '# mine\n127.0.0.0/8\n')))
    assert.deepEqual(web.asked, [])
    assert.equal(sql(at, 'SELECT state FROM sites')[0].state, 'barred')
  })
})
