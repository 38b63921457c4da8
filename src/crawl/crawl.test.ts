import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS_PAUSE, EXCHANGE_MS, PAUSE, type Script, Scripted } from './scripted.test-data.ts'

const HOME = 'http://a.test/'
const pages = (count: number, host = 'a.test') => Array.from({ length: count }, (_, i) => `http://${host}/${i}`)
const bodies = (urls: readonly string[]): Script => Object.fromEntries(urls.map((url) => [url, { body: url }]))

test('breadth first, each URL once, known URLs not at all', async () => {
  const links = (...names: string[]) => ({ body: names.map((name) => `<a href="/${name}">.</a>`).join('') })
  const web = new Scripted({
    [HOME]: links('a', 'b', 'a', ''),
    'http://a.test/a': links('c', 'b'),
    'http://a.test/b': links('d', 'known'),
  })
  const known = new BigUint64Array([(await import('../web/url/web-url.ts')).parseUrl('http://a.test/known')!.key])
  const { why, parts } = await web.visit({ agenda: [HOME], visit: { known } })
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/a', 'a.test/b', 'a.test/c', 'a.test/d'])
  assert.equal(why, 'done')
  const depths = parts.flatMap((part) => part.pages.map(({ url, depth, path }) => `${url.slice(14)} ${depth} ${path}`))
  assert.deepEqual(depths.slice(1), [' 0 ', 'a 1 L', 'b 1 L', 'c 2 Ll', 'd 2 Ll'])
})

test('too many known URLs: only the agenda is fetched, and new URLs go back', async () => {
  const web = new Scripted({ [HOME]: { body: '<a href=/a>a</a><a href=/b>b</a>' } })
  const { why, parts } = await web.visit({ agenda: [HOME], visit: { known: 'too many' } })
  assert.equal(why, 'done')
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  const found = parts.flatMap((part) => part.found.map(({ url }) => url))
  assert.deepEqual(found, ['http://a.test/a', 'http://a.test/b'])
})

test('a slice ends with its pages or its time, and hands back what it found', async () => {
  const body = pages(5)
    .map((url) => `<a href="${url}">.</a>`)
    .join('')
  const web = new Scripted({ ...bodies(pages(5)), [HOME]: { body } })
  const few = await web.visit({ agenda: [HOME], visit: { limits: { pages: 3, time: 1e9 } } })
  assert.equal(few.why, 'slice')
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/0', 'a.test/1'])
  const told = new Set(few.parts.flatMap((part) => [...part.found, ...part.pages].map(({ url }) => url)))
  for (const url of pages(5)) assert.ok(told.has(url), url)
  const short = await new Scripted(bodies(pages(5))).visit({
    agenda: pages(5),
    visit: { limits: { pages: 100, time: 3 * PAUSE } },
  })
  assert.equal(short.why, 'slice')
  assert.equal(short.pages.length, 3)
})

test('no request begins with less than its deadline left on the lease', async () => {
  for (const leaseMs of [EXCHANGE_MS - 1, EXCHANGE_MS, EXCHANGE_MS + 2 * PAUSE, EXCHANGE_MS + 5 * PAUSE]) {
    const web = new Scripted(bodies(pages(9)))
    const { why } = await web.visit({ agenda: pages(9), leaseMs })
    assert.equal(why, 'slice')
    for (const { at } of web.asked) assert.ok(at + EXCHANGE_MS <= leaseMs, `${at} of ${leaseMs}`)
    assert.equal(web.asked.length, leaseMs < EXCHANGE_MS ? 0 : Math.floor((leaseMs - EXCHANGE_MS) / (PAUSE + 10)) + 1)
  }
})

test('no request begins when connecting used up the lease', async () => {
  const web = new Scripted(bodies(pages(3)))
  web.connectMs.set('a.test', 5000)
  const { why } = await web.visit({ agenda: pages(3), leaseMs: EXCHANGE_MS + 4999 })
  assert.equal(why, 'slice')
  assert.deepEqual(web.asked, [])
})

test('reports the time to connect, not the time of the answers', async () => {
  const web = new Scripted(bodies(pages(3)))
  web.connectMs.set('a.test', 40)
  const { parts } = await web.visit({ agenda: pages(3) })
  assert.equal(parts.at(-1)?.courtesy.connectMs, 40)
  const nothing = await new Scripted(bodies(pages(3))).visit({ agenda: pages(3), leaseMs: EXCHANGE_MS - 1 })
  assert.equal(nothing.parts.at(-1)?.courtesy.connectMs, undefined)
})

test('when stopped, the answer under way is reported and nothing more is requested', async () => {
  const web = new Scripted({ ...bodies(pages(5)), 'http://a.test/1': { body: 'slow', tookMs: 3000 } })
  const stop = new AbortController()
  web.clock.after(5000, () => stop.abort())
  const { why, pages: told } = await web.visit({ agenda: pages(5), signal: stop.signal })
  assert.equal(why, 'stopped')
  assert.deepEqual(
    told.map(({ url, outcome }) => [url, outcome.kind]),
    [
      ['http://a.test/0', 'kept'],
      ['http://a.test/1', 'kept'],
    ],
  )
  assert.equal(web.asked.length, 3)
})

test('a site whose name does not exist is given up after one try', async () => {
  const failure = { kind: 'no-such-name', detail: '' } as const
  const web = new Scripted({}, { resolve: async () => ({ kind: 'failed', failure }) })
  const { why, pages: told } = await web.visit({ agenda: [HOME, 'http://a.test/b'] })
  assert.equal(why, 'given-up')
  assert.deepEqual(
    told.map(({ outcome }) => outcome),
    [{ kind: 'gone', why: 'no-such-name' }],
  )
})

test('an address that is black-listed is never connected to', async () => {
  const web = new Scripted(bodies([HOME]), { refusesAddress: () => '192.0.2.0/24' })
  const { why, pages: told } = await web.visit({ agenda: [HOME] })
  assert.equal(why, 'given-up')
  assert.deepEqual(told[0].outcome, { kind: 'gone', why: 'address-refused' })
  assert.deepEqual(web.asked, [])
})

test('a name with several addresses stays at the one where it was', async () => {
  const list = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }]
  const web = new Scripted(bodies([HOME]), { resolve: async () => ({ kind: 'addresses', list }) })
  await web.visit({ agenda: [HOME], visit: { address: '192.0.2.2' } })
  assert.ok(web.asked.every(({ address }) => address === '192.0.2.2'))
})

test('an address that belongs to another worker: the visit ends unused and the site comes back', async () => {
  const web = new Scripted(bodies([HOME]), { enter: async () => 'elsewhere' })
  const { why, parts } = await web.visit({ agenda: [HOME] })
  assert.equal(why, 'elsewhere')
  assert.deepEqual(web.asked, [])
  assert.ok(parts[0].courtesy.notBefore > web.clock.now())
})

/** Sites at one address, visited at once; how long each takes to connect. */
async function neighbours(connectMs: readonly number[], count: number) {
  const hosts = connectMs.map((_, i) => `n${i}.test`)
  const web = new Scripted(bodies(hosts.flatMap((host) => pages(count, host))))
  for (const [i, host] of hosts.entries()) web.connectMs.set(host, connectMs[i])
  const visits = hosts.map((host) => web.visitNow({ agenda: pages(count, host) }))
  const ends = await web.clock.run(Promise.all(visits))
  return { web, ends: ends.map(({ why }) => why) }
}

test('sites at one address keep their distance from each other, however long each takes to connect', async () => {
  for (const connectMs of [
    [0, 0, 0],
    [480, 0],
    [700, 300, 0, 450],
    [1200, 900, 600, 300, 1],
  ]) {
    const { web, ends } = await neighbours(connectMs, 4)
    assert.deepEqual(new Set(ends), new Set(['done']))
    assert.equal(web.asked.length, 5 * connectMs.length)
    const starts = web.asked.map(({ at }) => at).sort((a, b) => a - b)
    for (let i = 1; i < starts.length; i++) {
      assert.ok(starts[i] - starts[i - 1] >= ADDRESS_PAUSE, `${connectMs}: ${starts[i - 1]} and ${starts[i]}`)
    }
  }
})

test('at most eight visits at one address; the others come back later', async () => {
  const { ends } = await neighbours(Array(11).fill(0), 2)
  assert.equal(ends.filter((why) => why === 'done').length, 8)
  assert.equal(ends.filter((why) => why === 'elsewhere').length, 3)
})

test('cookies are sent back within the visit, to their site, and not in the next visit', async () => {
  const set = (value: string) =>
    [
      ['Content-Type', 'text/html'],
      ['Set-Cookie', value],
    ] as const
  const script: Script = {
    'http://a.test/0': { body: '.', headers: set('id=1; Path=/') },
    'http://a.test/1': { body: '.', headers: set('other=2; Domain=b.test') },
    'http://a.test/2': { body: '.' },
  }
  const web = new Scripted(script)
  await web.visit({ agenda: pages(3) })
  assert.deepEqual(
    web.asked.map(({ cookie }) => cookie),
    [undefined, undefined, 'id=1', 'id=1'],
  )
  await web.visit({ agenda: pages(1, 'b.test') })
  await web.visit({ agenda: pages(1) })
  assert.ok(web.asked.slice(4).every(({ cookie }) => cookie === undefined))
})
