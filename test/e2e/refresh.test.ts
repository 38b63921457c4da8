/** The program keeps a collection fresh (B1): finds what changed, asks cheaply, asks nothing twice, survives kill -9. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import {
  CONTACT,
  folder,
  json,
  type Page,
  run,
  runTo,
  type Scene,
  serve,
  sql,
  start,
  until,
  type Web,
} from './command.ts'

const PAGES = 12

/** A site whose pages have a version and an ETag. */
async function changingSite(scene: Scene) {
  const versions = new Map<string, number>()
  const page =
    (n: number): Page =>
    (request, response) => {
      const path = request.url ?? ''
      const links = n === 0 ? Array.from({ length: PAGES - 1 }, (_, i) => `<a href="/${i + 1}">${i + 1}</a>`) : []
      const body = `<title>${n}</title><p>page ${n}, version ${versions.get(path) ?? 0}</p>${links.join(' ')}`
      const etag = `"${createHash('sha1').update(body).digest('hex')}"`
      const isSame = request.headers['if-none-match'] === etag
      response.writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', etag })
      response.end(isSame ? undefined : body)
    }
  const pages = Object.fromEntries(Array.from({ length: PAGES }, (_, n) => [n === 0 ? '/' : `/${n}`, page(n)]))
  const web = await serve(scene, { 'a.test': pages })
  return { web, pages, change: (path: string) => versions.set(path, (versions.get(path) ?? 0) + 1) }
}

/** Flags of a polite crawl of `*.test` at this server. */
const flags = (web: Web, collection: string, pause = '0s'): string[] => [
  ...['-c', collection, '--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', `*.test=${pause}`],
  ...['--patience', '0.001', '--contact', CONTACT, '--workers', '1'],
]

interface Refreshed {
  ended: string
  pages: number
  newPages: number
  looks: { performed: number; changed: number; unchanged: number; failed: number }
  freshness: { at: string }
}

const refreshOnce = (web: Web, at: string, ...more: string[]) =>
  json<Refreshed>(['refresh', '--once', ...flags(web, at), ...more])

test('refresh --once finds what changed, uses validators, and asks nothing twice', async (t) => {
  const { web, change, pages } = await changingSite(t)
  const at = folder(t)
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at)])
  // The crawler's own request for a page that cannot exist is among them.
  const crawled = web.paths('a.test').length
  change('/3')
  change('/')
  delete pages['/5']
  const { ended, looks, newPages, pages: known, freshness } = await refreshOnce(web, at)
  assert.deepEqual([ended, newPages, known], ['complete', 0, PAGES])
  const lastAnswer = performance.timeOrigin + (web.asked.at(-1)?.endAt ?? 0)
  assert.ok(Date.parse(freshness.at) > lastAnswer, 'the looks count in the freshness that is reported')
  assert.deepEqual(looks, { performed: PAGES, changed: 2, unchanged: PAGES - 3, moved: 0, refused: 0, failed: 1 })
  const again = web.asked.filter(({ path }) => path !== '/robots.txt').slice(crawled)
  const all = ['/', ...Array.from({ length: PAGES - 1 }, (_, n) => `/${n + 1}`)]
  assert.deepEqual(again.map(({ path }) => path).sort(), all.sort(), 'each once')
  // Now and then a page is asked for without validators, to see whether they are true.
  const asked = again.filter(({ headers }) => headers['if-none-match'] !== undefined).length
  assert.ok(asked > PAGES / 2, `${asked} with validators`)
  assert.match((await runTo(0, ['get', 'http://a.test/3', '-c', at])).stdout, /version 1/)
  assert.match(
    (await runTo(0, ['get', 'http://a.test/5', '-c', at])).stdout,
    /version 0/,
    'the last good capture stays',
  )

  // Documents and totals of the crawl stay what they were; a crawl of it ends.
  const status = await json<{ state: string; documents: number; urls: object; freshness: { freshness: number } }>([
    'status',
    '-c',
    at,
  ])
  assert.deepEqual([status.state, status.documents], ['complete', PAGES])
  assert.deepEqual(status.urls, { known: PAGES, done: PAGES, waiting: 0, refreshing: PAGES })
  assert.ok(status.freshness.freshness > 0.99)
  assert.match((await runTo(0, ['crawl', ...flags(web, at)])).stderr, /Complete: 12 documents/)
  const plan = await json<{ plans: { url: string; changes: number }[] }>(['plan', 'http://a.test/3', '-c', at])
  assert.deepEqual([plan.plans[0].url, plan.plans[0].changes], ['http://a.test/3', 1])
  // Another pass is a new one.
  assert.equal((await refreshOnce(web, at)).looks.changed, 0)
  assert.equal((await run(['verify', '-c', at])).code, 0)
})

test('a pass that was killed goes on: no look is lost, none is made or counted twice', async (t) => {
  const { web, change } = await changingSite(t)
  const at = folder(t)
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at)])
  const crawled = web.paths('a.test').length
  for (const path of ['/2', '/8', '/11']) change(path)
  const looked = () => web.paths('a.test').slice(crawled)
  const counted = () => sql(at, `SELECT sum(value) AS looks FROM counter WHERE name LIKE 'looks:%'`)[0].looks ?? 0
  const killed = start(['refresh', '--once', ...flags(web, at, '200ms')])
  await until('some looks that count', () => Number(counted()) >= 4)
  killed.child.kill('SIGKILL')
  await killed.ended
  const before = Number(counted())
  assert.ok(before < PAGES, 'it was in the middle')
  const { looks } = await refreshOnce(web, at)
  assert.equal(before + looks.performed, PAGES)
  assert.equal(counted(), PAGES)
  // What was asked and not durable yet is asked again: at most the last seconds.
  assert.equal(new Set(looked()).size, PAGES)
  assert.ok(looked().length - PAGES <= 12 - before, `${looked().length} requests, ${before} counted before`)
  const changed = sql(at, 'SELECT sum(changes) AS changes FROM known_page')[0].changes
  assert.equal(changed, 3, 'each change is found once')
  assert.equal((await run(['verify', '-c', at])).code, 0)
})

test('dates of a sitemap are hints, counted as followed, discarded or new', async (t) => {
  const { web, pages } = await changingSite(t)
  const sitemap = (urls: Record<string, string>): Page => ({
    headers: { 'content-type': 'application/xml' },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Object.entries(urls)
      .map(([path, lastmod]) => `<url><loc>http://a.test${path}</loc><lastmod>${lastmod}</lastmod></url>`)
      .join('')}</urlset>`,
  })
  pages['/robots.txt'] = 'Sitemap: http://a.test/sitemap.xml'
  pages['/sitemap.xml'] = sitemap({ '/1': '2020-01-01' })
  pages['/new'] = '<title>new</title>'
  const at = folder(t)
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at)])
  pages['/sitemap.xml'] = sitemap({ '/1': new Date().toISOString(), '/new': '2021-01-01' })
  const { newPages } = await refreshOnce(web, at, '--refresh-min-age', '0s')
  assert.equal(newPages, 1)
  const { looks } = await json<{ looks: { hints: Record<string, number> } }>(['status', '-c', at])
  const { performed, discarded, new: unknown } = looks.hints
  assert.deepEqual([performed + discarded, unknown], [1, 1])
})

test('it runs for the given time, Ctrl-C ends it, and both leave everything', async (t) => {
  const { web } = await changingSite(t)
  const at = folder(t)
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at)])
  const crawled = web.paths('a.test').length
  const { ended, looks } = await json<Refreshed>(['refresh', '--for', '3s', ...flags(web, at, '100ms')])
  assert.equal(ended, 'time')
  const running = start(['refresh', ...flags(web, at, '100ms'), '--progress-every', '500ms'])
  await until('a line about looks', () => / [1-9]\d* looks?, 0 changed, .* 0 failed, /.test(running.stderr()))
  assert.match((await runTo(0, ['status', '-c', at])).stdout, /: a refresh is running\n/)
  assert.equal((await json<{ running: string }>(['status', '-c', at])).running, 'refresh')
  running.child.kill('SIGINT')
  const stopped = await running.ended
  assert.equal(stopped.code, 11)
  assert.match(stopped.stderr, /Go on with: orbweaver refresh -c /)
  const all = sql(at, `SELECT sum(value) AS looks FROM counter WHERE name LIKE 'looks:%'`)[0].looks
  assert.equal(Number(all), web.paths('a.test').length - crawled, 'every request counts once')
  assert.ok(Number(all) > looks.performed)
})

test('mistakes are named: nothing collected, bad weights', async (t) => {
  const { web } = await changingSite(t)
  const none = await runTo(2, ['refresh', '-c', `${folder(t)}/none`])
  assert.match(none.stderr, /there is no collection in .*none to refresh/)
  const empty = folder(t)
  await runTo(0, ['seed', 'http://a.test/', '-c', empty])
  const started = await runTo(1, ['refresh', '--once', ...flags(web, empty)])
  assert.match(started.stderr, /has no pages to refresh; collect some first: orbweaver crawl/)
  const weights = await runTo(2, ['refresh', ...flags(web, empty), '--refresh-weights', `${empty}/weights.txt`])
  assert.match(weights.stderr, /weights.txt does not exist/)
  assert.equal(web.asked.length, 0)
  // The pass that was not possible has not begun.
  await runTo(0, ['crawl', ...flags(web, empty)])
  assert.equal((await refreshOnce(web, empty)).looks.performed, PAGES)
})

test('a pass that was cut off does not go on after another refresh: it would leave out what it had looked at', async (t) => {
  await assertPassEnds(t, (refreshing) => runTo(0, ['refresh', '--for', '1s', ...refreshing]))
})

test('nor does it after a server that refreshes', async (t) => {
  await assertPassEnds(t, async (refreshing) => {
    const server = start(['serve', '--refresh', '--port', '0', ...refreshing.slice(0, -2)])
    await until('the server', () => /serving at \S+;/.test(server.stderr()))
    server.child.kill('SIGINT')
    assert.equal((await server.ended).code, 11)
  })
})

async function assertPassEnds(t: Scene, refresh: (flags: string[]) => Promise<unknown>): Promise<void> {
  const { web } = await changingSite(t)
  const at = folder(t)
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at)])
  const crawled = web.paths('a.test').length
  const killed = start(['refresh', '--once', ...flags(web, at, '200ms')])
  await until('some looks', () => web.paths('a.test').length >= crawled + 3)
  killed.child.kill('SIGKILL')
  await killed.ended
  await refresh(flags(web, at))
  assert.equal((await refreshOnce(web, at)).looks.performed, PAGES)
}

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

test('the same over PostgreSQL, embedded and with a server and a worker', {
  skip: 'skipped' in postgres && postgres.skipped,
}, async (t) => {
  assert.ok(!('skipped' in postgres))
  const { web, change } = await changingSite(t)
  const at = folder(t)
  const shared = ['--database', await postgres.newDatabase()]
  await runTo(0, ['crawl', 'http://a.test/', ...flags(web, at), ...shared])
  change('/4')
  const { looks } = await refreshOnce(web, at, ...shared)
  assert.deepEqual([looks.performed, looks.changed], [PAGES, 1])
  const status = await json<{ freshness: { pages: number; bound: number } }>(['status', '-c', at, ...shared])
  assert.equal(status.freshness.pages, PAGES)
  assert.ok(status.freshness.bound > 0.9)
  const plan = await json<{ plans: { url: string; changes: number; looksPerDay: number }[] }>([
    ...['plan', 'a.test', '-c', at, '--top', '100'],
    ...shared,
  ])
  assert.equal(plan.plans.length, PAGES)
  assert.equal(plan.plans.find(({ url }) => url === 'http://a.test/4')?.changes, 1)
  assert.ok(plan.plans.every(({ looksPerDay }) => looksPerDay > 0))
  const before = web.paths('a.test').length
  change('/6')
  const server = start([
    'serve',
    '--refresh',
    ...['--refresh-min-gain', '0s'],
    '--port',
    '0',
    '--recheck-share',
    '0',
    ...flags(web, folder(t), '50ms').slice(0, -2),
    ...shared,
  ])
  t.after(() => server.child.kill('SIGKILL'))
  const url = await until('the server', () => /serving at (\S+);/.exec(server.stderr())?.[1])
  const worker = start(['worker', '-c', folder(t), '--server', url, '--workers', '1'])
  t.after(() => worker.child.kill('SIGKILL'))
  await until('the change', () => web.paths('a.test').slice(before).includes('/6'), 60_000)
  const statistics = async () =>
    (await (await fetch(`${url}/api/v1/statistics`)).json()) as { looks: { changed: number } }
  for (let tries = 0; (await statistics()).looks.changed < 2; tries++) {
    assert.ok(tries < 300, 'the change is counted')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const process of [worker, server]) {
    process.child.kill('SIGINT')
    assert.equal((await process.ended).code, 11)
  }
})
