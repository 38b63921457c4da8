/** Worker and server over real sockets: the calls about visits. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { httpClient } from '../wire/http-client.ts'
import { PROTOCOL, PROTOCOL_HEADER } from '../wire/protocol.ts'
import { joinServers } from '../wire/remote-house.ts'
import { aPart, aVisit, reach, testServer } from './server.test-tools.ts'

describe('a worker over HTTP', () => {
  it('joins, and is given what the house has', async () => {
    await using made = await testServer({ joinSecret: 'sesame' })
    const client = httpClient(realClock)
    const tools = { clock: realClock, random: seededRandom(1), client }
    const who = { name: 'w', version: '1' }
    await assert.rejects(joinServers([made.server.url], who, tools), {
      code: 'server-refused',
      message: /the join secret is missing or another \(give --join-secret/,
    })
    const house = reach([made.server.url], await joinServers([made.server.url], { ...who, join: 'sesame' }, tools))
    made.house.free.push(aVisit(1), aVisit(2))
    const { visits, next } = await house.checkOut('w1', 32)
    assert.deepEqual(
      visits.map(({ lease, ...visit }) => visit),
      [aVisit(1), aVisit(2)].map(({ lease, ...visit }) => visit),
    )
    assert.equal(next, 60_000)
    assert.ok(visits.every(({ lease }) => lease >= 180_000 && lease < 190_000))
    assert.deepEqual(await house.plan(), await made.house.calls.plan())
    assert.ok(Math.abs(house.clock.offset()) < 1000)
    client.close()
    await house.close(0)
  })

  it('asks as one of its threads, which nobody else can name', async () => {
    await using made = await testServer()
    const identity = await made.join()
    const house = reach([made.server.url], identity)
    const thread = `${identity.worker}.life1-w1`
    made.house.free.push(aVisit(1))
    await house.checkOut('w1', 1)
    assert.equal(await house.enter('w1', aVisit(1).id, '192.0.2.1'), 'here')
    assert.equal(await house.enter('w1', aVisit(1).id, '2001:db8::1'), 'elsewhere')
    const lost = `ff${'0'.repeat(14)}.3`
    const { lease, ...renewed } = await house.renew('w1', [aVisit(1).id, lost])
    assert.deepEqual(renewed, { lost: [lost] })
    assert.ok(lease >= 90_000 && lease < 95_000)
    await house.leave('w1')
    assert.equal(house.nameOf('w1'), 'life1-w1')
    assert.equal(await house.leaveEarlier(['life0-w1', 'life0-w2']), true)
    assert.deepEqual(made.house.heard, [
      `checkOut ${thread}`,
      `enter ${thread} ${aVisit(1).id} 192.0.2.1`,
      `enter ${thread} ${aVisit(1).id} 2001:db8::1`,
      `renew ${thread} 2`,
      `leave ${thread}`,
      `leave ${identity.worker}.life0-w1`,
      `leave ${identity.worker}.life0-w2`,
    ])
    await house.close(0)
  })

  it('brings its parts, and finds twins', async () => {
    await using made = await testServer()
    const house = reach([made.server.url], await made.join())
    made.house.free.push(aVisit(1))
    await house.checkOut('w1', 1)
    const parts = [aPart(1, 1), aPart(1, 2, { ended: 'done' })]
    await house.checkInSealed('w1', parts)
    assert.deepEqual(made.house.stored, parts)
    assert.equal(house.undelivered, 0)
    assert.deepEqual(await Promise.all([house.findTwin('sha1:KNOWN'), house.findTwin('sha1:NEW')]), [
      { url: 'http://a.test/twin', at: 12 },
      undefined,
    ])
    await house.close(0)
    assert.deepEqual(house.events, [])
  })

  it('tells of a page that cannot be read, if the visit is its own', async () => {
    await using made = await testServer()
    const identity = await made.join()
    const house = reach([made.server.url], identity)
    made.house.free.push(aVisit(1))
    await house.checkOut('w1', 1)
    const item = { url: 'http://a.test/x', depth: 1, via: undefined, path: 'L', tries: 0 }
    const reading = { count: 3, visit: aVisit(1).id, fence: 1, site: aVisit(1).site, item }
    await house.unreadable('w1', reading)
    assert.equal(made.house.heard.at(-1), `unreadable ${identity.worker}.life1-w1 http://a.test/x`)
    const { status } = await made.send('/api/v1/unreadable', {
      as: await made.join(),
      body: { thread: 't', ticket: 'A'.repeat(22), reading: { ...reading, item: { ...item, via: '' } } },
    })
    assert.equal(status, 403)
    await house.close(0)
  })

  it('learns which servers there are', async () => {
    await using made = await testServer()
    await using other = await testServer({ database: made.database, id: 'server-2' })
    const identity = await made.join()
    const house = reach([made.server.url], identity)
    await house.alive({ visits: 4, lateMs: 1.5, pagesPerSecond: 12, state: 'working', version: '2' })
    await made.server.close()
    other.house.free.push(aVisit(1))
    assert.equal((await house.checkOut('w1', 1)).visits.length, 1)
    await house.close(0)
  })
})

describe('a check-out that finds nothing', () => {
  it('is answered as soon as a bell says that something is free', async () => {
    await using made = await testServer()
    const house = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const began = realClock.elapsed()
    const waiting = house.checkOut('w1', 1)
    await made.house.hears(1)
    made.house.free.push(aVisit(1))
    made.nudge.ring()
    const { visits } = await waiting
    assert.equal(visits.length, 1)
    assert.ok(realClock.elapsed() - began < 1000)
    assert.ok(made.house.heard.length <= 3)
    // What it waited there is not taken off its lease.
    assert.ok(visits[0].lease >= 180_000)
    await house.close(0)
  })

  it('is answered when the crawl is over, and when the server ends', async () => {
    await using made = await testServer()
    const house = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const { checkOut } = made.house.calls
    made.house.calls.checkOut = async () => ({ visits: [], next: 'over' })
    assert.deepEqual(await house.checkOut('w1', 1), { visits: [], next: 'over' })
    made.house.calls.checkOut = checkOut
    const waiting = house.checkOut('w1', 1)
    await made.house.hears(1)
    const began = realClock.elapsed()
    await made.server.close()
    assert.deepEqual((await waiting).visits, [])
    assert.ok(realClock.elapsed() - began < 2000)
    await house.close(0)
  })

  it('and whose worker has hung up meanwhile takes nothing with it', async () => {
    await using made = await testServer()
    const house = reach([made.server.url], await made.join(), { pollMs: 30_000 })
    const { checkOut } = made.house.calls
    const asked = Promise.withResolvers<void>()
    const granted = Promise.withResolvers<void>()
    made.house.calls.checkOut = async (worker, atMost) => {
      asked.resolve()
      await granted.promise
      return checkOut(worker, atMost)
    }
    made.house.free.push(aVisit(1))
    const waiting = house.checkOut('w1', 1)
    await asked.promise
    house.stopAsking()
    assert.deepEqual((await waiting).visits, [])
    // Until the server has seen that the socket is closed.
    await realClock.sleep(50)
    granted.resolve()
    await made.house.hears(2)
    assert.equal(made.house.heard[1], `giveBack ${aVisit(1).id}`)
    await house.close(0)
  })
})

it('what a thread was granted and never heard of is taken back before it is given anything; its earlier question ends', async () => {
  await using made = await testServer()
  const as = await made.join()
  const thread = `${as.worker}.life1-w1`
  const ask = (more: object) =>
    made.send('/api/v1/visits', { as, body: { thread: 'life1-w1', atMost: 1, waitMs: 30_000, ...more } })
  const unheard = ask({})
  await made.house.hears(1)
  made.house.calls.takeBack = async (worker, has) => {
    assert.deepEqual([worker, has], [thread, [aVisit(7).id]])
    made.house.free.push(aVisit(1))
    return [aVisit(1).id]
  }
  const { status, body } = await ask({ has: [aVisit(7).id] })
  assert.equal(status, 200)
  assert.equal((body as { visits: unknown[] }).visits.length, 1)
  made.nudge.ring()
  assert.deepEqual(((await unheard).body as { visits: unknown[] }).visits, [])
  assert.match(JSON.stringify(made.events), /got lost: 1 sites/)
})

it('who has hung up by the time that it is heard has nothing taken back: it has asked again, and may have more than it says', async () => {
  await using made = await testServer()
  const { worker, secret } = await made.join()
  const taken: string[] = []
  made.house.calls.takeBack = async (thread) => {
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
  const house = reach([made.server.url], await made.join())
  made.house.free.push(aVisit(1), aVisit(2), aVisit(3))
  assert.equal((await house.checkOut('w1', 2)).visits.length, 2)
  assert.equal((await house.checkOut('w2', 2)).visits.length, 0)
  await house.checkInSealed('w1', [aPart(1, 1, { ended: 'done' })])
  assert.equal((await house.checkOut('w2', 2)).visits.length, 1)
  await house.close(0)
})
