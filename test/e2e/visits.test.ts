/** Visits in slices, one connection a site, codings, and the same command again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { counters, crawl, folder, html, kept, links, NOT_FOUND, page, runTo, serve, serveRaw, sql } from './command.ts'

describe('visits', { concurrency: 4 }, () => {
  test('a big site gives its place to others after a slice, and nothing is asked twice', async (t) => {
    const big: Record<string, string> = {}
    for (let i = 0; i < 40; i++) big[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`, `/${(i * 7) % 40}`)
    const small = { '/': links('/1'), '/1': '1' }
    const web = await serve(t, { 'big.test': big, 'b.test': small, 'c.test': small })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'big.test', 'b.test', 'c.test', '--visits', '1', '--slice-pages', '10'))
    assert.equal(kept(at).length, 44)
    for (const host of Object.keys(web.pages)) {
      assert.equal(new Set(web.paths(host)).size, web.paths(host).length, host)
      assert.equal(web.asked.filter((entry) => entry.host === host && entry.path === '/robots.txt').length, 1, host)
    }
    const hosts = web.asked.map(({ host }) => host)
    assert.ok(
      hosts.lastIndexOf('big.test') > hosts.indexOf('b.test'),
      'the small sites did not wait for the end of the big one',
    )
    assert.ok(hosts.lastIndexOf('big.test') > hosts.indexOf('c.test'))
    assert.ok(
      Number(sql(at, `SELECT count(*) AS n FROM pages WHERE outcome = 'kept' AND site = 'big.test'`)[0].n) === 40,
    )
  })

  test('many sites at once, in two threads', async (t) => {
    const hosts = Array.from({ length: 60 }, (_, i) => `s${i}.test`)
    const site = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i === 0 ? '/' : `/${i}`, links(`/${i + 1}`)]))
    const web = await serve(t, Object.fromEntries(hosts.map((host) => [host, site])))
    const at = folder(t)
    const args = crawl(web, at, ...hosts)
    args[args.indexOf('--pause-for') + 1] = '*.test=200ms'
    args[args.indexOf('--workers') + 1] = '2'
    await runTo(0, args)
    assert.equal(kept(at).length, 300)
    for (const host of hosts) {
      const asked = web.asked.filter((entry) => entry.host === host)
      for (const [i, entry] of asked.slice(1).entries()) assert.ok(entry.at - asked[i].endAt >= 200, host)
      assert.equal(new Set(asked.map(({ path }) => path)).size, asked.length, host)
    }
  })

  test('the same command again on a complete collection asks for nothing', async (t) => {
    const web = await serve(t, { 'a.test': { '/': links('/b', '/missing'), '/b': 'b' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const before = [web.asked.length, counters(at).documents]
    const { stderr } = await runTo(0, crawl(web, at, 'a.test'))
    assert.deepEqual([web.asked.length, counters(at).documents], before)
    assert.match(stderr, /Complete: 2 documents/)
  })

  test('a site that was given up is tried again when it is named as a seed again', async (t) => {
    const web = await serve(t, { 'a.test': { '/robots.txt': { status: 503 }, '/': links('/b'), '/b': 'b' } })
    const at = folder(t)
    await runTo(1, crawl(web, at, 'a.test'))
    assert.deepEqual(kept(at), [])
    web.pages['a.test']['/robots.txt'] = 'User-agent: *\nAllow: /\n'
    await runTo(0, crawl(web, at, 'a.test'))
    assert.deepEqual(kept(at), ['http://a.test/', 'http://a.test/b'])
  })

  test('one connection serves a site', async (t) => {
    const ports = new Set<number | undefined>()
    const raw = await serveRaw(t, (path, socket) => {
      ports.add(socket.remotePort)
      if (path === '/') socket.write(html(links('/1', '/2', '/3', '/4')))
      else socket.write(path === '/robots.txt' ? NOT_FOUND : html(path))
    })
    const at = folder(t)
    await runTo(0, crawl(raw, at, 'a.test'))
    assert.equal(kept(at).length, 5)
    assert.equal(ports.size, 1)
  })

  test('a kept connection that is closed under the request is no failure', async (t) => {
    const served = new WeakMap<object, number>()
    const raw = await serveRaw(t, (path, socket) => {
      const times = (served.get(socket) ?? 0) + 1
      served.set(socket, times)
      // Each connection answers two requests and is shut at the third.
      if (times > 2) socket.destroy()
      else if (path === '/') socket.write(html(links('/1', '/2', '/3', '/4')))
      else socket.write(path === '/robots.txt' ? NOT_FOUND : html(path))
    })
    const at = folder(t)
    await runTo(0, crawl(raw, at, 'a.test'))
    assert.equal(kept(at).length, 5)
    assert.equal(counters(at)['failure:reset'], undefined)
  })

  test('gzip, deflate in both forms, br, zstd, and one over the other', async (t) => {
    const codings: Record<string, (text: string) => Buffer> = {
      gzip: gzipSync,
      deflate: deflateSync,
      'raw-deflate': deflateRawSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    }
    const pages = Object.fromEntries(
      Object.entries(codings).map(([name, pack]) => [
        `/${name}`,
        {
          headers: { 'content-encoding': name.replace('raw-', '') },
          body: pack(`<title>${name} title</title>${links(`/from-${name}`)}`),
        },
      ]),
    )
    const twice = {
      headers: { 'content-encoding': 'gzip, br' },
      body: brotliCompressSync(gzipSync('<title>twice title</title>')),
    }
    const web = await serve(t, { 'a.test': { '/': links(...Object.keys(pages), '/twice'), ...pages, '/twice': twice } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    for (const name of [...Object.keys(codings), 'twice'])
      assert.equal(page(at, `http://a.test/${name}`)?.title, `${name} title`)
    for (const name of Object.keys(codings)) assert.ok(web.paths('a.test').includes(`/from-${name}`), name)
  })

  test('orders: klwf, round robin and random each collect all', async (t) => {
    const site = { '/': links('/1', '/2'), '/1': '1', '/2': '2' }
    const web = await serve(t, { 'a.test': site, 'b.test': site, 'c.test': site })
    for (const order of ['klwf', 'round-robin', 'random']) {
      const at = folder(t)
      await runTo(
        0,
        crawl(
          web,
          at,
          'a.test',
          'b.test',
          'c.test',
          '--order',
          order,
          '--random-seed',
          '1',
          '--visits',
          '1',
          '--slice-pages',
          '1',
        ),
      )
      assert.equal(kept(at).length, 9, order)
    }
  })
})
