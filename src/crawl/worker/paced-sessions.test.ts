import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { turn } from '../../base/clock.ts'
import type { Exchange, FetchRequest } from '../../contracts/exchange.ts'
import { Pace, pacedSessions } from './paced-sessions.ts'

/** A clock that only work moves on. */
function workClock() {
  let now = 0
  const clock = { ...virtualClock(0), elapsed: () => now }
  return { clock, work: (ms: number) => (now += ms) }
}

test('a single answer is handed on in the next turn', async () => {
  const { clock } = workClock()
  let turns = 0
  const pace = new Pace(clock, async () => {
    await turn()
    turns++
  })
  for (const expected of [1, 2]) {
    await pace.wait(15_000)
    assert.equal(turns, expected)
    await turn()
  }
})

/** 50 answers that are there at once: in which turn, and in which order, each went through its two steps. */
async function fiftyAtOnce(bytes: number) {
  const { clock, work } = workClock()
  let turns = 0
  const pace = new Pace(clock, async () => {
    await turn()
    turns++
  })
  const steps: { step: string; item: number; turn: number }[] = []
  const workOn = async (item: number) => {
    await pace.wait(bytes)
    await Promise.resolve()
    work(0.2)
    steps.push({ step: 'read', item, turn: turns })
    await Promise.resolve()
    work(0.4)
    steps.push({ step: 'keep', item, turn: turns })
  }
  await Promise.all(Array.from({ length: 50 }, (_, item) => workOn(item)))
  return steps
}

test('a group goes through a step together, in order of arrival, before the next group', async () => {
  const steps = await fiftyAtOnce(15_000)
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
  const expected = [
    [0, 24],
    [24, 48],
    [48, 50],
  ].flatMap(([from, to]) => ['read', 'keep'].flatMap((step) => range(from, to).map((item) => `${step} ${item}`)))
  assert.deepEqual(
    steps.map(({ step, item }) => `${step} ${item}`),
    expected,
  )
  // 24 × 0.6 ms is more than a slice: every group has a turn of its own.
  assert.deepEqual([...new Set(steps.map((one) => one.turn))], [1, 2, 3])
})

test('large answers make small groups', async () => {
  const steps = await fiftyAtOnce(300 * 1024)
  assert.deepEqual(
    steps.slice(0, 6).map(({ step, item }) => `${step} ${item}`),
    ['read 0', 'read 1', 'keep 0', 'keep 1', 'read 2', 'read 3'],
  )
})

test('while many answers wait, requests wait; the slowest site holds up no other', async () => {
  const { clock, work } = workClock()
  let asked = 0
  let waiting = 0
  let maxWaiting = 0
  const open = pacedSessions(
    () => ({
      async fetch({ url }) {
        asked++
        // Every tenth site never answers.
        if (url.endsWith('0')) await new Promise(() => {})
        await turn()
        maxWaiting = Math.max(maxWaiting, ++waiting)
        return { url, answer: { kind: 'withheld' } } as Exchange
      },
      close() {},
    }),
    clock,
    turn,
  )
  let read = 0
  const visit = async (site: number) => {
    for (let page = 0; page < 5; page++) {
      await open().fetch({ url: `http://a.test/${site}` } as FetchRequest)
      waiting--
      read++
      work(1)
    }
  }
  for (let site = 0; site < 1000; site++) void visit(site)
  // The first request of each is on its way before any answer waits.
  assert.equal(asked, 1000)
  while (read < 900) await turn()
  maxWaiting = 0
  while (read < 900 * 5) await turn()
  assert.equal(asked, 900 * 5 + 100)
  assert.equal(waiting, 0)
  // 64 that wait, and those that were on their way meanwhile.
  assert.ok(maxWaiting <= 3 * 64, `${maxWaiting} answers waited`)
})

test('a slow site is asked at once, however many answers wait: otherwise thousands fall into step', async () => {
  const { clock, work } = workClock()
  const asked: string[] = []
  const open = pacedSessions(
    () => ({
      async fetch({ url }) {
        asked.push(url)
        work(url === 'slow' ? 3400 : 1)
        return { url, answer: { kind: 'withheld' } } as Exchange
      },
      close() {},
    }),
    clock,
    turn,
  )
  const ask = (session: ReturnType<typeof open>, url: string) => session.fetch({ url } as FetchRequest)
  const [slow, quick] = [open(), open()]
  await ask(slow, 'slow')
  await ask(quick, 'quick')
  const others = Array.from({ length: 200 }, () => ask(open(), 'other'))
  // Their answers have come, and wait for the next turn.
  for (let hops = 0; hops < 10; hops++) await undefined
  const first = asked.length
  const both = [ask(slow, 'slow'), ask(quick, 'quick')]
  for (let hops = 0; hops < 10; hops++) await undefined
  assert.deepEqual(asked.slice(first), ['slow'])
  await Promise.all([...others, ...both])
  assert.deepEqual(asked.slice(first), ['slow', 'quick'])
})

test('fast and new sites do not starve beside many slow ones', async () => {
  const clock = virtualClock(0)
  // Reading takes time on the thread, beside what is waited for.
  let worked = 0
  const elapsed = () => clock.elapsed() + worked
  const LATENCY = 3000
  const open = pacedSessions(
    () => ({
      async fetch({ url }) {
        await clock.sleep(url === 'slow' ? LATENCY : 10)
        return { url, answer: { kind: 'withheld' } } as Exchange
      },
      close() {},
    }),
    { ...clock, elapsed },
    () => clock.sleep(20),
  )
  const answers = { slow: 0, quick: 0, fresh: 0 }
  const visit = async (kind: keyof typeof answers) => {
    let session = open()
    while (clock.elapsed() < 10 * LATENCY) {
      if (kind === 'fresh') session = open()
      await session.fetch({ url: kind === 'slow' ? 'slow' : 'quick' } as FetchRequest)
      answers[kind]++
      worked++
      if (kind !== 'slow') await clock.sleep(100)
    }
  }
  const kinds = [...Array(4000).fill('slow'), ...Array(10).fill('quick'), ...Array(10).fill('fresh')]
  await clock.run(Promise.all(kinds.map(visit)))
  // Turns of 24 answers and 20 ms: 1,200 a second for 1,333 slow ones, so that some always wait. Were these counted, half as many
  // of the others would come through.
  assert.ok(answers.slow > 4000 * 5, `${answers.slow} answers of slow sites`)
  assert.ok(
    answers.quick > 600 && answers.fresh > 600,
    `${answers.quick} of quick sites, ${answers.fresh} of fresh ones`,
  )
})

test('every answer is handed on, whatever the load, and a failure too', async () => {
  const { clock, work } = workClock()
  const open = pacedSessions(
    () => ({
      async fetch({ url }) {
        if (url.endsWith('9')) throw new Error('a bug')
        return { url, answer: { kind: 'withheld' } } as Exchange
      },
      close() {},
    }),
    clock,
    turn,
  )
  const asked = Array.from({ length: 200 }, async (_, n) => {
    const { url } = await open().fetch({ url: `http://a.test/${n}` } as FetchRequest)
    work(7)
    return url
  })
  const ends = await Promise.allSettled(asked)
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 180)
  assert.equal(ends.filter(({ status }) => status === 'rejected').length, 20)
})
