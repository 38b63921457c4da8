import assert from 'node:assert/strict'
import { get } from 'node:https'
import { connect } from 'node:net'
import { after, before, describe, it, test } from 'node:test'
import fc from 'fast-check'
import { selfSigned } from '../../../testkit/web/certificate.ts'
import { Problem } from '../../base/errors.ts'
import { CALLS, type CallDefinition } from '../wire/calls.ts'
import { frameParts } from '../wire/parts-frame.ts'
import { PARTS_TYPE, PROTOCOL_HEADER, TIME_HEADER } from '../wire/protocol.ts'
import { readCalls } from './call-log.ts'

import { aPart, aVisit, type TestServer, testServer } from './server.test-tools.ts'
import type { Pages } from './web-door.ts'
import { urlOf } from './web-server.ts'
import { readWorkers } from './worker-table.ts'

const V1 = aVisit(1).id
const parts = { 'content-type': PARTS_TYPE }
/** Those that the definition of the call names. */
const FRESHNESS_KEYS = [
  ...['ageSeconds', 'at', 'bound', 'boundLooks', 'capacity', 'freshness', 'gain', 'measured', 'pages', 'sites'],
  'stalenessRatio',
]

describe('who may call', () => {
  let made: TestServer
  before(async () => {
    made = await testServer()
  })
  after(() => made[Symbol.asyncDispose]())

  it('refuses calls without a secret, with a wrong one, or of another worker', async () => {
    const a = await made.join()
    const b = await made.join()
    const ask = (as?: { worker: string; secret: string }) => made.send('/api/v1/servers', as && { as })
    assert.equal((await ask()).status, 401)
    assert.equal((await ask({ ...a, secret: b.secret })).status, 401)
    assert.equal((await ask({ worker: 'f'.repeat(16), secret: a.secret })).status, 401)
    const { status, body } = await ask(a)
    assert.equal(status, 200)
    assert.deepEqual(body, { servers: [made.server.url] })
  })

  it('no secret lies in the database', async () => {
    const { secret } = await made.join()
    const rows = await made.database.read((tx) => readWorkers(tx, 100))
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(secret))
  })

  it('a worker of another protocol gets an error that says so', async () => {
    const as = await made.join()
    const refused = async (protocol: string, message: string, hint: string) => {
      const { status, body } = await made.send('/api/v1/servers', { as, headers: { [PROTOCOL_HEADER]: protocol } })
      assert.equal(status, 409)
      assert.deepEqual(body, { code: 'other-protocol', message, hint })
    }
    await refused(
      '99',
      'the worker speaks protocol 99, this server 4',
      'the server is the older one: install the worker’s version of orbweaver on all servers',
    )
    // The last with another format of reports.
    await refused(
      '3',
      'the worker speaks protocol 3, this server 4',
      'the worker is the older one: install the server’s version of orbweaver on it',
    )
  })

  it("every answer has the server's time, errors too", async () => {
    const { header } = await made.send('/nowhere')
    assert.ok(Math.abs(Number(header(TIME_HEADER)) - Date.now()) < 5000)
  })
})

test('a server on all addresses names its machine to workers, for localhost is their own', () => {
  const on = (address: string, family = 'IPv4') => urlOf({ address, family, port: 8723 }, 'barn', false)
  assert.equal(on('0.0.0.0'), 'http://barn:8723')
  assert.equal(on('::', 'IPv6'), 'http://barn:8723')
  assert.equal(on('192.0.2.7'), 'http://192.0.2.7:8723')
  assert.equal(on('::1', 'IPv6'), 'http://[::1]:8723')
})

test('a worker without the join secret cannot join', async () => {
  await using made = await testServer({ joinSecret: 'sesame' })
  const join = (secret?: string) =>
    made.send('/api/v1/workers', { body: { name: 'w', version: '1', ...(secret && { join: secret }) } })
  assert.equal((await join()).status, 403)
  assert.equal((await join('sesam')).status, 403)
  assert.equal((await join('sesame')).status, 200)
})

test('without a join secret, a worker behind a proxy cannot join', async () => {
  await using made = await testServer()
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const { status } = await made.send('/api/v1/workers', { body: { name: 'w', version: '1' }, headers })
  assert.equal(status, 403)
})

test('without a join secret, no web page whose name leads to this machine can join, look or act', async () => {
  await using made = await testServer()
  const headers = { host: 'evil.test' }
  const pause = { body: { action: 'pause' } }
  assert.equal((await made.send('/api/v1/workers', { body: { name: 'w', version: '1' }, headers })).status, 403)
  assert.equal((await made.send('/api/v1/actions', { ...pause, headers })).status, 403)
  for (const path of ['/api/v1/audit', '/api/v1/control', '/api/v1/changes?since=now'])
    assert.equal((await made.send(path, { headers })).status, 403, path)
  assert.equal((await made.send('/api/v1/actions', pause)).status, 200)
})

test('with tokens only, operators show theirs on the machine of the server, too', async () => {
  await using made = await testServer({ tokens: { viewer: 'v'.repeat(20), operator: 'o'.repeat(20) } })
  const status = async (authorization?: string) =>
    (await made.send('/api/v1/audit', authorization === undefined ? {} : { headers: { authorization } })).status
  assert.equal(await status(), 403)
  assert.equal(await status(`Join ${Buffer.from('anything').toString('base64url')}`), 403)
  assert.equal(await status(`Bearer ${'v'.repeat(20)}`), 403)
  assert.equal(await status(`Bearer ${'o'.repeat(20)}`), 200)
})

describe('parts', () => {
  let made: TestServer
  let a: { worker: string; secret: string }
  let b: { worker: string; secret: string }
  let ticket: string
  before(async () => {
    made = await testServer()
    a = await made.join()
    b = await made.join()
    made.coordinator.free.push(aVisit(1))
    const { body } = await made.send('/api/v1/visits', { as: a, body: { thread: 't', atMost: 1, waitMs: 0 } })
    ticket = (body as { visits: { ticket: string }[] }).visits[0].ticket
  })
  after(() => made[Symbol.asyncDispose]())

  const checkIn = async (as: typeof a, sent: { ticket: string; part: ReturnType<typeof aPart> }[]) => {
    const { status, body } = await made.send('/api/v1/parts', { as, headers: parts, body: frameParts(sent) })
    assert.equal(status, 200, JSON.stringify(body))
    return (body as { answers: string[] }).answers
  }

  it('twice, out of order and late: stored, for the ledger to judge', async () => {
    const [one, two] = [aPart(1, 1), aPart(1, 2, { ended: 'done' })]
    assert.deepEqual(await checkIn(a, [{ ticket, part: two }]), ['stored'])
    assert.deepEqual(
      await checkIn(a, [
        { ticket, part: one },
        { ticket, part: two },
      ]),
      ['stored', 'stored'],
    )
    assert.deepEqual(
      made.coordinator.stored.map(({ part, last }) => [part, last]),
      [
        [2, true],
        [1, false],
        [2, true],
      ],
    )
  })

  it('of another worker, or of another visit than the ticket: not yours, and the others are stored', async () => {
    const before = made.coordinator.stored.length
    assert.deepEqual(await checkIn(b, [{ ticket, part: aPart(1, 3) }]), ['not-yours'])
    assert.deepEqual(
      await checkIn(a, [
        { ticket, part: aPart(2, 1) },
        { ticket: '', part: aPart(1, 3) },
        { ticket, part: aPart(1, 3) },
      ]),
      ['not-yours', 'not-yours', 'stored'],
    )
    assert.equal(made.coordinator.stored.length, before + 1)
  })

  it('damaged, or saying something else than its envelope: unreadable', async () => {
    const good = aPart(1, 4)
    const answers = await checkIn(a, [
      { ticket, part: { ...good, body: good.body.subarray(0, 20) } },
      { ticket, part: { ...good, part: 5 } },
      { ticket, part: { ...good, fence: 2 } },
      { ticket, part: { ...good, site: 'b.test' } },
      { ticket, part: { ...good, last: true } },
      // The envelope is ours; what is in it is somebody else's.
      { ticket, part: { ...good, body: aPart(2, 4).body } },
    ])
    assert.deepEqual(answers, Array(6).fill('unreadable'))
  })

  it('that cannot be made durable: 503 and when to come again', async () => {
    const { accept } = made.coordinator.calls
    const send = () =>
      made.send('/api/v1/parts', { as: a, headers: parts, body: frameParts([{ ticket, part: aPart(1, 6) }]) })
    try {
      for (const [error, code] of [
        [new Problem('database-unreachable', 'no answer'), 'database-unreachable'],
        [Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), 'disk-full'],
        [new Error('whatever'), 'database-unreachable'],
      ] as const) {
        made.coordinator.calls.accept = () => Promise.reject(error)
        const { status, body, header } = await send()
        assert.equal(status, 503)
        assert.equal((body as { code: string }).code, code)
        assert.ok(Number(header('retry-after')) > 0)
      }
    } finally {
      made.coordinator.calls.accept = accept
    }
  })

  it('leave a line each in the record of calls', async () => {
    await using other = await testServer({ database: made.database })
    const as = await other.join()
    await other.send('/api/v1/copies', { as, body: { digests: ['sha1:KNOWN', 'x'] } })
    await other.send('/api/v1/visits/enter', { as, body: { thread: 't', visit: V1, address: '192.0.2.9' } })
    await other.send('/api/v1/visits/enter', { as, body: { thread: 't', visit: 'no', address: '192.0.2.9' } })
    await other.server.close()
    const calls = await made.database.read((tx) => readCalls(tx, { worker: as.worker, since: 0, atMost: 10 }))
    assert.deepEqual(calls.map(({ call, visit, result, items }) => [call, visit, result, items]).reverse(), [
      ['findCopies', null, 'ok', 2],
      ['enter', V1, 'elsewhere', 0],
      ['enter', null, 'bad-request', 0],
    ])
    const [row] = await made.database.read((tx) => readWorkers(tx, 1))
    assert.equal(row.id, as.worker)
  })
})

test('no bytes whatsoever make the server fail, and it goes on answering', async () => {
  await using made = await testServer({ limits: { calls: 1e9 } })
  const as = await made.join()
  const calls = Object.values<CallDefinition>(CALLS)
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => Buffer.from(JSON.stringify(value)))
  const near = fc
    .record(
      {
        thread: fc.constantFrom('t', '', 'x'.repeat(50)),
        atMost: fc.constantFrom(1, 0, 1e9, 'x'),
        waitMs: fc.constantFrom(0, -1, 1e12),
        visit: fc.constantFrom(V1, '', 'x'),
        visits: fc.array(fc.constantFrom(V1, 'x', null)),
        address: fc.constantFrom('192.0.2.1', '', "'; drop table site"),
        digests: fc.array(fc.string()),
        bytes: fc.constantFrom(0, -1, 2 ** 60),
        name: fc.string(),
        version: fc.string(),
        reading: fc.object(),
        ticket: fc.string(),
      },
      { requiredKeys: [] },
    )
    .map((value) => Buffer.from(JSON.stringify(value)))
  const request = fc.record({
    call: fc.constantFrom(...calls),
    body: fc.oneof(fc.uint8Array(), json, near, fc.constant(Buffer.from('{"__proto__":{"x":1}}'))),
    type: fc.constantFrom('application/json', PARTS_TYPE, 'application/octet-stream', 'text/plain', 'x', ''),
    encoding: fc.constantFrom('', 'zstd', 'gzip', 'br'),
    name: fc.oneof(fc.constantFrom('A-1.warc.gz', '..', '%00', '%', 'a/../../b.warc.gz'), fc.webPath()),
    offset: fc.constantFrom('', '?offset=0', '?offset=99', '?offset=-1', '?offset=1e3', '?x=1'),
    signed: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ call, body, type, encoding, name, offset, signed }) => {
      const path = call.path.replace(':name', name.replace(/^\//, '')) + offset
      const { status } = await made.send(path, {
        method: call.method,
        ...(call.method === 'GET' ? {} : { body: Uint8Array.from(body) }),
        ...(signed ? { as } : {}),
        headers: { ...(type && { 'content-type': type }), ...(encoding && { 'content-encoding': encoding }) },
      })
      assert.ok(status === 200 || (status >= 400 && status < 500), `${call.method} ${path}: ${status}`)
    }),
    { numRuns: 600 },
  )
  assert.deepEqual(
    made.events.filter(({ kind }) => kind === 'trouble'),
    [],
  )
})

test('what is not even HTTP is answered or hung up on', async () => {
  await using made = await testServer()
  const { port } = new URL(made.server.url)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      await new Promise<void>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => socket.end(bytes))
        socket.on('error', () => {})
        socket.on('close', () => resolve())
        socket.resume()
      })
    }),
    { numRuns: 50 },
  )
  assert.equal((await made.send('/healthz')).status, 200)
})

describe('for operators', () => {
  it('health says plainly that the database is gone', async () => {
    await using well = await testServer()
    assert.deepEqual((await well.send('/healthz')).body, { status: 'ok', program: 'orbweaver/test' })
    await using made = await testServer()
    const { read } = made.database
    made.database.read = () => Promise.reject(new Problem('database-unreachable', 'nobody listens at db.test'))
    try {
      const { status, body } = await made.send('/healthz')
      assert.equal(status, 503)
      assert.match((body as { message: string }).message, /database cannot be reached: nobody listens at db.test/)
      const metrics = await made.send('/metrics')
      assert.equal(metrics.status, 200)
      assert.match(String(metrics.body), /^orbweaver_database_up 0$/m)
    } finally {
      made.database.read = read
    }
  })

  it('health and metrics cost the database the same, however often they are asked for', async () => {
    await using made = await testServer()
    const { read } = made.database
    let reads = 0
    made.database.read = (work) => {
      reads++
      return read(work)
    }
    await Promise.all(Array.from({ length: 50 }, (_, n) => made.send(n % 2 === 0 ? '/healthz' : '/metrics')))
    assert.ok(reads < 15, `${reads} reads`)
  })

  it('metrics are lines that Prometheus reads, without names of sites or workers', async () => {
    await using made = await testServer()
    const as = await made.join()
    await made.send('/api/v1/servers', { as })
    const { body, header } = await made.send('/metrics')
    assert.match(header('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const line =
      /^(# (HELP|TYPE) (orbweaver|process|nodejs)_\w+ .+|(orbweaver|process|nodejs)_\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? ([\d.e+-]+|Nan))$/
    const lines = String(body)
      .split('\n')
      .filter((text) => text !== '')
    assert.deepEqual(
      lines.filter((text) => !line.test(text)),
      [],
    )
    assert.ok(lines.includes('orbweaver_calls_total{call="servers",result="ok"} 1'))
    assert.ok(lines.includes('orbweaver_urls{state="waiting"} 1'))
    assert.ok(lines.includes('orbweaver_looks_total{result="unchanged"} 5'))
    assert.ok(lines.includes('orbweaver_hints_total{result="new"} 3'))
    assert.ok(lines.includes('orbweaver_freshness 0.9') && lines.includes('orbweaver_freshness_bound 0.95'))
    assert.ok(lines.includes('orbweaver_freshness_gain{by="pause"} 0.01'))
    assert.ok(!String(body).includes(as.worker) && lines.includes('orbweaver_answers_total{status="200"} 2'))
    const names = lines.filter((text) => text.startsWith('# TYPE')).map((text) => text.split(' ')[2])
    assert.equal(new Set(names).size, names.length)
  })

  it('statistics are public and contain no names', async () => {
    await using made = await testServer()
    await made.join()
    const { status, body } = await made.send('/api/v1/statistics')
    assert.equal(status, 200)
    const { urls, workers, servers } = body as { urls: object; workers: { alive: number }; servers: number }
    assert.deepEqual(urls, { known: 3, marked: 2, waiting: 1, refreshing: 0 })
    const { looks, freshness } = body as { looks: { performed: number; hints: object }; freshness: object }
    assert.equal(looks.performed, 5)
    assert.deepEqual(looks.hints, { performed: 0, discarded: 0, new: 3 })
    assert.deepEqual(Object.keys(freshness).sort(), FRESHNESS_KEYS)
    assert.equal(workers.alive, 1)
    assert.equal(servers, 1)
  })

  it('a caller that asks too often learns when to retry', async () => {
    await using made = await testServer({ limits: { calls: 5 } })
    const as = await made.join()
    const answers = await Promise.all(Array.from({ length: 30 }, () => made.send('/api/v1/servers', { as })))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length >= 15 && answers.some(({ status }) => status === 200))
    assert.ok(Number(refused[0].header('retry-after')) >= 1)
  })
})

describe('a certificate of its own', () => {
  it('is shown to every client; one that does not trust it gets the reason', async () => {
    const tls = selfSigned(['localhost'])
    await using made = await testServer({ tls: { read: () => tls } })
    const { port } = new URL(made.server.url)
    assert.match(made.server.url, /^https:/)
    const status = await new Promise((resolve, reject) => {
      get(`https://localhost:${port}/healthz`, { ca: tls.cert }, (response) => resolve(response.statusCode)).on(
        'error',
        reject,
      )
    })
    assert.equal(status, 200)
    await assert.rejects(made.send('/healthz'), /does not answer: self-signed certificate/)
  })
})

test('a port in use is a usage error', async () => {
  await using made = await testServer()
  const port = Number(new URL(made.server.url).port)
  await assert.rejects(testServer({}, port), { code: 'bad-flag', message: /another program listens there/ })
})

test('statistics, metrics and the description are for viewers; health is for anyone', async () => {
  const VIEWER = 'a-viewer-token-of-some-length'
  const OPERATOR = 'an-operator-token-of-some-length'
  const guarded = ['/api/v1/statistics', '/metrics', '/api/openapi.json']
  const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
  {
    await using made = await testServer({ joinSecret: 'a-join-secret-of-some-length' })
    const join = `Join ${Buffer.from('a-join-secret-of-some-length').toString('base64url')}`
    for (const path of guarded) {
      assert.equal((await made.send(path)).status, 200, path)
      assert.equal((await made.send(path, { headers: elsewhere })).status, 403, path)
      assert.equal((await made.send(path, { headers: { host: 'evil.test' } })).status, 403, path)
      assert.equal((await made.send(path, { headers: { ...elsewhere, authorization: join } })).status, 200, path)
    }
    // Without tokens, this machine is the operator, as at the dashboard; a join secret is for the others.
    assert.equal((await made.send('/api/v1/changes?since=now')).status, 200)
    assert.equal((await made.send('/api/v1/changes?since=now', { headers: elsewhere })).status, 403)
    assert.equal((await made.send('/healthz', { headers: elsewhere })).status, 200)
  }
  await using made = await testServer({ tokens: { viewer: VIEWER, operator: OPERATOR } })
  const as = (token: string) => ({ headers: { ...elsewhere, authorization: `Bearer ${token}` } })
  for (const path of guarded) {
    assert.equal((await made.send(path)).status, 403, path)
    assert.equal((await made.send(path, as(VIEWER))).status, 200, path)
  }
  assert.equal((await made.send('/api/v1/changes?since=now', as(VIEWER))).status, 403)
  assert.equal((await made.send('/api/v1/changes?since=now', as(OPERATOR))).status, 200)
  assert.equal((await made.send('/healthz')).status, 200)
})

test('wrong tokens are limited by their address, and do not use up what the right ones may ask', async () => {
  const OPERATOR = 'an-operator-token-of-some-length'
  for (const path of ['/metrics', '/api/openapi.json', '/api/v1/statistics']) {
    await using made = await testServer({ tokens: { viewer: undefined, operator: OPERATOR } })
    const ask = (token: string) => made.send(path, { headers: { authorization: `Bearer ${token}` } })
    const guesses = await Promise.all(Array.from({ length: 300 }, (_, n) => ask(`wrong-${n}`)))
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))].sort(), [403, 429], path)
    assert.equal((await ask(OPERATOR)).status, 200, path)
  }
})

test('the dashboard has every path that is not of the API, below its base path, too', async () => {
  const pages: Pages = {
    render: async ({ path, base, role }) => ({ status: 200, type: 'text/html', body: `${role} ${base} ${path}` }),
    asset: () => undefined,
    bot: () => ({ status: 200, type: 'text/html', body: '' }),
    signIn: () => ({ status: 200, type: 'text/html', body: '' }),
    perform: async (who, fields) => ({ text: `${who} ${fields.get('action')}`, isWrong: false }),
  }
  {
    await using made = await testServer({ pages, basePath: '/sites' })
    assert.equal((await made.send('/sites/sites')).body, 'operator /sites /sites')
    assert.equal((await made.send('/sites/')).body, 'operator /sites /')
  }
  await using made = await testServer({ pages, basePath: '/crawl' })
  for (const base of ['', '/crawl']) {
    assert.equal((await made.send(`${base}/sites`)).body, 'operator /crawl /sites')
    assert.equal((await made.send(`${base}/healthz`)).status, 200)
    assert.equal((await made.send(`${base}/api/v1/version`)).status, 200)
    const { status, body } = await made.send(`${base}/api/nothing`)
    assert.equal(status, 404)
    assert.equal((body as { code: string }).code, 'not-found')
  }
  assert.equal((await made.send('/crawl')).body, 'operator /crawl /')
  // A form is read by the door, not by the API's parsers.
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const refused = await made.send('/act', { body: new TextEncoder().encode('action=pause'), headers: type })
  assert.equal(refused.status, 403)
  assert.match(String(refused.body), /out of date/)
})
