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

test('what comes alone goes on at once', async () => {
  const { clock } = workClock()
  const pace = new Pace(clock, turn)
  assert.equal(pace.wait(), undefined)
  await turn()
  await turn()
  assert.equal(pace.wait(), undefined)
})

test('of many that are there at once a slice is worked on in each turn of the loop, in order', async () => {
  const { clock, work } = workClock()
  let turns = 0
  const pace = new Pace(clock, async () => {
    await turn()
    turns++
  })
  const done: { item: number; turn: number }[] = []
  const workOn = async (item: number) => {
    await pace.wait()
    // As far away from the wait as a visit's work is.
    await Promise.resolve()
    work(6)
    done.push({ item, turn: turns })
  }
  const items: Promise<void>[] = []
  // One after the other, as sockets are read: whoever need not wait has done its work before the next comes.
  for (let item = 0; item < 50; item++) {
    items.push(workOn(item))
    for (let hops = 0; hops < 5; hops++) await undefined
  }
  await Promise.all(items)
  assert.deepEqual(
    done.map(({ item }) => item),
    items.map((_, item) => item),
  )
  // 20 ms of 6 ms each.
  const inTurn = Map.groupBy(done, (one) => one.turn)
  for (const [at, group] of inTurn) assert.ok(group.length <= 4, `${group.length} in turn ${at}`)
  assert.ok(inTurn.size >= 12, `${inTurn.size} turns`)
})

test('every answer is handed on, whatever the load, and a failure too', async () => {
  const { clock, work } = workClock()
  const open = pacedSessions(
    () => ({
      async fetch({ url }) {
        if (url.endsWith('9')) throw new Error('a bug')
        return { url } as Exchange
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
