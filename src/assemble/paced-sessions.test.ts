import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turn } from '../base/clock.ts'
import { virtualClock } from '../base/virtual-clock.ts'
import type { Exchange, FetchRequest } from '../visit/exchange.ts'
import { Pace, pacedSessions } from './paced-sessions.ts'

/** A clock that only work moves on. */
function workClock() {
  let now = 0
  const clock = { ...virtualClock(0), elapsed: () => now }
  return { clock, work: (ms: number) => (now += ms) }
}

test('what comes alone goes on in the next turn', async () => {
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
  // 24 × 0.6 ms is less than a slice, twice that is not.
  assert.deepEqual([...new Set(steps.map((one) => one.turn))], [1, 2])
})

test('large answers make small groups', async () => {
  const steps = await fiftyAtOnce(300 * 1024)
  assert.deepEqual(
    steps.slice(0, 6).map(({ step, item }) => `${step} ${item}`),
    ['read 0', 'read 1', 'keep 0', 'keep 1', 'read 2', 'read 3'],
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
  const { signal } = new AbortController()
  const asked = Array.from({ length: 200 }, async (_, n) => {
    const { url } = await open().fetch({ url: `http://a.test/${n}` } as FetchRequest, signal)
    work(7)
    return url
  })
  const ends = await Promise.allSettled(asked)
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 180)
  assert.equal(ends.filter(({ status }) => status === 'rejected').length, 20)
})
