/** Worker and server over real sockets: the calls about visits. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { watchComputer } from '../../base/computer.ts'
import { seededRandom } from '../../base/random.ts'
import { httpClient } from '../wire/http-client.ts'
import { PROTOCOL, PROTOCOL_HEADER } from '../wire/protocol.ts'
import { joinServers } from '../wire/remote-coordinator.ts'
import { aPart, aVisit, reach, testServer } from './server.test-tools.ts'
import { readWorkers } from './worker-table.ts'

describe('a worker over HTTP', () => {
  it('joins, and is given what the coordinator has', async () => {
    await using made = await testServer({ joinSecret: 'sesame' })
    const client = httpClient(realClock)
    const tools = { clock: realClock, random: seededRandom(1), client }
    const who = { name: 'w', version: '1' }
    await assert.rejects(joinServers([made.server.url], who, tools), {
      code: 'server-refused',
      message: /the join secret is missing or another \(give --join-secret/,
    })
    const coordinator = reach(
      [made.server.url],
      await joinServers([made.server.url], { ...who, join: 'sesame' }, tools),
    )
    made.coordinator.free.push(aVisit(1), aVisit(2))
    const { visits, next } = await coordinator.checkOut('w1', 32)
    assert.deepEqual(
      visits.map(({ lease, ...visit }) => visit),
      [aVisit(1), aVisit(2)].map(({ lease, ...visit }) => visit),
    )
    assert.equal(next, 60_000)
    assert.ok(visits.every(({ lease }) => lease >= 180_000 && lease < 190_000))
    assert.deepEqual(await coordinator.plan(), await made.coordinator.calls.plan())
    assert.ok(Math.abs(coordinator.clock.offset()) < 1000)
    client.close()
    await coordinator.close(0)
  })

  it('calls as one of its threads, which no other worker can name', async () => {
    await using made = await testServer()
    const identity = await made.join()
    const coordinator = reach([made.server.url], identity)
    const thread = `${identity.worker}.life1-w1`
    made.coordinator.free.push(aVisit(1))
    await coordinator.checkOut('w1', 1)
    assert.equal(await coordinator.enter('w1', aVisit(1).id, '192.0.2.1'), 'here')
    assert.equal(await coordinator.enter('w1', aVisit(1).id, '2001:db8::1'), 'elsewhere')
    const lost = `ff${'0'.repeat(14)}.3`
    const { lease, ...renewed } = await coordinator.renew('w1', [aVisit(1).id, lost])
    assert.deepEqual(renewed, { lost: [lost] })
    assert.ok(lease >= 90_000 && lease < 95_000)
    await coordinator.leave('w1')
    assert.equal(coordinator.nameOf('w1'), 'life1-w1')
    assert.equal(await coordinator.leaveEarlier(['life0-w1', 'life0-w2']), true)
    assert.deepEqual(made.coordinator.recorded, [
      `checkOut ${thread}`,
      `enter ${thread} ${aVisit(1).id} 192.0.2.1`,
      `enter ${thread} ${aVisit(1).id} 2001:db8::1`,
      `renew ${thread} 2`,
      `leave ${thread}`,
      `leave ${identity.worker}.life0-w1`,
      `leave ${identity.worker}.life0-w2`,
    ])
    await coordinator.close(0)
  })

  it('delivers its parts, and finds stored copies', async () => {
    await using made = await testServer()
    const coordinator = reach([made.server.url], await made.join())
    made.coordinator.free.push(aVisit(1))
    await coordinator.checkOut('w1', 1)
    const parts = [aPart(1, 1), aPart(1, 2, { ended: 'done' })]
    await coordinator.accept('w1', parts)
    assert.deepEqual(made.coordinator.stored, parts)
    assert.equal(coordinator.undelivered, 0)
    assert.deepEqual(await Promise.all([coordinator.findCopy('sha1:KNOWN'), coordinator.findCopy('sha1:NEW')]), [
      { url: 'http://a.test/twin', at: 12 },
      undefined,
    ])
    await coordinator.close(0)
    assert.deepEqual(coordinator.events, [])
  })

  it('tells of a page that cannot be read, if the visit is its own', async () => {
    await using made = await testServer()
    const identity = await made.join()
    const coordinator = reach([made.server.url], identity)
    made.coordinator.free.push(aVisit(1))
    await coordinator.checkOut('w1', 1)
    const item = { url: 'http://a.test/x', depth: 1, via: undefined, path: 'L', tries: 0 }
    const reading = { count: 3, visit: aVisit(1).id, fence: 1, site: aVisit(1).site, item }
    await coordinator.unreadable('w1', reading)
    assert.equal(made.coordinator.recorded.at(-1), `unreadable ${identity.worker}.life1-w1 http://a.test/x`)
    const { status } = await made.send('/api/v1/unreadable', {
      as: await made.join(),
      body: { thread: 't', ticket: 'A'.repeat(22), reading: { ...reading, item: { ...item, via: '' } } },
    })
    assert.equal(status, 403)
    await coordinator.close(0)
  })

  it('learns which servers there are', async () => {
    await using made = await testServer()
    await using other = await testServer({ database: made.database, id: 'server-2' })
    const identity = await made.join()
    const coordinator = reach([made.server.url], identity)
    const news = { visits: 4, lateMs: 1.5, pagesPerSecond: 12, state: 'working', version: '2' } as const
    const computer = { ...watchComputer()('.'), bytesPerSecond: 1000, fastestBytesPerSecond: 2000 }
    await coordinator.alive({ ...news, computer, clockOffsetMs: -12.5 })
    await made.server.close()
    const [row] = await made.database.read((tx) => readWorkers(tx, 1))
    assert.deepEqual([row.visits, row.clockOffsetMs, row.computer?.fastestBytesPerSecond], [4, -12.5, 2000])
    assert.ok(row.computer !== null && row.computer.cpus > 0 && row.computer.memoryBytes > 2 ** 20, 'a real computer')
    assert.ok(row.computer.freeDiskBytes > 0)
    other.coordinator.free.push(aVisit(1))
    assert.equal((await coordinator.checkOut('w1', 1)).visits.length, 1)
    await coordinator.close(0)
  })
})

describe('a check-out that finds nothing', () => {
  it('is answered as soon as a bell says that something is free', async () => {
    await using made = await testServer()
    const coordinator = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const began = realClock.elapsed()
    const waiting = coordinator.checkOut('w1', 1)
    await made.coordinator.received(1)
    made.coordinator.free.push(aVisit(1))
    made.nudge.wake()
    const { visits, heldMs = 0 } = await waiting
    assert.equal(visits.length, 1)
    const tookMs = realClock.elapsed() - began
    assert.ok(tookMs < 1000 && heldMs > 0 && heldMs <= tookMs, 'most of it was no latency')
    assert.ok(made.coordinator.recorded.length <= 3)
    // What it waited there is not taken off its lease.
    assert.ok(visits[0].lease >= 180_000)
    await coordinator.close(0)
  })

  it('is answered when the crawl is over, and when the server ends', async () => {
    await using made = await testServer()
    const coordinator = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const { checkOut } = made.coordinator.calls
    made.coordinator.calls.checkOut = async () => ({ visits: [], next: 'over' })
    assert.equal((await coordinator.checkOut('w1', 1)).next, 'over')
    made.coordinator.calls.checkOut = checkOut
    const waiting = coordinator.checkOut('w1', 1)
    await made.coordinator.received(1)
    const began = realClock.elapsed()
    await made.server.close()
    assert.deepEqual((await waiting).visits, [])
    assert.ok(realClock.elapsed() - began < 2000)
    await coordinator.close(0)
  })

  it('and whose worker has hung up meanwhile takes nothing with it', async () => {
    await using made = await testServer()
    const coordinator = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const { checkOut } = made.coordinator.calls
    const asked = Promise.withResolvers<void>()
    const granted = Promise.withResolvers<void>()
    made.coordinator.calls.checkOut = async (worker, atMost) => {
      asked.resolve()
      await granted.promise
      return checkOut(worker, atMost)
    }
    made.coordinator.free.push(aVisit(1))
    const waiting = coordinator.checkOut('w1', 1)
    await asked.promise
    coordinator.stopAsking()
    assert.deepEqual((await waiting).visits, [])
    // Until the server has seen that the socket is closed.
    await realClock.sleep(50)
    granted.resolve()
    await made.coordinator.received(2)
    assert.equal(made.coordinator.recorded[1], `giveBack ${aVisit(1).id}`)
    await coordinator.close(0)
  })
})

it('what a thread was granted and never heard of is taken back before it is given anything; its earlier question ends', async () => {
  await using made = await testServer()
  const as = await made.join()
  const thread = `${as.worker}.life1-w1`
  const ask = (more: object) =>
    made.send('/api/v1/visits', { as, body: { thread: 'life1-w1', atMost: 1, waitMs: 30_000, ...more } })
  const unheard = ask({})
  await made.coordinator.received(1)
  made.coordinator.calls.takeBack = async (worker, has) => {
    assert.deepEqual([worker, has], [thread, [aVisit(7).id]])
    made.coordinator.free.push(aVisit(1))
    return [aVisit(1).id]
  }
  const { status, body } = await ask({ has: [aVisit(7).id] })
  assert.equal(status, 200)
  assert.equal((body as { visits: unknown[] }).visits.length, 1)
  made.nudge.wake()
  assert.deepEqual(((await unheard).body as { visits: unknown[] }).visits, [])
  assert.match(JSON.stringify(made.events), /got lost: 1 sites/)
})

it('nothing is taken back from a thread that hung up before its question was read: it has asked again and may hold more', async () => {
  await using made = await testServer()
  const { worker, secret } = await made.join()
  const taken: string[] = []
  made.coordinator.calls.takeBack = async (thread) => {
    taken.push(thread)
    return []
  }
  const { port } = new URL(made.server.url)
  const ask = (thread: string) => {
    const body = JSON.stringify({ thread, atMost: 1, waitMs: 0, has: [] })
    const head = [
      'POST /api/v1/visits HTTP/1.1',
      ...['host: server', `authorization: Bearer ${worker}.${secret}`, `${PROTOCOL_HEADER}: ${PROTOCOL}`],
      ...['content-type: application/json', `content-length: ${body.length}`],
    ]
    const socket = connect(Number(port), '127.0.0.1')
    socket.write([...head, '', body].join('\r\n'))
    return socket
  }
  // As a server that stood still finds it: the question, and right behind it that nobody waits for an answer any more.
  ask('gone').end().resume()
  await once(ask('there'), 'data')
  assert.deepEqual(taken, [`${worker}.there`])
})

it('a worker has so many leases and no more, until it gives some back', async () => {
  await using made = await testServer({ limits: { leases: 2 } })
  const coordinator = reach([made.server.url], await made.join())
  made.coordinator.free.push(aVisit(1), aVisit(2), aVisit(3))
  assert.equal((await coordinator.checkOut('w1', 2)).visits.length, 2)
  assert.equal((await coordinator.checkOut('w2', 2)).visits.length, 0)
  await coordinator.accept('w1', [aPart(1, 1, { ended: 'done' })])
  assert.equal((await coordinator.checkOut('w2', 2)).visits.length, 1)
  await coordinator.close(0)
})
