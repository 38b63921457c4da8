import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { OPERATIONS, Tally } from '../contracts/counts.ts'
import { PAUSE, Scripted } from './scripted.test-data.ts'
import { VisitTimes } from './visit-times.ts'

test('an operation within another counts alone; fractions of milliseconds go to the next part (V19)', async () => {
  const clock = virtualClock(0)
  const rest = new Map()
  const times = new VisitTimes(clock, rest)
  const work = async () => {
    await clock.sleep(1.25)
    await times.during('courtesy', async () => {
      await clock.sleep(10)
      await times.during('download', () => clock.sleep(3.5))
      await clock.sleep(20)
    })
    await times.during('store', () => clock.sleep(0.5).then(() => Promise.reject(new Error('full')))).catch(() => {})
    await clock.sleep(1.25)
  }
  await clock.run(work())
  const tally = new Tally()
  times.moveTo(tally)
  assert.deepEqual(Object.fromEntries(tally.take()), {
    'elapsed:processing': 2,
    'elapsed:courtesy': 30,
    'elapsed:download': 3,
  })
  // Of the worker's next visit.
  const next = new VisitTimes(clock, rest)
  await clock.run(next.during('store', () => clock.sleep(0.5)))
  next.checkedOut(4)
  next.moveTo(tally)
  assert.deepEqual(Object.fromEntries(tally.take()), { checkOuts: 1, 'elapsed:store': 1, 'elapsed:check-out': 4 })
})

test('a visit: pauses, answers and copies looked up; together they are its whole time (V19, C11)', async () => {
  const web: Scripted = new Scripted(
    {
      'http://a.test/': { body: '<a href="/b">b</a>', tookMs: 100 },
      'http://a.test/b': { body: 'words', tookMs: 300 },
      'http://a.test/robots.txt': { body: '', tookMs: 50 },
    },
    { findCopy: () => web.clock.sleep(7).then(() => undefined) },
  )
  const { counts } = await web.visit({ agenda: ['http://a.test/'] })
  const times = Object.fromEntries(OPERATIONS.map((name) => [name, counts.get(`elapsed:${name}`) ?? 0]))
  assert.equal(times.download, 50 + 100 + 300)
  // The pause runs while a page is stored; robots.txt is empty and not looked up.
  assert.deepEqual([times.store, times.courtesy], [7 + 7, PAUSE + PAUSE - 7])
  assert.equal(
    Object.values(times).reduce((sum, ms) => sum + ms, 0),
    Math.floor(web.clock.elapsed()),
  )
})
