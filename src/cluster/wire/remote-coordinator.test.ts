/** A worker and servers that are functions, in virtual time: what happens when they do not answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { Readers } from '../../base/journal.ts'
import { seededRandom } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../../contracts/visit.ts'
import { type HttpClient, type HttpRequest, NoAnswer } from './http-client.ts'
import { readFrame, unpack } from './parts-frame.ts'
import { TIME_HEADER } from './protocol.ts'
import { type ReachOptions, RemoteServers } from './remote-coordinator.ts'
import { visitToWire } from './visit-json.ts'

const START = 1_800_000_000_000
const TICKET = 'abcdefghijklmnopqrstuv'
const ID = '00000000000000aa.1'

const visit: Visit = {
  id: ID,
  fence: 1,
  site: 'a.test',
  agenda: [],
  known: 'too many',
  memory: freshMemory(),
  wait: 0,
  pause: 2000,
  limits: { pages: 5, time: 1000 },
  lease: 180_000,
}
const part = (n: number, id = ID): SealedPart => ({
  visit: id,
  fence: 1,
  part: n,
  site: 'a.test',
  last: false,
  body: Uint8Array.of(n),
})

type Answer = { status?: number; body: unknown; headers?: Record<string, string> }

interface MadeUpServer {
  isUp: boolean
  /** How long a request takes until it is answered. */
  delay: number
  asked: string[]
  /** Numbers of the parts in the order in which they came. */
  parts: number[]
  answer(path: string, body: unknown): Answer
}

function world(more: Partial<ReachOptions> = {}, names = ['http://a', 'http://b']) {
  const clock = virtualClock(START)
  const disk = memoryDisk()
  const journal = new Readers<Event>()
  const troubles: string[] = []
  journal.read((event) => {
    if (event.kind === 'trouble') troubles.push(event.what)
  })
  const made = (): MadeUpServer => ({ isUp: true, delay: 5, asked: [], parts: [], answer: usual })
  const servers = new Map(names.map((url) => [url, made()]))
  const client: HttpClient = {
    async send(request) {
      const url = names.find((name) => request.url.startsWith(name))!
      const server = servers.get(url)!
      const sentAt = clock.elapsed()
      server.asked.push(request.url.slice(url.length))
      await clock.sleep(server.delay, request.signal)
      if (!server.isUp || request.signal?.aborted) throw new NoAnswer(request.url, 'nobody is there')
      const { status = 200, body, headers = {} } = await answerOf(server, request, url)
      const headAt = clock.elapsed()
      const all: Record<string, string> = { [TIME_HEADER]: String(clock.now()), ...headers }
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      return { status, header: (name) => all[name], body: bytes, sentAt, headAt }
    },
    close() {},
  }
  const start = (again: Partial<ReachOptions> = {}) =>
    new RemoteServers({
      servers: names,
      identity: { worker: '0123456789abcdef', secret: 's' },
      life: 'life',
      clock,
      random: seededRandom(3),
      journal,
      disk,
      outboxFolder: '/outbox',
      outboxBytes: 1e6,
      pollMs: 0,
      client,
      ...more,
      ...again,
    })
  const all = [...servers.values()]
  const upAll = (isUp: boolean) => {
    for (const server of all) server.isUp = isUp
  }
  return { clock, disk, troubles, servers, start, upAll, all, run: <T>(work: () => Promise<T>) => clock.run(work()) }
}

async function answerOf(server: MadeUpServer, request: HttpRequest, url: string): Promise<Answer> {
  const path = request.url.slice(url.length)
  if (path !== '/api/v1/parts')
    return server.answer(path, request.body && JSON.parse(Buffer.from(request.body).toString()))
  const answer = server.answer(path, undefined)
  if ((answer.status ?? 200) !== 200) return answer
  const packing = request.headers['content-encoding'] === 'zstd' ? 'zstd' : 'identity'
  const got = readFrame(await unpack(request.body!, packing))
  server.parts.push(...got.map(({ part }) => part.part))
  return { body: { answers: got.map(({ ticket }) => (ticket === TICKET ? 'stored' : 'not-yours')) } }
}

function usual(path: string): Answer {
  switch (path) {
    case '/api/v1/visits':
      return { body: { visits: [{ visit: visitToWire(visit), ticket: TICKET }], next: 0, heldMs: 0 } }
    case '/api/v1/visits/renew':
      return { body: { lease: 180_000, lost: [] } }
    case '/api/v1/visits/enter':
      return { body: { answer: 'here' } }
    case '/api/v1/copies':
      return { body: { copies: [{ url: 'http://a.test/', at: 1 }] } }
    case '/api/v1/alive':
      return { body: { servers: ['http://c', 'no url'] } }
    default:
      return { body: {} }
  }
}

const busy = (seconds: number): Answer => ({
  status: 503,
  body: { code: 'database-unreachable', message: 'no database', hint: 'wait' },
  headers: { 'retry-after': String(seconds) },
})

test('a lease counts from before the request that was answered was sent, plus what it waited there', async () => {
  const { servers, start, run, clock } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  a.delay = 3000
  a.answer = () => ({ body: { visits: [{ visit: visitToWire(visit), ticket: TICKET }], next: 0, heldMs: 2500 } })
  await run(async () => {
    const coordinator = start()
    await clock.sleep(1000)
    const before = clock.elapsed()
    const { visits } = await coordinator.checkOut('w1', 1)
    assert.equal(clock.elapsed() - before, 3000)
    // The worker counts from `before`; the server granted it no earlier than 2.5 s after that.
    assert.equal(visits[0].lease, 180_000 + 2500)
    // A server cannot say that it held the request for longer than it took.
    a.answer = () => ({ body: { visits: [{ visit: visitToWire(visit), ticket: TICKET }], next: 0, heldMs: 9e9 } })
    assert.equal((await coordinator.checkOut('w1', 1)).visits[0].lease, 180_000 + 3000)
    await coordinator.close(0)
  })
})

test('when a server does not answer the next is asked, and stays the one that is asked', async () => {
  const { servers, start, run, all } = world()
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    const [first, second] = all[0].asked.length > 0 ? all : [all[1], all[0]]
    first.isUp = false
    assert.equal((await coordinator.checkOut('w1', 1)).visits.length, 1)
    first.isUp = true
    for (let n = 0; n < 5; n++) await coordinator.checkOut('w1', 1)
    assert.equal(first.asked.length, 2)
    assert.equal(second.asked.length, 6)
    assert.equal(coordinator.lostMs, undefined)
    await coordinator.close(0)
  })
  assert.equal(servers.size, 2)
})

test('when none answers: no visits, no busy asking, leases as they were', async () => {
  const { start, run, upAll, all, clock } = world()
  await run(async () => {
    const coordinator = start()
    const before = clock.elapsed()
    const [{ lease }] = (await coordinator.checkOut('w1', 1)).visits
    const endsAt = before + lease
    upAll(false)
    for (let n = 0; n < 60; n++) {
      const { visits, next } = await coordinator.checkOut('w1', 1)
      assert.deepEqual(visits, [])
      assert.ok(typeof next === 'number' && next >= 1000)
      await clock.sleep(1000)
    }
    assert.ok(coordinator.lostMs! > 55_000)
    assert.ok(all[0].asked.length + all[1].asked.length < 30, 'each is asked less and less often')
    const called = clock.elapsed()
    const renewed = await coordinator.renew('w1', [ID])
    assert.deepEqual(renewed.lost, [])
    assert.ok(Math.abs(called + renewed.lease - endsAt) < 1, 'neither longer nor shorter')
    assert.ok(clock.elapsed() - called <= 11_000)
    upAll(true)
    await clock.sleep(31_000)
    const again = clock.elapsed()
    const { lease: longer } = await coordinator.renew('w1', [ID])
    assert.ok(again + longer >= clock.elapsed() - 5 + 180_000 - 10)
    await coordinator.close(0)
  })
})

test('leave to enter an address is waited for until the lease ends, and then it is not given', async () => {
  const { start, run, upAll, clock } = world()
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    upAll(false)
    const from = clock.elapsed()
    const waiting = coordinator.enter('w1', ID, '192.0.2.1')
    await clock.sleep(60_000)
    upAll(true)
    assert.equal(await waiting, 'here')
    assert.ok(clock.elapsed() - from < 91_000)
    upAll(false)
    assert.equal(await coordinator.enter('w1', ID, '192.0.2.1'), 'elsewhere')
    assert.ok(clock.elapsed() - from <= 180_000)
    await coordinator.close(0)
  })
})

test('reports that no server takes are durable here, and arrive in their order when one is back', async () => {
  const { start, run, upAll, all, disk, clock, troubles } = world()
  await run(async () => {
    let coordinator = start()
    await coordinator.checkOut('w1', 1)
    await coordinator.accept('w1', [part(1)])
    upAll(false)
    for (let n = 2; n <= 5; n++) await coordinator.accept('w1', [part(n)])
    assert.equal(coordinator.undelivered, 4)
    // The process ends, and so does the power: what it had promised is on the disk.
    await coordinator.close(0)
    disk.crash(seededRandom(1))
    coordinator = start({ life: 'next' })
    assert.equal(coordinator.undelivered, 4)
    upAll(true)
    assert.equal(await coordinator.close(60_000), 0)
    assert.ok(clock.elapsed() < 120_000)
  })
  assert.deepEqual(all.flatMap(({ parts }) => parts).sort(), [1, 2, 3, 4, 5])
  assert.deepEqual(
    all.map(({ parts }) => [...parts].sort((a, b) => a - b).join()),
    all.map(({ parts }) => parts.join()),
  )
  assert.deepEqual(troubles, [])
})

test('reports of many threads go together', async () => {
  const { servers, start, run } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    await Promise.all(Array.from({ length: 40 }, (_, n) => coordinator.accept('w1', [part(n + 1)])))
    await coordinator.close(0)
  })
  assert.deepEqual(
    a.parts,
    Array.from({ length: 40 }, (_, n) => n + 1),
  )
  assert.equal(a.asked.filter((path) => path === '/api/v1/parts').length, 2)
})

test('a server that cannot store says when to come again, and is left alone until then', async () => {
  const { servers, start, run, clock } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    a.answer = (path) => (path === '/api/v1/parts' ? busy(20) : usual(path))
    await coordinator.accept('w1', [part(1)])
    assert.equal(coordinator.undelivered, 1)
    const asked = a.asked.length
    await clock.sleep(19_000)
    assert.equal(a.asked.length, asked)
    a.answer = usual
    assert.equal(await coordinator.close(10_000), 0)
  })
  assert.deepEqual(a.parts, [1])
})

test('a full outbox is reported once, and further reports wait', async () => {
  const { servers, start, run, upAll, clock, troubles } = world({ outboxBytes: 200 }, ['http://a'])
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    upAll(false)
    const done: number[] = []
    const all = [1, 2, 3, 4, 5].map((n) => coordinator.accept('w1', [part(n)]).then(() => done.push(n)))
    await clock.sleep(60_000)
    assert.ok(done.length > 0 && done.length < 5, `${done}`)
    assert.deepEqual(troubles, ['no server answers and there is no room for more reports: visits wait'])
    upAll(true)
    await Promise.all(all)
    assert.equal(await coordinator.close(60_000), 0)
  })
  assert.deepEqual([...servers.get('http://a')!.parts].sort(), [1, 2, 3, 4, 5])
})

test('what a server refuses for good is set aside and does not hold up the rest', async () => {
  const { servers, start, run, troubles, disk } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    const no = { status: 400, body: { code: 'bad-request', message: 'cannot be read', hint: '' } }
    a.answer = (path) => (path === '/api/v1/parts' ? no : usual(path))
    await coordinator.accept('w1', [part(1)])
    await coordinator.close(5000)
    assert.equal(coordinator.undelivered, 0)
  })
  assert.match(troubles.join(), /not delivered.*cannot be read/)
  assert.deepEqual(
    disk.list('/outbox').map((name) => name.split('.').at(-1)),
    ['refused'],
  )
})

test('a worker that the servers do not know any more ends, and keeps its reports', async () => {
  const { servers, start, run, clock } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    a.answer = () => ({ status: 401, body: { code: 'unauthorized', message: 'who are you?', hint: 'register' } })
    await coordinator.accept('w1', [part(1)])
    assert.deepEqual((await coordinator.checkOut('w1', 1)).visits, [], 'reports go first')
    await clock.sleep(1000)
    await assert.rejects(coordinator.checkOut('w1', 1), {
      code: 'server-refused',
      message: /who are you\? \(register\)/,
    })
    await clock.sleep(100_000)
    assert.equal(await coordinator.close(1000), 1)
  })
})

test('lookups of copies are batched, and no answer means no copy', async () => {
  const { servers, start, run, upAll } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  const asked: number[] = []
  a.answer = (path, body) => {
    if (path !== '/api/v1/copies') return usual(path)
    const { digests } = body as { digests: string[] }
    asked.push(digests.length)
    return { body: { copies: digests.map((digest) => (digest === 'd3' ? { url: 'http://a.test/3', at: 3 } : null)) } }
  }
  await run(async () => {
    const coordinator = start()
    const found = await Promise.all(Array.from({ length: 50 }, (_, n) => coordinator.findCopy(`d${n}`)))
    assert.deepEqual(
      found.map((copy) => copy?.url).filter((url) => url !== undefined),
      ['http://a.test/3'],
    )
    assert.deepEqual(found[3], { url: 'http://a.test/3', at: 3 })
    assert.deepEqual(asked, [1, 49])
    upAll(false)
    assert.equal(await coordinator.findCopy('d3'), undefined)
    await coordinator.close(0)
  })
})

test('a waiting check-out returns when the worker ends', async () => {
  const { servers, start, run, clock } = world({ pollMs: 30_000 }, ['http://a'])
  servers.get('http://a')!.delay = 30_000
  await run(async () => {
    const coordinator = start()
    const waiting = coordinator.checkOut('w1', 1)
    await clock.sleep(500)
    coordinator.stopAsking()
    assert.deepEqual((await waiting).visits, [])
    assert.ok(clock.elapsed() < 1000)
    assert.deepEqual((await coordinator.checkOut('w1', 1)).visits, [])
    await coordinator.close(0)
  })
})

test('visits are handed out when what concerns them is known; a worker that outlives the crawl is not told of its end', async () => {
  const signs = { digest: 'sha1:A', textDigest: 2n ** 64n - 1n, simhash: 1n, etag: 'W/"ü"' }
  const before = { was: 'kept' as const, ...signs, captured: { url: 'http://a.test/', at: 5 } }
  const known: AgendaItem = { url: 'http://a.test/', key: 7n, depth: 0, dueAt: 5, tries: 0, path: '', before }
  const { run, start, clock, all } = world()
  const sent = [{ visit: visitToWire({ ...visit, agenda: [known] }), ticket: TICKET }]
  for (const server of all) server.answer = () => ({ body: { visits: sent, next: 'over', heldMs: 0 } })
  const steps: string[] = []
  await run(async () => {
    const remote = start({ outlivesCrawl: true })
    remote.onVisits = async (visits) => {
      await clock.sleep(50)
      steps.push(`known: ${visits.map(({ site }) => site)}`)
    }
    const { visits, next } = await remote.checkOut('w1', 5)
    steps.push(`handed out: ${visits.length}`)
    assert.deepEqual(visits[0].agenda, [known])
    assert.equal(next, 1000)
    const other = start()
    assert.equal((await other.checkOut('w1', 5)).next, 'over')
  })
  assert.deepEqual(steps, ['known: a.test', 'handed out: 1'])
})

test('what is no answer of ours is none', async () => {
  const { servers, start, run, clock } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    for (const body of [{}, { visits: [{}], next: 0, heldMs: 0 }, 'x', { visits: [], next: null, heldMs: 0 }]) {
      a.answer = () => ({ body })
      assert.deepEqual((await coordinator.checkOut('w1', 1)).visits, [])
      await clock.sleep(31_000)
    }
    a.answer = () => ({ status: 404, body: 'not here' })
    await assert.rejects(coordinator.plan(), { code: 'server-unreachable', message: /is that an orbweaver server\?/ })
    await coordinator.close(0)
  })
})

test('a proxy that takes no bodies of that size costs nothing but time', async () => {
  const { servers, start, run, clock, disk } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    a.answer = (path) => (path === '/api/v1/parts' ? { status: 413, body: 'nginx' } : usual(path))
    await coordinator.accept('w1', [part(1)])
    await clock.sleep(1000)
    await assert.rejects(coordinator.checkOut('w1', 1), { code: 'server-refused', message: /client_max_body_size/ })
    assert.equal(coordinator.undelivered, 1)
    a.answer = usual
    assert.equal(await coordinator.close(60_000), 0)
  })
  assert.deepEqual(a.parts, [1])
  assert.deepEqual(disk.list('/outbox'), [])
})

/** The visits that a check-out names as those that the thread has; undefined when it names none. */
const hasOf = (body: unknown): string[] | undefined => (body as { has?: string[] }).has

test('after a lost answer each check-out names the visits held, until nothing can be granted any more', async () => {
  const { servers, start, run, clock } = world({ pollMs: 20_000 }, ['http://a'])
  const a = servers.get('http://a')!
  const named: (string[] | undefined)[] = []
  a.answer = (path, body) => {
    if (path === '/api/v1/visits') named.push(hasOf(body))
    const isOther = (body as { thread?: string } | undefined)?.thread === 'life-w2'
    return isOther ? { body: { visits: [], next: 0, heldMs: 0 } } : usual(path)
  }
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    await coordinator.checkOut('w1', 1)
    a.isUp = false
    await coordinator.checkOut('w1', 1)
    a.isUp = true
    await clock.sleep(1000)
    await coordinator.checkOut('w1', 1)
    await coordinator.checkOut('w2', 1)
    await clock.sleep(100_000)
    await coordinator.checkOut('w1', 1)
    await coordinator.checkOut('w1', 1)
    await coordinator.close(0)
  })
  assert.deepEqual(named, [undefined, undefined, [ID], undefined, [ID], undefined])
})

test('a visit is named as long as no server has its last part', async () => {
  const { servers, start, run, clock } = world({}, ['http://a'])
  const a = servers.get('http://a')!
  const named: (string[] | undefined)[] = []
  a.answer = (path, body) => {
    if (path === '/api/v1/visits') named.push(hasOf(body))
    return path === '/api/v1/visits' && named.length > 1 ? { body: { visits: [], next: 0, heldMs: 0 } } : usual(path)
  }
  await run(async () => {
    const coordinator = start()
    await coordinator.checkOut('w1', 1)
    a.delay = 3000
    a.isUp = false
    const unanswered = coordinator.checkOut('w1', 1)
    await unanswered
    a.isUp = true
    await clock.sleep(1000)
    const telling = coordinator.accept('w1', [{ ...part(1), last: true }])
    await coordinator.checkOut('w1', 1)
    await telling
    await coordinator.checkOut('w1', 1)
    await coordinator.close(0)
  })
  assert.deepEqual(named, [undefined, [ID], []])
})
