import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { NO_ORDERS } from '../contracts/control.ts'
import { freshMemory } from '../contracts/site-memory.ts'
import { FAILURES } from './failures.ts'
import { decide } from './robots.ts'
import { PAUSE, type Script, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'
import { StandingOrders } from './worker/standing-orders.ts'

const HOME = 'http://a.test/'
const ROBOTS = 'http://a.test/robots.txt'
const FORBID = 'User-agent: *\nDisallow: /private\nCrawl-delay: 7\n'

const TEXT = [['Content-Type', 'text/plain']] as const
const to = (location: string): ScriptedAnswer => ({ status: 301, headers: [['Location', location]] })

async function pagesAskedWith(robots: Script, agenda = [HOME, 'http://a.test/private']) {
  const web = new Scripted({ [HOME]: { body: 'home' }, 'http://a.test/private': { body: 'private' }, ...robots })
  const visited = await web.visit({ agenda })
  return { web, visited, asked: web.pagesAsked }
}

test('robots.txt is fetched before anything else, archived, and never a document', async () => {
  const { web, visited, asked } = await pagesAskedWith({ [ROBOTS]: { body: FORBID, headers: TEXT } })
  assert.equal(web.asked[0].url, ROBOTS)
  assert.deepEqual(asked, ['a.test/'])
  assert.equal(web.kept[0].url, ROBOTS)
  assert.equal(visited.counts.get('documents'), 1)
  assert.equal(visited.counts.get('requests'), 2)
  assert.equal(visited.parts[0].memory.robots.http?.state, 'rules')
})

test('the first part, with robots.txt and its Crawl-delay, is durable before the second request', async () => {
  const { web, visited } = await pagesAskedWith({ [ROBOTS]: { body: FORBID, headers: TEXT } })
  const [robots, page] = web.asked
  assert.ok(web.durableAt[0] >= robots.endedAt && web.durableAt[0] <= page.at)
  assert.equal(visited.parts[0].courtesy.pause, 7000)
  assert.equal(visited.parts[0].courtesy.address, '192.0.2.1')
  assert.ok(page.at - robots.endedAt >= 7000)
})

test('4xx: nothing is forbidden', async () => {
  for (const status of [400, 401, 403, 404, 410]) {
    const { asked, visited } = await pagesAskedWith({ [ROBOTS]: { status } })
    assert.deepEqual(asked, ['a.test/', 'a.test/private'])
    assert.equal(visited.parts[0].memory.robots.http?.state, 'none')
  }
})

test('5xx, 429 and silence: nothing is fetched, robots.txt is tried again later, and in the end the site is given up', async () => {
  const answers: ScriptedAnswer[] = [
    { status: 500 },
    { status: 503 },
    { status: 429 },
    { failed: 'first-byte-timeout' },
  ]
  for (const answer of [...answers, { failed: 'connect' } as const, { failed: 'reset' } as const]) {
    const web = new Scripted({ [ROBOTS]: answer, [HOME]: { body: 'home' } })
    let { why, parts } = await web.visit({ agenda: [HOME] })
    let visits = 1
    for (; why === 'silent'; visits++) {
      const { memory, courtesy } = parts.at(-1)!
      const wait = courtesy.notBefore - web.clock.now()
      assert.ok(wait >= FAILURES['robots-unreachable'].wait)
      await web.clock.run(web.clock.sleep(wait))
      ;({ why, parts } = await web.visit({ agenda: [HOME], visit: { memory } }))
    }
    assert.equal(why, 'given-up')
    assert.equal(visits, FAILURES['robots-unreachable'].tries)
    assert.equal(web.asked.length, visits)
    assert.deepEqual(web.pagesAsked, [])
    assert.deepEqual(parts[0].pages.at(-1)?.outcome, { kind: 'gone', why: 'robots-unreachable' })
  }
})

test('when robots.txt is reachable again, the site goes on', async () => {
  const web = new Scripted({ [ROBOTS]: [{ status: 503 }, { body: FORBID, headers: TEXT }], [HOME]: { body: 'home' } })
  const first = await web.visit({ agenda: [HOME] })
  const memory = first.parts.at(-1)!.memory
  const second = await web.visit({ agenda: [HOME], visit: { memory, wait: 30_000 } })
  assert.equal(second.why, 'done')
  assert.deepEqual(web.pagesAsked, ['a.test/'])
})

test('redirects are followed, five and no more, each with its pause and each archived', async () => {
  const hops = (count: number): Script => {
    const script: Script = { [`http://a.test/r${count}`]: { body: FORBID, headers: TEXT } }
    for (let hop = 1; hop < count; hop++) script[`http://a.test/r${hop}`] = to(`/r${hop + 1}`)
    return { ...script, [ROBOTS]: to('/r1') }
  }
  const five = await pagesAskedWith(hops(5))
  assert.deepEqual(five.asked.slice(5), ['a.test/'])
  for (let i = 1; i < five.web.asked.length; i++) {
    assert.ok(five.web.asked[i].at - five.web.asked[i - 1].endedAt >= PAUSE)
  }
  assert.equal(five.web.kept.filter(({ url }) => url.includes('/r')).length, 6)
  const six = await pagesAskedWith(hops(6))
  assert.deepEqual(six.asked.slice(5), ['a.test/', 'a.test/private'])
})

test('a redirect to a path in raw UTF-8, or in other bytes, is followed, as a page’s is', async () => {
  const raw = Buffer.from('/règles.txt').toString('latin1')
  const rules = { body: FORBID, headers: TEXT }
  const { asked } = await pagesAskedWith({ [ROBOTS]: to(raw), 'http://a.test/r%C3%A8gles.txt': rules })
  assert.deepEqual(asked, ['a.test/r%C3%A8gles.txt', 'a.test/'])
  const latin = { [ROBOTS]: to('/r\xe8gles.txt?\xff'), 'http://a.test/r%E8gles.txt?%FF': rules }
  assert.deepEqual((await pagesAskedWith(latin)).asked, ['a.test/r%E8gles.txt?%FF', 'a.test/'])
})

test('redirects to another host: its rules hold here, after a pause, and without cookies', async () => {
  const script: Script = {
    [ROBOTS]: {
      ...to('http://www.a.test/robots.txt'),
      headers: [['Location', 'http://www.a.test/robots.txt'], COOKIE],
    },
    'http://www.a.test/robots.txt': { body: FORBID, headers: [...TEXT, COOKIE] },
  }
  const { web, asked } = await pagesAskedWith(script)
  assert.deepEqual(asked, ['a.test/'])
  assert.deepEqual(
    web.asked.map(({ url, cookie }) => [url, cookie]),
    [
      [ROBOTS, undefined],
      ['http://www.a.test/robots.txt', undefined],
      [HOME, 'id=1'],
    ],
  )
  assert.ok(web.asked[1].at - web.asked[0].endedAt >= PAUSE)
})

const COOKIE = ['Set-Cookie', 'id=1'] as const

test('a large file is read up to 500 KiB, and a web page forbids nothing', async () => {
  const noise = `Disallow: /${'x'.repeat(90)}\n`
  const large = `User-agent: *\n${noise.repeat(4900)}Disallow: /private\n${noise.repeat(2000)}`
  assert.ok(large.indexOf('/private') < 500 * 1024 && large.length > 600 * 1024)
  const big = await pagesAskedWith({ [ROBOTS]: { body: large, headers: TEXT } })
  assert.deepEqual(big.asked, ['a.test/'])
  assert.equal(big.visited.parts[0].memory.robots.http?.tooBig, true)
  const html = '<!DOCTYPE html><html><body>User-agent: *<br>Disallow: /</body></html>'
  const page = await pagesAskedWith({ [ROBOTS]: { body: html } })
  assert.deepEqual(page.asked, ['a.test/', 'a.test/private'])
  const { state, tooBig } = page.visited.parts[0].memory.robots.http!
  assert.deepEqual([state, tooBig], ['uninterpretable', undefined])
})

test('what is remembered tells the group and the line that decide, and since when it was unreachable', async () => {
  const body = '# hello\r\nUser-agent: orbweaver/9\r\nUser-agent: *\r\nAllow: /private/open\r\nDisallow: /private\r\n'
  const { visited } = await pagesAskedWith({ [ROBOTS]: { body, headers: TEXT } })
  const { http } = visited.parts.at(-1)!.memory.robots
  const group = 'orbweaver/9'
  assert.deepEqual(decide(http!, '/private/x'), { allowed: false, group, line: 5, rule: 'Disallow: /private' })
  assert.deepEqual(decide(http!, '/private/open'), { allowed: true, group, line: 4, rule: 'Allow: /private/open' })
  assert.deepEqual(decide(http!, '/'), { allowed: true, group, line: 0, rule: '' })
  const failing = new Scripted({ [ROBOTS]: { status: 503 } })
  const first = await failing.visit({ agenda: [HOME] })
  const since = first.parts.at(-1)!.memory.robots.http!.since
  const second = await failing.visit({ agenda: [HOME], visit: { memory: first.parts.at(-1)!.memory, wait: 60_000 } })
  const memory = second.parts.at(-1)!.memory.robots.http!
  assert.deepEqual([memory.since, memory.tries], [since, 2])
  assert.ok(memory.at > since!)
  assert.equal(decide(memory, '/').allowed, false)
})

test('robots.txt is remembered for a day, then fetched again', async () => {
  const { web, visited } = await pagesAskedWith({ [ROBOTS]: { body: FORBID, headers: TEXT } })
  const { memory } = visited.parts.at(-1)!
  const again = async () => {
    const before = web.asked.length
    await web.visit({ agenda: [HOME], visit: { memory } })
    const asked = web.asked.slice(before).map(({ url }) => url)
    // A hazard's question, for a name that cannot exist, is no matter here.
    return asked.filter((url) => !url.includes('/no-such-page'))
  }
  assert.deepEqual(await again(), [HOME])
  await web.clock.run(web.clock.sleep(24 * 3_600_000))
  assert.deepEqual(await again(), [ROBOTS, HOME])
})

test('each scheme has its own, and the longer Crawl-delay holds for both', async () => {
  const script: Script = {
    [ROBOTS]: { body: FORBID, headers: TEXT },
    'https://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /secret', headers: TEXT },
  }
  const agenda = [HOME, 'https://a.test/', 'https://a.test/private', 'https://a.test/secret', 'http://a.test/secret']
  const { web, visited } = await pagesAskedWith(script, agenda)
  const asked = web.asked.map(({ url }) => url)
  const robots = 'https://a.test/robots.txt'
  assert.deepEqual(asked, [ROBOTS, HOME, robots, 'https://a.test/', 'https://a.test/private', 'http://a.test/secret'])
  for (let i = 1; i < web.asked.length; i++) assert.ok(web.asked[i].at - web.asked[i - 1].endedAt >= 7000, asked[i])
  assert.equal(visited.parts.at(-1)?.memory.crawlDelay, 7000)
})

test('a scheme that does not answer costs its own URLs; they are tried a few times and are gone', async () => {
  const secure = 'https://a.test/robots.txt'
  const web = new Scripted({ [HOME]: { body: 'home' }, 'http://a.test/b': { body: 'b' }, [secure]: { failed: 'tls' } })
  const agenda = [HOME, 'https://a.test/x', 'https://a.test/y', 'http://a.test/b']
  const first = await web.visit({ agenda })
  assert.equal(first.why, 'done')
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/b'])
  let memory = first.parts.at(-1)!.memory
  const outcomes: string[] = []
  for (let visits = 0; visits < 10; visits++) {
    await web.clock.run(web.clock.sleep(300_000))
    const { pages, parts, why } = await web.visit({
      agenda: ['https://a.test/x', 'https://a.test/y'],
      visit: { memory },
    })
    assert.equal(why, 'done')
    outcomes.push(pages.map(({ outcome }) => outcome.kind).join())
    memory = parts.at(-1)!.memory
  }
  assert.equal(web.asked.filter(({ url }) => url === secure).length, FAILURES['robots-unreachable'].tries)
  assert.deepEqual(outcomes, ['later,later', 'later,later', ...Array(8).fill('gone,gone')])
})

test('a visit that ends unused does not take back the Crawl-delay that is remembered', async () => {
  const web = new Scripted({}, { enter: async () => 'elsewhere' })
  const memory = { robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0, crawlDelay: 9000 }
  const { why, parts } = await web.visit({ agenda: [HOME], visit: { memory } })
  assert.equal(why, 'elsewhere')
  assert.deepEqual(web.asked, [])
  assert.equal(parts[0].courtesy.pause, 9000)
})

test('robots.txt of another host with a black-listed address is not fetched', async () => {
  const script: Script = { [ROBOTS]: to('http://evil.test/robots.txt'), [HOME]: { body: 'home' } }
  const web = new Scripted(script, { refusesAddress: (ip) => (ip === '192.0.2.66' ? '192.0.2.66' : undefined) })
  web.addresses.set('evil.test', '192.0.2.66')
  await web.visit({ agenda: [HOME] })
  assert.deepEqual(
    web.asked.map(({ address }) => address),
    ['192.0.2.1'],
  )
})

test('a site that the operator barred is not asked for the robots.txt of another', async () => {
  const script: Script = { [ROBOTS]: to('http://barred.test/robots.txt'), [HOME]: { body: 'home' } }
  const orders = new StandingOrders()
  orders.learn({ ...NO_ORDERS, version: 1, sites: [{ site: 'barred.test', isStopped: true }] })
  const web = new Scripted(script, { isStopped: (site) => orders.isStopped(site) })
  web.addresses.set('barred.test', '192.0.2.66')
  const asked = () => web.asked.splice(0).map(({ url }) => url)
  await web.visit({ agenda: [HOME] })
  assert.deepEqual(asked(), [ROBOTS])
  orders.learn({ ...NO_ORDERS, version: 2, sites: [{ site: 'barred.test' }] })
  await web.visit({ agenda: [HOME] })
  assert.deepEqual(asked().slice(0, 2), [ROBOTS, 'http://barred.test/robots.txt'])
})

test('a site whose robots.txt is at one that the operator paused waits, and is never given up for that', async () => {
  const script: Script = {
    [ROBOTS]: to('http://paused.test/robots.txt'),
    [HOME]: { body: 'home' },
    'http://paused.test/robots.txt': { body: 'User-agent: *\nDisallow:\n', headers: TEXT },
  }
  let isPaused = true
  const web = new Scripted(script, { isStopped: (site) => isPaused && site === 'paused.test' })
  const memory = { ...freshMemory(), robots: { http: { state: 'rules' as const, at: 0, status: 200, text: '' } } }
  for (let nth = 1; nth <= 6; nth++) {
    const { why, pages, parts } = await web.visit({ agenda: [HOME], visit: { memory } })
    assert.equal(why, 'slice')
    assert.deepEqual(pages, [])
    assert.deepEqual(parts.at(-1)?.memory, memory, 'what it knows stays')
    const wait = parts.at(-1)!.courtesy.notBefore - web.clock.now()
    assert.equal(wait, 3_600_000)
    await web.clock.run(web.clock.sleep(wait))
  }
  assert.equal(web.asked.length, 6)
  isPaused = false
  assert.equal((await web.visit({ agenda: [HOME], visit: { memory } })).why, 'done')
  assert.deepEqual(web.pagesAsked, ['a.test/'])
})

test('a site that is barred during the pause before its robots.txt is not asked for it', async () => {
  const barred = 'http://barred.test/robots.txt'
  const script: Script = { [ROBOTS]: to(barred), [HOME]: { body: 'home' } }
  // In the pause, and while connecting.
  for (const barredAt of [PAUSE / 2, PAUSE + 500]) {
    const web = new Scripted(script, { isStopped: (site) => site === 'barred.test' && web.clock.elapsed() >= barredAt })
    web.addresses.set('barred.test', '192.0.2.66')
    web.connectMs.set('barred.test', 1000)
    const { why, parts } = await web.visit({ agenda: [HOME] })
    assert.deepEqual(
      web.asked.map(({ url }) => url),
      [ROBOTS],
    )
    assert.equal(why, 'slice')
    assert.deepEqual(parts.at(-1)?.memory.robots, {})
    assert.ok(parts.at(-1)!.courtesy.notBefore > web.clock.now() + 3_500_000)
  }
})

test('one that is barred while another request there is under way is not asked after it', async () => {
  const script: Script = {
    [ROBOTS]: to('http://barred.test/robots.txt'),
    'http://b.test/robots.txt': to('http://barred.test/other.txt'),
    'http://barred.test/robots.txt': { body: FORBID, headers: TEXT },
    'http://barred.test/other.txt': { body: FORBID, headers: TEXT },
  }
  const web = new Scripted(script, { isStopped: (site) => site === 'barred.test' && web.asked.length >= 3 })
  for (const [nth, host] of ['a.test', 'b.test', 'barred.test'].entries()) web.addresses.set(host, `192.0.2.${nth + 1}`)
  const visits = [HOME, 'http://b.test/'].map((url) => web.visitNow({ agenda: [url], visit: { id: url } }))
  await web.clock.run(Promise.all(visits))
  assert.equal(web.asked.filter(({ address }) => address === '192.0.2.3').length, 1)
})

test('a robots.txt at a blacklisted URL is unreachable', async () => {
  const script: Script = { [ROBOTS]: to('http://black.test/robots.txt'), [HOME]: { body: 'home' } }
  const web = new Scripted(script, { isRefused: ({ site }) => site === 'black.test' })
  const { why, parts } = await web.visit({ agenda: [HOME] })
  assert.equal(why, 'silent')
  assert.equal(parts.at(-1)?.memory.robots.http?.tries, 1)
  assert.deepEqual(
    web.asked.map(({ url }) => url),
    [ROBOTS],
  )
})

test('a robots.txt that broke off or cannot be decoded counts as unreachable', async () => {
  const broken: ScriptedAnswer[] = [
    { body: '# comment\n', headers: TEXT, cut: 'disconnect' },
    { body: 'User-agent: *\n', headers: TEXT, cut: 'time' },
    { body: 'User-agent: *\nDisallow:\n', headers: [...TEXT, ['Content-Encoding', 'br']] },
    { body: 'User-agent: *\nDisallow:\n', headers: [...TEXT, ['Content-Encoding', 'rot13']] },
    { status: 206, body: 'User-agent: *\nDisallow:\n', headers: TEXT },
    { body: withoutSum('User-agent: *\nDisallow: /\nAllow: /'), headers: [...TEXT, ['Content-Encoding', 'gzip']] },
  ]
  for (const robots of broken) {
    const { asked, visited } = await pagesAskedWith({ [ROBOTS]: robots })
    assert.deepEqual(asked, [])
    assert.equal(visited.parts.at(-1)?.memory.robots.http?.state, 'unreachable')
  }
  const whole: ScriptedAnswer = {
    body: withoutSum('User-agent: *\nDisallow:\n'),
    headers: [...TEXT, ['Content-Encoding', 'gzip']],
  }
  assert.deepEqual((await pagesAskedWith({ [ROBOTS]: whole })).asked, ['a.test/', 'a.test/private'])
})

/** Some servers forget a member's last eight bytes. */
const withoutSum = (text: string) => gzipSync(text).subarray(0, -8)

test('of a robots.txt over our limit only whole lines count, packed or not, in whatever encoding', async () => {
  const limit = 512 * 1024
  // Packed, it is no bomb.
  const noise = createHash('shake256', { outputLength: limit / 2 }).digest('hex')
  for (const [encoding, width] of [
    ['latin1', 1],
    ['utf16le', 2],
  ] as const) {
    const start = '\ufeffUser-agent: *\n'.slice(2 - width)
    const [last, half] = ['\nDisallow: /private\n', 'Allow: /private']
    const room = limit / width - start.length - last.length - half.length
    const lines = noise.replaceAll(/.{100}/g, '#$&\n').slice(0, room)
    const body = Buffer.from(`${start}${lines}${last}${half}-but-not-this\n`, encoding)
    const packed = [...TEXT, ['Content-Encoding', 'gzip'] as const]
    for (const said of [
      { body, headers: TEXT },
      { body: gzipSync(body), headers: packed },
    ]) {
      const { asked, visited } = await pagesAskedWith({ [ROBOTS]: said })
      assert.deepEqual(asked, ['a.test/'])
      assert.equal(visited.parts[0].memory.robots.http?.tooBig, true)
    }
  }
})

test('a robots.txt that is said to be packed, and is not, counts; one that is damaged does not', async () => {
  const packed = [...TEXT, ['Content-Encoding', 'gzip'] as const]
  const plain = await pagesAskedWith({ [ROBOTS]: { body: FORBID, headers: packed } })
  assert.deepEqual(plain.asked, ['a.test/'])
  const body = gzipSync(FORBID)
  body[body.length - 6] ^= 255
  const damaged = await pagesAskedWith({ [ROBOTS]: { body, headers: packed } })
  assert.deepEqual(damaged.asked, [])
})
