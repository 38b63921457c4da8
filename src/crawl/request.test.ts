/** One request: what is checked before it, and again when the connection is there; and what it means for the next one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, FetchSession, Headers } from '../contracts/exchange.ts'
import { CookieJar } from '../web/http/cookies.ts'
import { SiteCourtesy } from './courtesy.ts'
import { FAILURES } from './failures.ts'
import { LONGEST_WAIT_IN_VISIT, request, type SiteConnection } from './request.ts'
import { ADDRESS_PAUSE, EXCHANGE_MS, PAUSE, Scripted } from './scripted.test-data.ts'
import { VisitTimes } from './visit-times.ts'

const URL = 'http://a.test/'
const IP = '192.0.2.1'

interface Asking {
  /** Before it is asked. */
  before?(its: SiteConnection, abort: () => void): void
  /** While it connects for the first time. */
  meanwhile?(its: SiteConnection, web: Scripted, abort: () => void): unknown
  /** While the answer is awaited. */
  during?(its: SiteConnection, web: Scripted): unknown
  answer?: Answer
  wait?: number
}

const FAILED: Answer = { kind: 'failed', failure: { kind: 'reset', detail: '' } }

async function ask({ before, meanwhile, during, answer = FAILED, wait = 0 }: Asking) {
  const web = new Scripted({})
  const { clock, tools } = web
  const stop = new AbortController()
  const sentAt: number[] = []
  let connections = 0
  const fetch: FetchSession['fetch'] = async ({ url, address, may }) => {
    const exchange = { url, address, sentAt: clock.now(), answeredAt: clock.now(), tookMs: 1 }
    if (connections++ === 0) await meanwhile?.(connection, web, () => stop.abort())
    if (!may()) return { ...exchange, request: new Uint8Array(0), answer: { kind: 'withheld' } }
    sentAt.push(clock.elapsed())
    await during?.(connection, web)
    return { ...exchange, request: Buffer.from('GET'), answer }
  }
  const connection: SiteConnection = {
    ...{ site: 'a.test', visit: 'v', address: { ip: IP }, others: [], isReached: false, isAway: false },
    session: { close() {}, fetch },
    courtesy: new SiteCourtesy('a.test', wait, tools.pauses, clock),
    times: new VisitTimes(clock, new Map()),
    cookies: new CookieJar(),
    lease: { left: () => 1e9 },
    signal: stop.signal,
  }
  tools.addresses.join(IP)
  before?.(connection, () => stop.abort())
  const asking = request(URL, () => ({ download: false, kind: '', rule: '' }), connection, tools)
  const exchange = await clock.run(asking.catch(() => undefined))
  const after = [connection.courtesy.wait, tools.addresses.wait(IP)]
  return { seen: { isAnswered: exchange !== undefined, sentAt, connections }, after }
}

const NOT_SENT = { isAnswered: false, sentAt: [] as number[] }

test('a request that may not begin any more is not sent', async () => {
  for (const change of [
    (_its: SiteConnection, abort: () => void) => abort(),
    (its: SiteConnection) => {
      its.isRefused = () => true
    },
    (its: SiteConnection) => {
      its.lease = { left: () => EXCHANGE_MS - 1 }
    },
  ]) {
    const late = await ask({ meanwhile: (its, _web, abort) => change(its, abort) })
    assert.deepEqual(late.seen, { ...NOT_SENT, connections: 1 })
    assert.deepEqual((await ask({ before: change })).seen, { ...NOT_SENT, connections: 0 })
  }
  const before = (its: SiteConnection) => {
    its.isAway = true
  }
  assert.deepEqual((await ask({ before })).seen, { ...NOT_SENT, connections: 0 })
})

test('a lease must last for the wait and the exchange', async () => {
  const before = (its: SiteConnection) => {
    its.lease = { left: () => EXCHANGE_MS + 999 }
  }
  assert.equal((await ask({ before, wait: 999 })).seen.isAnswered, true)
  assert.deepEqual((await ask({ before, wait: 1_000 })).seen, { ...NOT_SENT, connections: 0 })
})

test('a request waits for its turn again when another one was faster', async () => {
  assert.deepEqual((await ask({})).seen, { isAnswered: true, sentAt: [0], connections: 1 })
  const sameSite = await ask({ meanwhile: (its, { clock }) => its.courtesy.answered(clock.now(), 1, undefined) })
  assert.deepEqual(sameSite.seen, { isAnswered: true, sentAt: [PAUSE], connections: 2 })
  const meanwhile = async (its: SiteConnection, { tools, clock }: Scripted) => {
    await clock.sleep(ADDRESS_PAUSE)
    assert.equal(tools.addresses.takeTurn(its.address.ip, 'a neighbour'), true)
  }
  const neighbour = await ask({ meanwhile })
  assert.deepEqual(neighbour.seen, { isAnswered: true, sentAt: [2 * ADDRESS_PAUSE], connections: 2 })
})

test('while an answer is awaited, nobody else begins, and the pauses count from its end', async () => {
  let waits: number[] = []
  const during = async ({ courtesy }: SiteConnection, { tools, clock }: Scripted) => {
    await clock.sleep(5_000)
    waits = [courtesy.wait, tools.addresses.wait(IP)]
  }
  const { after } = await ask({ during })
  assert.ok(waits.every((wait) => wait > 0))
  assert.deepEqual(after, [PAUSE, ADDRESS_PAUSE])
  const broken = await ask({
    during() {
      throw new Error('a bug')
    },
  })
  assert.equal(broken.after[0], 0, 'a request that failed by a bug is over')
})

test('an answer other than a page may ask for a wait, and 429 and 503 always do', async () => {
  const waitAfter = async (status: number, headers: Headers = []) => {
    const head = { version: 'HTTP/1.1', status, reason: '', headers }
    const answer: Answer = { kind: 'full', head, wireHead: new Uint8Array(0), payload: new Uint8Array(0) }
    return (await ask({ answer })).after[0]
  }
  const retry: Headers = [['Retry-After', '100']]
  for (const status of [300, 404, 429, 503]) assert.equal(await waitAfter(status, retry), 100_000, `${status}`)
  for (const status of [200, 299]) assert.equal(await waitAfter(status, retry), PAUSE, `${status}`)
  for (const status of [200, 404, 500]) assert.equal(await waitAfter(status), PAUSE, `${status}`)
  for (const status of [429, 503] as const)
    assert.equal(await waitAfter(status), FAILURES[`status-${status}`].wait, `${status}`)
})

test('a visit sits out a minute, and no longer wait', async () => {
  assert.deepEqual((await ask({ wait: LONGEST_WAIT_IN_VISIT })).seen.sentAt, [60_000])
  assert.deepEqual((await ask({ wait: LONGEST_WAIT_IN_VISIT + 1 })).seen, { ...NOT_SENT, connections: 0 })
})
