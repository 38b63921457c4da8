/** robots.txt that redirects to another site: seen from the servers, over all workers, every pause is kept (C5, RFC 9309 2.3.1.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Visit } from '../contracts/visit.ts'
import { AddressCourtesy } from './address-courtesy.ts'
import { ForeignRobots } from './foreign-robots.ts'
import { ADDRESS_PAUSE, PAUSE, type Script, Scripted, type ScriptedAnswer, type Visited } from './scripted.test-data.ts'
import type { SiteTools } from './tools.ts'

const to = (location: string): ScriptedAnswer => ({ status: 301, headers: [['Location', location]] })
const FORBID = { body: 'User-agent: *\nDisallow: /private\n' }
const SCRIPT: Script = {
  'http://a.test/robots.txt': to('http://b.test/robots.txt'),
  'http://a.test/': { body: 'home' },
  'http://c.test/robots.txt': to('http://b.test/other.txt'),
  'http://c.test/': { body: 'home' },
  'http://b.test/robots.txt': { ...FORBID, tookMs: 700 },
  'http://b.test/other.txt': FORBID,
  'http://b.test/': { body: '<a href="/1">1</a><a href="/2">2</a>' },
  'http://b.test/1': { body: '1' },
  'http://b.test/2': { body: '2' },
}

/** Who is at which address, as the coordinator would have it. */
class Addresses {
  readonly #now: () => number
  readonly #held = new Map<string, { worker: string; visits: number; until: number }>()
  readonly #entered = new Map<string, string>()

  constructor(now: () => number) {
    this.#now = now
  }

  readonly enter: SiteTools['enter'] = async (worker, visit, ip) => {
    if (this.#entered.get(visit) === ip) return 'here'
    const there = this.#held.get(ip)
    const isHeld = there !== undefined && (there.visits > 0 || there.until > this.#now())
    if (isHeld && there.worker !== worker) return 'elsewhere'
    this.leave(visit)
    this.#held.set(ip, { worker, visits: (there?.worker === worker ? there.visits : 0) + 1, until: 0 })
    this.#entered.set(visit, ip)
    return 'here'
  }

  leave(visit: string): void {
    const left = this.#held.get(this.#entered.get(visit) ?? '')
    if (left === undefined) return
    left.visits--
    left.until = this.#now() + ADDRESS_PAUSE
    this.#entered.delete(visit)
  }
}

function web() {
  const served = new Scripted(SCRIPT)
  for (const [i, host] of ['a.test', 'b.test', 'c.test'].entries()) served.addresses.set(host, `192.0.2.${i + 1}`)
  const addresses = new Addresses(() => served.clock.elapsed())
  const worker = (name: string): Partial<SiteTools> => ({
    worker: name,
    enter: addresses.enter,
    addresses: new AddressCourtesy(served.clock, ADDRESS_PAUSE, 8),
    foreign: new ForeignRobots(served.clock),
  })
  const visit = async (site: string, tools: Partial<SiteTools>, more: Partial<Visit> = {}): Promise<Visited> => {
    const id = more.id ?? `${site}.1`
    const visited = await served.visitNow({ agenda: [`http://${site}/`], visit: { ...more, id }, tools })
    addresses.leave(id)
    return visited
  }
  return { served, worker, visit }
}

function assertPauses({ asked }: Scripted, host: string): void {
  const there = asked.filter(({ url }) => new URL(url).host === host).sort((a, b) => a.at - b.at)
  for (const [i, { at, url }] of there.entries())
    if (i > 0)
      assert.ok(at - there[i - 1].endedAt >= PAUSE, `${url} ${at - there[i - 1].endedAt} ms after the one before`)
}

test('a redirect to another site is followed, its rules hold, and the visit goes on', async () => {
  const { served, worker, visit } = web()
  const { why, pages, parts } = await served.clock.run(visit('a.test', worker('w1')))
  assert.equal(why, 'done')
  assert.deepEqual(
    pages.map(({ url }) => url),
    ['http://a.test/'],
  )
  assert.equal(parts.at(-1)?.memory.robots.http?.state, 'rules')
  assert.equal(parts.at(-1)?.courtesy.address, '192.0.2.1')
})

test('while another worker holds that address nothing is requested there: the site goes to that worker', async () => {
  const { served, worker, visit } = web()
  const [one, two] = [worker('w1'), worker('w2')]
  await served.clock.run(
    (async () => {
      const busy = visit('b.test', two)
      await served.clock.sleep(10)
      const refused = await visit('a.test', one)
      assert.equal(refused.why, 'slice')
      assert.deepEqual(refused.pages, [])
      assert.deepEqual(
        refused.parts.at(-1)?.courtesy.address,
        '192.0.2.2',
        'so that the coordinator hands it to whoever is there',
      )
      await busy
    })(),
  )
  assertPauses(served, 'b.test')
})

test('if the visit whose courtesy it shared is over, the next visit there still keeps the pause', async () => {
  const { served, worker, visit } = web()
  const tools = worker('w1')
  await served.clock.run(
    (async () => {
      const first = visit('b.test', tools, { limits: { pages: 1, time: 1e9 } })
      await served.clock.sleep(1000)
      const ledThere = visit('a.test', tools)
      const { parts } = await first
      const wait = parts.at(-1)!.courtesy.notBefore - served.clock.now()
      await visit('b.test', tools, { id: 'b.test.2', wait })
      await ledThere
    })(),
  )
  assert.equal(served.asked.filter(({ url }) => url === 'http://b.test/robots.txt').length, 3)
  assertPauses(served, 'b.test')
})

test('stopped while the other host is resolved: nothing is learnt about its robots.txt', async () => {
  const { served, worker, visit } = web()
  const stop = new AbortController()
  const resolve: SiteTools['resolve'] = async (host, signal) => {
    if (host !== 'b.test') return served.tools.resolve(host, signal)
    stop.abort()
    return { kind: 'failed', failure: { kind: 'dns', detail: 'aborted' } }
  }
  const tools = { ...worker('w1'), resolve }
  const run = served.visitNow({ agenda: ['http://a.test/'], tools, signal: stop.signal })
  const { why, parts } = await served.clock.run(run)
  assert.equal(why, 'stopped')
  assert.deepEqual(parts.at(-1)?.memory.robots, {})
  assert.equal((await served.clock.run(visit('a.test', worker('w1')))).why, 'done')
})

test("the operator's own server is still requested, whichever worker holds its address", async () => {
  const { served, worker, visit } = web()
  const configured = (site: string) => ({ pause: PAUSE, own: site === 'a.test' })
  const tools = { ...worker('w1'), pauses: { ...served.tools.pauses, configured } }
  await tools.enter!('w2', 'another', '192.0.2.1')
  const { why, pages } = await served.clock.run(visit('a.test', tools))
  assert.equal(why, 'done')
  assert.equal(pages.length, 1)
})

test('two redirects to a site and its own visit keep the pause, in any order and on any worker', async () => {
  let met = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a.test', 'b.test', 'c.test'), fc.nat(9000), fc.constantFrom(0, 1, 2)), {
        minLength: 2,
        maxLength: 3,
      }),
      async (visits) => {
        // A site is leased once.
        const sites = new Map(visits.map(([site, at, by]) => [site, { at, by }]))
        const { served, worker, visit } = web()
        const workers = ['w1', 'w2', 'w3'].map(worker)
        const begin = async ([site, { at, by }]: [string, { at: number; by: number }]) => {
          await served.clock.sleep(at)
          await visit(site, workers[by])
        }
        await served.clock.run(Promise.all([...sites].map(begin)))
        assertPauses(served, 'b.test')
        const isLedThere = served.asked.some(({ url }) => url === 'http://b.test/other.txt')
        if (isLedThere && sites.get('b.test')?.by !== sites.get('c.test')?.by) met++
      },
    ),
    { numRuns: 300 },
  )
  assert.ok(met > 0, 'no two workers came near each other')
})

/** b.test, where a.test has its robots.txt, is at another address. */
function twoAddresses(): Scripted {
  const web = new Scripted(SCRIPT)
  web.addresses.set('a.test', '192.0.2.1').set('b.test', '192.0.2.2')
  return web
}

test('the slots at both addresses are free afterwards, and the connections are closed', async () => {
  const web = twoAddresses()
  const addresses = new AddressCourtesy(web.clock, ADDRESS_PAUSE, 1)
  let open = 0
  const openSession: SiteTools['openSession'] = (...options) => {
    open++
    const session = web.tools.openSession(...options)
    return { ...session, close: () => void open-- }
  }
  const { why } = await web.visit({ agenda: ['http://a.test/'], tools: { addresses, openSession } })
  assert.equal(why, 'done')
  assert.deepEqual([open, addresses.join('192.0.2.1'), addresses.join('192.0.2.2')], [0, true, true])
})

test('a visit whose own address went to another worker meanwhile requests nothing more', async () => {
  const web = twoAddresses()
  const entered: string[] = []
  const enter: SiteTools['enter'] = async (_worker, _visit, ip) => {
    entered.push(ip)
    return entered.length < 3 ? 'here' : 'elsewhere'
  }
  const { why } = await web.visit({ agenda: ['http://a.test/'], tools: { enter } })
  assert.deepEqual(entered, ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
  assert.deepEqual(
    web.asked.map(({ url }) => url),
    ['http://a.test/robots.txt', 'http://b.test/robots.txt'],
  )
  assert.equal(why, 'slice')
})
