import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { realClock } from '../base/clock.ts'
import { addressGuard } from './guard.ts'
import type { ResolveOverride } from './resolve.ts'
import { cAresResolver, RESOLVER_BOUNDS, type ResolverOptions } from './resolve.ts'

const never = new AbortController().signal

/** What the server at hand knows: addresses with their TTL, or a response code. */
type Zone = Record<string, { a?: string[]; aaaa?: string[]; ttl?: number; code?: number; silent?: boolean }>

interface NameServer {
  port: number
  asked: string[]
  /** Questions not yet answered, at most. */
  mostAtOnce: number
  zone: Zone
}

const servers: ReturnType<typeof createSocket>[] = []
after(() => {
  for (const server of servers) server.close()
})

/** A name server on loopback, just enough of RFC 1035 for c-ares. */
async function nameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  servers.push(socket)
  const state: NameServer = { port: 0, asked: [], mostAtOnce: 0, zone }
  let open = 0
  socket.on('message', (query, from) => {
    const answer = answerTo(query, state)
    state.mostAtOnce = Math.max(state.mostAtOnce, ++open)
    // Those that have arrived are counted first.
    setImmediate(() => {
      open--
      if (answer !== undefined) socket.send(answer, from.port, from.address)
    })
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  state.port = socket.address().port
  return state
}

function answerTo(query: Buffer, state: NameServer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
    at += 1 + query[at]
  }
  const type = query.readUInt16BE(at + 1)
  const name = labels.join('.').toLowerCase()
  state.asked.push(`${name} ${type === 28 ? 'AAAA' : 'A'}`)
  const entry = state.zone[name]
  if (entry?.silent === true) return undefined
  const code = entry === undefined ? 3 : (entry.code ?? 0)
  const addresses = code !== 0 ? [] : ((type === 28 ? entry?.aaaa : entry?.a) ?? [])
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((ip) => {
    const data = type === 28 ? v6(ip) : Buffer.from(ip.split('.').map(Number))
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(entry?.ttl ?? 300, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(12, at + 5), ...records])
}

/** Eight groups written out. */
function v6(ip: string): Buffer {
  return Buffer.from(
    ip.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  )
}

/** A clock that moves only when told. */
function handClock() {
  let elapsed = 0
  return { ...realClock, elapsed: () => elapsed, move: (ms: number) => void (elapsed += ms) }
}

function resolver(server: NameServer, more: Partial<ResolverOptions> = {}) {
  return cAresResolver({
    clock: handClock(),
    servers: [`127.0.0.1:${server.port}`],
    overrides: [],
    guard: addressGuard({ allowPrivate: false, allow: new Set() }),
    allowPrivate: false,
    hosts: '',
    ...RESOLVER_BOUNDS,
    ...more,
  })
}

/** `a.test=127.0.0.1:80`, as the settings have read it. */
const overrides = (...rules: string[]) =>
  rules.map((rule): ResolveOverride => {
    const [, host, ip, port] = /^(.+?)=\[?(.+?)\]?(?::(\d+))?$/.exec(rule) ?? []
    return port === undefined ? { host, ip } : { host, ip, port: Number(port) }
  })

test('a name gives its addresses; IPv6 is asked for only when there is no IPv4', async () => {
  const server = await nameServer({
    'a.example.org': { a: ['1.2.3.4', '1.2.3.5'], aaaa: ['2606:4700:0:0:0:0:0:1'] },
    'six.example.org': { aaaa: ['2606:4700:0:0:0:0:0:1'] },
  })
  const resolve = resolver(server)
  assert.deepEqual(await resolve('A.example.org.', never), {
    kind: 'addresses',
    list: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }],
  })
  assert.deepEqual(await resolve('six.example.org', never), { kind: 'addresses', list: [{ ip: '2606:4700::1' }] })
  assert.deepEqual(server.asked, ['a.example.org A', 'six.example.org A', 'six.example.org AAAA'])
})

test('each failure has its kind', async () => {
  const server = await nameServer({
    'empty.example.org': {},
    'broken.example.org': { code: 2 },
    'inside.example.org': { a: ['10.0.0.1', '127.0.0.1'] },
    'mixed.example.org': { a: ['10.0.0.1', '8.8.8.8'] },
    'silent.example.org': { silent: true },
  })
  const resolve = resolver(server, { timeoutMs: 50, tries: 1 })
  const kind = async (host: string) => {
    const answer = await resolve(host, never)
    return answer.kind === 'failed' ? answer.failure.kind : answer.list.map((address) => address.ip).join()
  }
  assert.equal(await kind('missing.example.org'), 'no-such-name')
  assert.equal(await kind('empty.example.org'), 'dns')
  assert.equal(await kind('broken.example.org'), 'dns')
  assert.equal(await kind('silent.example.org'), 'dns')
  assert.equal(await kind('inside.example.org'), 'address-refused')
  assert.equal(await kind('mixed.example.org'), '8.8.8.8')
  assert.equal(await kind(''), 'no-such-name')
  assert.equal(await kind(`${'a'.repeat(64)}.example.org`), 'no-such-name')
  assert.equal(await kind('a..example.org'), 'no-such-name')
  assert.equal(await kind('x'.repeat(300)), 'no-such-name')
})

test('answers live as long as their TTL, within bounds; failures briefly', async () => {
  const server = await nameServer({
    'a.example.org': { a: ['1.2.3.4'], ttl: 1 },
    'long.example.org': { a: ['1.2.3.4'], ttl: 9_999_999 },
    'hour.example.org': { a: ['1.2.3.4'], ttl: 3_600 },
    'broken.example.org': { code: 2 },
  })
  const clock = handClock()
  const resolve = resolver(server, { clock })
  const asks = async (host: string) => {
    const before = server.asked.length
    await resolve(host, never)
    return server.asked.length > before
  }
  assert.equal(await asks('a.example.org'), true)
  assert.equal(await asks('long.example.org'), true)
  assert.equal(await asks('none.example.org'), true)
  clock.move(59_999)
  assert.equal(await asks('a.example.org'), false)
  clock.move(1)
  assert.equal(await asks('a.example.org'), true)
  assert.equal(await asks('none.example.org'), false)
  clock.move(240_000)
  assert.equal(await asks('none.example.org'), true)
  clock.move(86_400_000 - 300_001)
  assert.equal(await asks('long.example.org'), false)
  clock.move(1)
  assert.equal(await asks('long.example.org'), true)
  for (const [host, lives] of [
    ['hour.example.org', 3_600_000],
    ['broken.example.org', 30_000],
  ] as const) {
    assert.equal(await asks(host), true)
    clock.move(lives - 1)
    assert.equal(await asks(host), false, host)
    clock.move(1)
    assert.equal(await asks(host), true, host)
  }
})

test('of very many addresses the first few are used', async () => {
  const a = Array.from({ length: 20 }, (_, at) => `1.2.3.${at + 1}`)
  const resolve = resolver(await nameServer({ 'a.example.org': { a } }))
  const answer = await resolve('a.example.org', never)
  assert.equal(answer.kind === 'addresses' && answer.list.length, 16)
})

test('equal questions under way are one question, and the others wait in line', async () => {
  const server = await nameServer(
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`h${i}.example.org`, { a: ['1.2.3.4'] }])),
  )
  const resolve = resolver(server, { atOnce: 2 })
  const names = Array.from({ length: 60 }, (_, i) => `h${i % 20}.example.org`)
  const answers = await Promise.all(names.map((name) => resolve(name, never)))
  assert.ok(answers.every((answer) => answer.kind === 'addresses'))
  assert.equal(server.asked.length, 20)
  assert.equal(server.mostAtOnce, 2)
  for (const name of ['x.example.org', 'y.example.org', 'z.example.org']) {
    const late = await resolve(name, AbortSignal.timeout(20_000))
    assert.equal(late.kind === 'failed' && late.failure.kind, 'no-such-name', 'there is room for it')
  }
})

test('the cache is bounded: the longest unasked name goes first', async () => {
  const server = await nameServer({
    'a.example.org': { a: ['1.2.3.4'] },
    'b.example.org': { a: ['1.2.3.4'] },
    'c.example.org': { a: ['1.2.3.4'] },
  })
  const resolve = resolver(server, { cacheNames: 2 })
  for (const host of ['a', 'b', 'a', 'c', 'a', 'b']) await resolve(`${host}.example.org`, never)
  assert.deepEqual(server.asked, ['a.example.org A', 'b.example.org A', 'c.example.org A', 'b.example.org A'])
})

test('an aborted question ends for him who aborted only', async () => {
  const server = await nameServer({ 'a.example.org': { a: ['1.2.3.4'] } })
  const resolve = resolver(server)
  const abort = new AbortController()
  const mine = resolve('a.example.org', abort.signal)
  const other = resolve('a.example.org', never)
  abort.abort()
  assert.equal((await mine).kind, 'failed')
  assert.equal((await other).kind, 'addresses')
  const late = await resolve('none.example.org', AbortSignal.abort())
  assert.equal(late.kind === 'failed' && late.failure.detail, 'aborted')
})

test('addresses, localhost, the hosts file and the operator’s names need no server', async () => {
  const server = await nameServer({})
  const hosts = '127.0.0.1 localhost\n9.9.9.9\tquad quad.example.org # nine\n2620:fe::fe quad\n10.0.0.9 inside\n'
  const resolve = resolver(server, {
    hosts,
    overrides: overrides(
      '*.test=127.0.0.1:8080',
      'special.test=[::1]:81',
      '*.deep.test=127.0.0.2',
      '1.1.1.1=127.0.0.3',
    ),
  })
  const list = async (host: string) => {
    const answer = await resolve(host, never)
    return answer.kind === 'failed' ? answer.failure.kind : answer.list
  }
  assert.deepEqual(await list('8.8.8.8'), [{ ip: '8.8.8.8' }])
  assert.deepEqual(await list('[2606:4700::1]'), [{ ip: '2606:4700::1' }])
  assert.equal(await list('127.0.0.1'), 'address-refused')
  assert.equal(await list('[::ffff:127.0.0.1]'), 'address-refused')
  assert.equal(await list('localhost'), 'address-refused')
  assert.equal(await list('a.localhost'), 'address-refused')
  assert.deepEqual(await list('quad'), [{ ip: '9.9.9.9' }, { ip: '2620:fe::fe' }])
  assert.equal(await list('inside'), 'address-refused')
  assert.deepEqual(await list('A.b.test'), [{ ip: '127.0.0.1', port: 8080, named: true }])
  assert.deepEqual(await list('special.test.'), [{ ip: '::1', port: 81, named: true }])
  assert.deepEqual(await list('x.deep.test'), [{ ip: '127.0.0.2', named: true }])
  assert.deepEqual(await list('1.1.1.1'), [{ ip: '127.0.0.3', named: true }])
  assert.equal(await list('test'), 'no-such-name')
  const inside = resolver(server, { guard: addressGuard({ allowPrivate: true, allow: new Set() }), allowPrivate: true })
  assert.deepEqual(await inside('localhost', never), { kind: 'addresses', list: [{ ip: '127.0.0.1' }, { ip: '::1' }] })
  assert.deepEqual(server.asked, ['test A'])
})

test('a name reserved for private use is refused wherever it leads, unless the operator says otherwise', async () => {
  const names = ['nas.local', 'db.corp.internal', 'router.home.arpa', 'wiki.intranet', 'tv.lan', 'a.test', 'a.example']
  const server = await nameServer(
    Object.fromEntries([...names, 'local.example.org'].map((name) => [name, { a: ['8.8.8.8'] }])),
  )
  const told = async (resolve: ReturnType<typeof resolver>, host: string) => {
    const answer = await resolve(host, never)
    return answer.kind === 'failed' ? answer.failure : answer.list.map(({ ip }) => ip).join()
  }
  const hosts = '9.9.9.9 mail.internal\n'
  const careful = resolver(server, { hosts, overrides: overrides('named.local=127.0.0.1') })
  for (const name of [...names, 'NAS.local.', 'mail.internal'])
    assert.deepEqual(await told(careful, name), {
      kind: 'address-refused',
      detail: `a name reserved for private use: ${name.toLowerCase().replace(/\.$/, '')}`,
    })
  assert.equal(await told(careful, 'local.example.org'), '8.8.8.8')
  assert.equal(await told(careful, 'named.local'), '127.0.0.1')
  const inside = resolver(server, { allowPrivate: true, hosts })
  for (const name of names) assert.equal(await told(inside, name), '8.8.8.8')
  assert.equal(await told(inside, 'mail.internal'), '9.9.9.9')
})
