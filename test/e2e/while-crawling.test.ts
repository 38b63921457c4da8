/** Another process reads pages and meta-data within 5 s of their being applied. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawl, folder, json, kept, links, page, run, runTo, serve, start, until } from './command.ts'

test('what a running crawl has fetched is read by others within 5 s: SQL, status, get, history, explain, export', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const web = await serve(t, {
    'a.test': {
      '/': links('/one', '/two', '/held', '/waits'),
      '/one': '<title>One</title><p>the first page</p>',
      '/two': '<title>Two</title>',
      '/held': async (_request, response) => {
        await held
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end('held')
      },
      '/waits': 'w',
    },
  })
  const at = folder(t)
  const crawling = start(crawl(web, at, 'a.test'))
  await until('the page that holds the crawl', () => web.paths('a.test').includes('/held'))
  const since = performance.now()
  await until('the pages in SQL', () => page(at, 'http://a.test/two'))
  assert.ok(performance.now() - since < 5000, 'within 5 s')

  interface Status {
    state: string
    documents: number
    urls: { known: number; done: number; waiting: number }
  }
  const [status, got, history, explained, waiting, pages, cdxj, exported] = await Promise.all([
    json<Status>(['status', '-c', at]),
    runTo(0, ['get', 'http://a.test/one', '-c', at]),
    json<{ captures: unknown[] }>(['history', 'http://a.test/one', '-c', at]),
    runTo(0, ['explain', 'http://a.test/one', '-c', at]),
    runTo(0, ['explain', 'http://a.test/waits', '-c', at]),
    runTo(0, ['export', 'pages', '-c', at]),
    runTo(0, ['export', 'cdxj', '-c', at]),
    runTo(0, ['export', 'links', '-c', at]),
  ])
  assert.equal(status.state, 'running')
  assert.equal(status.documents, 3)
  assert.equal(status.urls.known, 5)
  assert.equal(status.urls.waiting, 2)
  assert.match(got.stdout, /the first page/)
  assert.equal(history.captures.length, 1)
  assert.match(explained.stdout, /Collected: 1 capture/)
  assert.match(waiting.stdout, /Waiting/)
  const urls = pages.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { url: string }).url)
  assert.deepEqual(urls.sort(), ['http://a.test/', 'http://a.test/one', 'http://a.test/two'])
  assert.match(cdxj.stdout, /^test,a\)\/one /m)
  assert.match(exported.stdout, /^http:\/\/a\.test\/\thttp:\/\/a\.test\/two$/m)

  // Reading has disturbed nothing, and status text says what stands where.
  const text = await runTo(0, ['status', '-c', at])
  assert.match(text.stdout, /5 known : 3 collected .*: 2 waiting/)
  release()
  assert.equal((await crawling.ended).code, 0)
  assert.equal(kept(at).length, 5)
  assert.equal((await run(['verify', '-c', at])).code, 0)
})
