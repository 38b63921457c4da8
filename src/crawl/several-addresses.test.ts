/** A name with several addresses, some of which are dead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchSession } from '../contracts/exchange.ts'
import { AddressCourtesy } from './address-courtesy.ts'
import { ADDRESS_PAUSE, PAUSE, Scripted } from './scripted.test-data.ts'
import type { SiteTools } from './tools.ts'

const HOME = 'http://a.test/'
const ips = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i + 1}`)

function web(count: number, dead: readonly string[], tools: Partial<SiteTools> = {}) {
  const resolve: SiteTools['resolve'] = async () => ({ kind: 'addresses', list: ips(count).map((ip) => ({ ip })) })
  const entered: string[] = []
  const enter: SiteTools['enter'] = async (_worker, _visit, address) => {
    entered.push(address)
    return 'here'
  }
  const scripted = new Scripted({ [HOME]: { body: '<p>home' } }, { resolve, enter, ...tools })
  for (const ip of dead) scripted.dead.add(ip)
  return { scripted, entered }
}

test('if the first address does not answer, the next is entered and tried after the pause', async () => {
  const { scripted, entered } = web(20, ['192.0.2.1', '192.0.2.2'])
  const { why, pages, parts } = await scripted.visit({ agenda: [HOME] })
  assert.equal(why, 'done')
  assert.deepEqual(
    pages.map(({ url, outcome }) => [url, outcome.kind]),
    [[HOME, 'kept']],
  )
  assert.deepEqual([...new Set(scripted.asked.map(({ address }) => address))], ['192.0.2.3'])
  assert.equal(parts.at(-1)?.courtesy.address, '192.0.2.3', 'where the next visit begins')
  assert.deepEqual(entered, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
  const times = [...scripted.deadTried.map(({ at }) => at), scripted.asked[0].at]
  for (let i = 1; i < times.length; i++) assert.ok(times[i] - times[i - 1] >= PAUSE)
})

test('one visit tries five, the next goes on behind them, and all give way when the site is silent', async () => {
  const { scripted } = web(12, ips(12))
  const first = await scripted.visit({ agenda: [HOME] })
  assert.equal(first.why, 'silent')
  assert.deepEqual(
    scripted.deadTried.map(({ address }) => address),
    ips(5),
  )
  const { memory, courtesy } = first.parts.at(-1)!
  scripted.deadTried.length = 0
  const second = await scripted.visit({ agenda: [HOME], visit: { memory, address: courtesy.address } })
  assert.equal(second.why, 'silent')
  assert.deepEqual(
    scripted.deadTried.map(({ address }) => address),
    ips(10).slice(5),
  )
})

test('an address that is black-listed, taken by another worker or full is passed over', async () => {
  const { scripted } = web(6, ['192.0.2.2'], {
    refusesAddress: (ip) => (ip === '192.0.2.1' || ip === '192.0.2.3' ? 'listed' : undefined),
    enter: async (_worker, _visit, address) => (address === '192.0.2.4' ? 'elsewhere' : 'here'),
  })
  const book = new AddressCourtesy(scripted.clock, ADDRESS_PAUSE, 1)
  book.join('192.0.2.5')
  const { why } = await scripted.visit({ agenda: [HOME], tools: { addresses: book } })
  assert.equal(why, 'done')
  assert.deepEqual(
    scripted.deadTried.map(({ address }) => address),
    ['192.0.2.2'],
  )
  assert.deepEqual([...new Set(scripted.asked.map(({ address }) => address))], ['192.0.2.6'])
  // It has left those that it tried: somebody else finds room there.
  for (const ip of ['192.0.2.2', '192.0.2.4', '192.0.2.6']) assert.ok(book.join(ip), ip)
})

test('the pause of the next address holds too', async () => {
  const { scripted } = web(2, ['192.0.2.1'])
  const book = new AddressCourtesy(scripted.clock, 60_000, 8)
  book.join('192.0.2.2')
  book.takeTurn('192.0.2.2', 'a neighbour')
  await scripted.visit({ agenda: [HOME], tools: { addresses: book } })
  assert.ok(scripted.asked[0].at >= 60_000)
})

test('a site that answered is not tried at another address', async () => {
  const { scripted } = web(3, [])
  const agenda = [HOME, 'http://a.test/b']
  const gone: SiteTools['durable'] = async () => void scripted.dead.add('192.0.2.1')
  const { why } = await scripted.visit({ agenda, tools: { durable: gone } })
  assert.equal(why, 'silent')
  assert.deepEqual(
    scripted.deadTried.map(({ address }) => address),
    ['192.0.2.1'],
  )
})

test('only an address that cannot be connected to is passed over', async () => {
  for (const [kind, tried] of [
    ['connect', 3],
    ['connect-timeout', 3],
    ['tls', 1],
  ] as const) {
    const asked: string[] = []
    const fetch: FetchSession['fetch'] = async ({ url, address }) => {
      asked.push(address.ip)
      const answer = { kind: 'failed', failure: { kind, detail: '' } } as const
      return { url, address, sentAt: 0, answeredAt: 0, tookMs: 1, request: new Uint8Array(0), answer }
    }
    const { scripted } = web(3, [], { openSession: () => ({ close() {}, fetch }) })
    assert.equal((await scripted.visit({ agenda: [HOME] })).why, 'silent')
    assert.deepEqual(asked, ips(tried), kind)
  }
})

test('the operator’s own servers are neither entered nor wait for neighbours at their address', async () => {
  const { pauses } = new Scripted({}).tools
  const { scripted, entered } = web(1, [], { pauses: { ...pauses, configured: () => ({ pause: 10, own: true }) } })
  const book = new AddressCourtesy(scripted.clock, 30_000, 1)
  book.join('192.0.2.1')
  book.takeTurn('192.0.2.1', 'a neighbour')
  const { why } = await scripted.visit({ agenda: [HOME], tools: { addresses: book } })
  assert.equal(why, 'done')
  assert.ok(scripted.asked.at(-1)!.at < 1_000)
  assert.deepEqual(entered, [])
  assert.equal(book.join('192.0.2.1'), false, 'the neighbour is still there')
})
