/** Stopping politely, at once, and going on with nothing lost or repeated. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  counters,
  crawl,
  folder,
  json,
  kept,
  links,
  runTo,
  serve,
  sql,
  start,
  until,
  volumes,
  type Web,
} from './command.ts'

/** A chain of pages with branches, that takes a while. */
async function longSite(t: Parameters<typeof serve>[0], pages: number, hosts = ['a.test']): Promise<Web> {
  const site: Record<string, string> = {}
  for (let i = 0; i < pages; i++)
    site[i === 0 ? '/' : `/${i}`] = `${links(`/${2 * i + 1}`, `/${2 * i + 2}`)}${'filler '.repeat(50)}${i}`
  for (let i = pages; i < 2 * pages + 1; i++) delete site[`/${i}`]
  return serve(t, Object.fromEntries(hosts.map((host) => [host, site])))
}

const slowly = (args: string[], pause = '30ms') => {
  args[args.indexOf('--pause-for') + 1] = `*.test=${pause}`
  return args
}

interface Status {
  state: string
  documents: number
  urls: { known: number; done: number; waiting: number }
}

async function assertWhole(web: Web, at: string, documents: number, hosts = ['a.test']): Promise<void> {
  for (const host of hosts) {
    const times = new Map<string, number>()
    for (const path of web.paths(host)) times.set(path, (times.get(path) ?? 0) + 1)
    assert.deepEqual(
      [...times].filter(([, n]) => n > 1),
      [],
      'asked twice',
    )
  }
  assert.equal(kept(at).length, documents)
  assert.equal(counters(at).documents, documents)
  const { ok } = await json<{ ok: boolean }>(['verify', '-c', at])
  assert.ok(ok)
}

describe('stopping', { concurrency: 4 }, () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} once: exit 11, says how to go on, volumes closed; going on repeats nothing`, async (t) => {
      const web = await longSite(t, 60)
      const at = folder(t)
      const running = start(slowly(crawl(web, at, 'a.test')))
      await until('twenty requests', () => web.asked.length > 20)
      running.child.kill(signal)
      const { code, stderr } = await running.ended
      assert.equal(code, 11, stderr)
      assert.ok(stderr.includes(`orbweaver crawl -c ${at}`), stderr)
      assert.ok(volumes(at).length > 0 && volumes(at).every((name) => name.endsWith('.warc.gz')), String(volumes(at)))
      const status = await json<Status>(['status', '-c', at])
      assert.equal(status.state, 'unfinished')
      assert.ok(status.urls.waiting > 0)
      const before = web.asked.length
      await runTo(0, ['crawl', '-c', at])
      assert.ok(web.asked.length > before)
      await assertWhole(web, at, 60)
      assert.equal(web.asked.filter(({ path }) => path === '/robots.txt').length, 1)
    })
  }

  test('twice: at once, while an answer still hangs; the next run is whole and verify is clean', async (t) => {
    const web = await longSite(t, 40)
    const { '/7': seven } = web.pages['a.test']
    web.pages['a.test']['/7'] = () => {}
    const at = folder(t)
    const running = start(crawl(web, at, 'a.test'))
    await until('the page that hangs', () => web.paths('a.test').includes('/7'))
    running.child.kill('SIGINT')
    await until('its answer', () => running.stderr().includes('finishing'))
    const asked = web.asked.length
    const begun = performance.now()
    let over = false
    void running.ended.then(() => {
      over = true
    })
    // A second press counts when it is not the same moment as the first.
    await until('the end', () => over || (running.child.kill('SIGINT') && over), 10_000)
    const { code } = await running.ended
    assert.equal(code, 11)
    assert.ok(performance.now() - begun < 5000, 'at once')
    assert.equal(web.asked.length, asked)
    web.pages['a.test']['/7'] = seven
    await runTo(0, ['crawl', '-c', at])
    assert.equal(kept(at).length, 40)
    const { ok } = await json<{ ok: boolean }>(['verify', '-c', at])
    assert.ok(ok)
  })

  test('kill -9: the same command goes on, nothing lost, nothing counted twice', async (t) => {
    const web = await longSite(t, 60, ['a.test', 'b.test'])
    const at = folder(t)
    for (let round = 1; round <= 3; round++) {
      const running = start(slowly(crawl(web, at, 'a.test', 'b.test')))
      const before = web.asked.length
      await until('some requests', () => web.asked.length > before + 20)
      running.child.kill('SIGKILL')
      await running.ended
    }
    await runTo(0, crawl(web, at))
    assert.equal(kept(at).length, 120)
    assert.equal(counters(at).documents, 120)
    assert.equal(
      sql(at, `SELECT count(*) AS n FROM captures WHERE media_type = 'text/html' AND status = 200`)[0].n,
      120,
    )
    assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
  })

  test('Ctrl-C while it waits only for courtesy: at once, and it says so before', async (t) => {
    const web = await serve(t, { 'a.test': { '/robots.txt': 'User-agent: *\nCrawl-delay: 120', '/': 'a' } })
    const at = folder(t)
    const running = start(crawl(web, at, 'a.test', '--progress-every', '200ms'))
    await until('robots.txt', () => web.asked.length === 1)
    await until('the word', () => running.stderr().includes('waiting out politeness pauses'))
    running.child.kill('SIGINT')
    const { code } = await running.ended
    assert.equal(code, 11)
    assert.equal(web.asked.length, 1)
  })

  test('--max-pages: exactly so many documents, exit 14, and going on', async (t) => {
    const web = await longSite(t, 60, ['a.test', 'b.test', 'c.test'])
    const at = folder(t)
    const { stderr } = await runTo(14, crawl(web, at, 'a.test', 'b.test', 'c.test', '--max-pages', '25'))
    assert.match(stderr, /--max-pages/)
    assert.equal(kept(at).length, 25)
    assert.equal(counters(at).documents, 25)
    await runTo(14, crawl(web, at, '--max-pages', '100'))
    assert.equal(kept(at).length, 100)
    await runTo(0, crawl(web, at))
    await assertWhole(web, at, 180, ['a.test', 'b.test', 'c.test'])
  })

  test('--max-pages holds over many sites and two threads', async (t) => {
    const hosts = Array.from({ length: 60 }, (_, i) => `s${i}.test`)
    const web = await longSite(t, 6, hosts)
    const at = folder(t)
    const args = slowly(crawl(web, at, ...hosts, '--max-pages', '200'), '150ms')
    args[args.indexOf('--workers') + 1] = '2'
    await runTo(14, args)
    assert.equal(kept(at).length, 200)
    assert.equal(counters(at).documents, 200)
  })

  test('--max-pages that is more than there is: complete', async (t) => {
    const web = await longSite(t, 10)
    await runTo(0, crawl(web, folder(t), 'a.test', '--max-pages', '100'))
  })

  test('--max-time: exit 15, volumes closed', async (t) => {
    const web = await longSite(t, 500)
    const at = folder(t)
    const { ms } = await runTo(15, slowly(crawl(web, at, 'a.test', '--max-time', '3s'), '100ms'))
    assert.ok(ms < 15_000)
    assert.ok(volumes(at).every((name) => name.endsWith('.warc.gz')))
    assert.ok(kept(at).length > 0)
  })

  test('--max-size: exit 16', async (t) => {
    const web = await longSite(t, 400)
    const at = folder(t)
    await runTo(16, slowly(crawl(web, at, 'a.test', '--max-size', '10kB'), '20ms'))
    assert.ok(counters(at).bytes >= 10_000)
    assert.ok(counters(at).bytes < 12_000, `${counters(at).bytes}`)
  })
})
