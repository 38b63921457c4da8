import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import type { Exchange } from '../contracts/exchange.ts'
import { ForeignRobots, type ForeignRobotsAnswer } from './foreign-robots.ts'

const answered = { answer: { kind: 'declined' } } as unknown as Exchange

function asker() {
  const clock = virtualClock(0)
  const foreign = new ForeignRobots(clock)
  const begun: number[] = []
  const ask = (url: string, answer: ForeignRobotsAnswer = answered) =>
    foreign.fetch(url, 'b.test', 2000, async (wait) => {
      await clock.sleep(wait)
      begun.push(clock.elapsed())
      return answer
    })
  return { clock, begun, ask }
}

test('concurrent requests for one file are one request, cached for an hour', async () => {
  const { clock, begun, ask } = asker()
  const both = await clock.run(Promise.all([ask('u'), ask('u')]))
  assert.deepEqual(
    both.map(({ isNew }) => isNew),
    [true, false],
  )
  await clock.run(clock.sleep(3_000_000))
  await clock.run(ask('u'))
  assert.equal(begun.length, 1)
  await clock.run(clock.sleep(3_600_000))
  await clock.run(ask('u'))
  assert.equal(begun.length, 2)
})

test('two files of one site keep its pause', async () => {
  const { clock, begun, ask } = asker()
  await clock.run(Promise.all([ask('u'), ask('v'), ask('w')]))
  assert.deepEqual(begun, [2000, 4000, 6000])
})

test('a file that was not requested is requested by the next visit', async () => {
  const { clock, begun, ask } = asker()
  await clock.run(ask('u', 'not-requested'))
  await clock.run(ask('u'))
  assert.equal(begun.length, 2)
})

test('a fetch that threw is not reused', async () => {
  const foreign = new ForeignRobots(virtualClock(0))
  await assert.rejects(
    foreign.fetch('u', 'b.test', 0, () => Promise.reject(new Error('a bug'))),
    /a bug/,
  )
  const { answer } = await foreign.fetch('u', 'b.test', 0, async () => answered)
  assert.equal(answer, answered)
})
