import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { seededRandom } from '../../base/random.ts'
import { type HttpClient, type HttpRequest, NoAnswer } from './http-client.ts'
import { API_ERRORS, type ApiErrorCode } from './protocol.ts'
import { Servers, serverClock } from './servers.ts'

/** Whom a worker asks that was given some servers and was told of others. */
async function asked(given: string[], told: string[]): Promise<string[]> {
  const urls: string[] = []
  const client = {
    async send({ url }: { url: string }): Promise<never> {
      urls.push(new URL(url).origin)
      throw new NoAnswer(url, new Error('refused'))
    },
    close() {},
  }
  const servers = new Servers(given, client, serverClock(virtualClock(0)), seededRandom(1))
  servers.learn(told)
  await assert.rejects(servers.ask('plan', {}, { patience: 0 }), /no server answers/)
  return urls.sort()
}

const A = 'http://a.example:8723'
const B = 'http://b.example:8723'

test('no answer is explained without codes', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
  assert.equal(new NoAnswer('http://a.test', refused).message, 'http://a.test does not answer: nothing listens there')
})

test('servers that others tell of are asked, too; what is no address of one is not', async () => {
  assert.deepEqual(await asked([A], [`${B}/`, A, 'ftp://c.example', 'http://']), [A, B])
})

test('a server that calls itself localhost is asked by workers of its own machine only', async () => {
  const own = ['http://localhost:8723', 'http://127.0.0.1:8723', 'http://[::1]:8723']
  assert.deepEqual(await asked([A], own), [A])
  assert.deepEqual(await asked(['http://127.0.0.1:1'], own), ['http://127.0.0.1:1', ...own].sort())
})

test('with encrypted servers given, no others are used', async () => {
  assert.deepEqual(await asked(['https://s.example'], [A, 'https://t.example']), [
    'https://s.example',
    'https://t.example',
  ])
  assert.deepEqual(await asked(['https://s.example', A], [B]), [A, B, 'https://s.example'])
})

interface Said {
  status: number
  body: unknown
}

const GOOD: Said = { status: 200, body: { answer: 'here' } }
const ours = (code: ApiErrorCode): Said => ({
  status: API_ERRORS[code],
  body: { code, message: `no: ${code}`, hint: 'do something else' },
})
const foreign = (status: number): Said => ({ status, body: '<h1>somebody else</h1>' })

/** Servers that answer so, each in its turn; 'away' does not answer. */
function madeUp(answers: Record<string, Said | 'away'>) {
  const clock = virtualClock(0)
  const sent: string[] = []
  const client: HttpClient = {
    async send({ url }: HttpRequest) {
      const { origin } = new URL(url)
      sent.push(origin)
      const said = answers[origin]
      await clock.sleep(5)
      if (said === 'away') throw new NoAnswer(url, new Error('away'))
      const body = new TextEncoder().encode(JSON.stringify(said.body))
      return { status: said.status, header: () => undefined, body, sentAt: 0, headAt: 5 }
    },
    close() {},
  }
  // The first of them is asked first, as this seed has it.
  const servers = new Servers(Object.keys(answers), client, serverClock(clock), seededRandom(1))
  const enter = (patience = 0) =>
    clock.run(servers.ask('enter', { thread: 't', visit: '00000000000000aa.1', address: '192.0.2.1' }, { patience }))
  return { enter, sent, answers, clock }
}

const REFUSING: readonly ApiErrorCode[] = [
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'other-protocol',
  'conflict',
  'too-big',
  'other-type',
]
const FOREIGN = [204, 301, 400, 401, 403, 404, 405, 409, 413, 418, 451, 500, 502, 503]

for (const said of [...REFUSING, 'too-many', 'bug', 'ending', 'database-unreachable', 'disk-full'] as ApiErrorCode[])
  test(`what one server answers with ${API_ERRORS[said]} ${said} another may do`, async () => {
    const { enter } = madeUp({ [A]: ours(said), [B]: GOOD })
    for (let n = 0; n < 3; n++) assert.deepEqual((await enter()).answer, { answer: 'here' })
  })

for (const status of FOREIGN)
  test(`a ${status} that no server of ours says does not keep others from answering`, async () => {
    const { enter } = madeUp({ [A]: foreign(status), [B]: GOOD })
    for (let n = 0; n < 3; n++) assert.deepEqual((await enter()).answer, { answer: 'here' })
  })

for (const said of REFUSING)
  test(`${API_ERRORS[said]} ${said} is final when no server does it, and reported as the first said it`, async () => {
    const { enter, sent } = madeUp({ [A]: ours(said), [B]: ours('unauthorized') })
    await assert.rejects(enter(1e6), { code: 'server-refused' })
    assert.deepEqual(sent.toSorted(), [A, B])
    await assert.rejects(madeUp({ [A]: ours(said) }).enter(), {
      code: 'server-refused',
      message: `${A} refuses: no: ${said} (do something else)`,
    })
  })

test('before a refusal is final those are asked, too, that are being left alone', async () => {
  const { enter, answers, sent } = madeUp({ [A]: 'away', [B]: GOOD })
  await enter()
  answers[A] = GOOD
  answers[B] = ours('other-protocol')
  sent.length = 0
  assert.deepEqual((await enter()).answer, { answer: 'here' })
  assert.deepEqual(sent, [B, A])
})

for (const said of ['unauthorized', 'other-protocol'] as const)
  test(`a worker that one server refuses (${said}) waits for the others, which had let it in, and not for ever`, async () => {
    const { enter, answers, clock } = madeUp({ [A]: ours(said), [B]: GOOD })
    await enter()
    answers[B] = 'away'
    await assert.rejects(enter(), { name: 'Unreachable', message: new RegExp(`no: ${said}`) })
    clock.after(20_000, () => {
      answers[B] = GOOD
    })
    assert.deepEqual((await enter(60_000)).answer, { answer: 'here' })
    answers[B] = 'away'
    const began = clock.elapsed()
    await assert.rejects(enter(Number.POSITIVE_INFINITY), { code: 'server-refused' })
    const took = clock.elapsed() - began
    assert.ok(took >= 600_000 && took < 700_000, `${took}`)
    answers[B] = ours('unauthorized')
    await clock.run(clock.sleep(60_000))
    await assert.rejects(enter(), { code: 'server-refused' })
  })

test('a faulty call is reported at once, though another server is away', async () => {
  const { enter, answers } = madeUp({ [A]: ours('bad-request'), [B]: GOOD })
  await enter()
  answers[B] = 'away'
  await assert.rejects(enter(1e6), { code: 'server-refused', message: /no: bad-request/ })
})

test('a worker that never reached one of our servers learns at once that these are not', async () => {
  for (const status of [200, 301, 400, 403, 404]) {
    const { enter, clock } = madeUp({ [A]: foreign(status), [B]: foreign(404) })
    await assert.rejects(enter(60_000), { code: 'server-refused', message: /is that an orbweaver server\?/ })
    assert.ok(clock.elapsed() < 1000)
  }
  // One of them may be right, and not be up yet.
  await assert.rejects(madeUp({ [A]: foreign(404), [B]: 'away' }).enter(60_000), { name: 'Unreachable' })
})

test('what a proxy says while servers are being replaced is waited out', async () => {
  const { enter, answers, clock } = madeUp({ [A]: GOOD })
  await enter()
  answers[A] = foreign(403)
  clock.after(10_000, () => {
    answers[A] = GOOD
  })
  assert.deepEqual((await enter(60_000)).answer, { answer: 'here' })
  answers[A] = foreign(404)
  await assert.rejects(enter(), { name: 'Unreachable', message: /status 404/ })
})
