import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realClock } from '../base/clock.ts'
import { ratesOf } from './chart.ts'
import { LiveRecord } from './live-record.ts'
import { timeLeft } from './pages/overview.ts'

const sample = (at: number, documents: number, waiting = 0) => ({
  ...{ at, documents, waiting, requests: documents, bytes: 10 * documents, failures: 0, known: documents + waiting },
})

test('a month of samples is a few hundred, evenly spread from the beginning to the end', () => {
  const record = new LiveRecord(realClock)
  const month = 30 * 86_400_000
  for (let at = 0; at <= month; at += 2000) record.sample(sample(at, at / 1000))
  const { pace } = record
  assert.ok(pace.length > 100 && pace.length <= 300, `${pace.length}`)
  assert.equal(pace[0].at, 0)
  assert.ok(month - pace.at(-1)!.at < month / 100)
  const rates = ratesOf(pace, ({ documents }) => documents)
  assert.ok(rates.length <= 61 && rates.every(({ value }) => Math.abs(value - 1) < 1e-9))
})

test('after 60 hours the time left is still that of the last minutes, and few samples are kept for it', () => {
  const record = new LiveRecord(realClock)
  const end = 60 * 3_600_000
  // It collects ten pages a second, and in the last hour one a second.
  for (let at = 0; at <= end; at += 2000) {
    const late = Math.max(0, at - (end - 3_600_000)) / 1000
    const documents = (at / 1000 - late) * 10 + late
    record.sample(sample(at, documents, 3_000_000 - documents))
  }
  const { recent } = record
  assert.ok(recent.length <= 182, `${recent.length}`)
  assert.equal(recent.at(-1)!.at, end)
  assert.match(timeLeft({ recent, choice: {} }, 7200).text, /About 2h<.*the last 15m/)
})

test('ten thousand visits do not push out what matters, and long texts are cut', () => {
  const record = new LiveRecord(realClock)
  record.record({ kind: 'trouble', what: 'x'.repeat(100_000) })
  // Nothing that is not shown takes a place.
  for (let n = 0; n < 100; n++) record.record({ kind: 'mail', result: 'sent', what: 'the day' })
  for (let n = 0; n < 10_000; n++) {
    record.record({ kind: 'visit-ended', site: `s${n}.test`, why: 'done', pages: 1 })
    record.record({ kind: 'request', site: 'a.test', url: 'http://a.test/' })
  }
  const { events } = record
  assert.equal(events.length, 21)
  const trouble = events.map(({ event }) => event).find(({ kind }) => kind === 'trouble')
  assert.equal(trouble?.kind === 'trouble' && trouble.what.length, 500)
})

test('the time left is honest: too early, growing, shrinking, paused, empty', () => {
  const left = (recent: ReturnType<typeof sample>[], waiting: number, choice = {}) =>
    timeLeft({ recent, choice }, waiting).text
  assert.match(left([sample(0, 0, 100)], 100), /Too early/)
  assert.match(left([sample(0, 0, 100), sample(90_000, 9, 91)], 91), /Too early/)
  const minutes = (waiting: readonly number[]) => waiting.map((n, minute) => sample(minute * 60_000, minute, n))
  assert.match(left(minutes([10, 30, 40, 50, 60]), 60), /Still growing<.*no end is in sight/)
  // A site that an operator paused, or that asked for an hour's wait.
  assert.match(left(minutes([30, 20, 1, 1, 1, 1]), 1), /Not known<.*neither grows nor shrinks/)
  // It grew at first; in its second half ten minutes took 50 of 150 away, so the other 100 take twenty.
  const shrinks = minutes([
    0, 50, 100, 120, 140, 150, 150, 150, 150, 150, 150, 145, 140, 135, 130, 125, 120, 115, 110, 105, 100,
  ])
  assert.match(left(shrinks, 100), /About 20m<.*the last 10m/)
  assert.match(left(shrinks, 100, { paused: { at: 0, who: 'x' } }), /Paused/)
  assert.match(left([], 0), /the queue is empty/)
})
