import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { Archive, ReportSink } from '../../contracts/ports.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { Visit } from '../../contracts/visit.ts'
import { Reporter } from '../reporter.ts'
import { VisitTimes } from '../visit-times.ts'
import { PART_EVERY, ReportSender } from './report-sender.ts'

const visitOf = (id: string): Visit => ({
  id,
  fence: 1,
  site: 'a.test',
  agenda: [],
  known: new BigUint64Array(0),
  memory: freshMemory(),
  wait: 0,
  pause: 2000,
  limits: { pages: 1, time: 1 },
  lease: 1,
})

const reporterOf = (id: string) =>
  new Reporter(visitOf(id), () => ({ pause: 2000, notBefore: 0 }), new VisitTimes(virtualClock(0), new Map()))

/** What happened, in order: syncs and check-ins take their time. */
function bench(faults: { sync?: Error; send?: Error } = {}) {
  // Nothing outside is waited for, so that nothing is due shows at once.
  const clock = virtualClock(0, 0, 1_000)
  const log: string[] = []
  const sent: VisitReport[][] = []
  const archive: Archive = {
    keep: () => assert.fail('a courier keeps nothing'),
    checks: () => ({ checked: 0, wrong: 0 }),
    async synced() {
      log.push('sync begins')
      await clock.sleep(20)
      if (faults.sync !== undefined) throw faults.sync
      log.push('sync ends')
    },
    close: async () => {},
  }
  const sink: ReportSink = {
    async send(_worker, parts) {
      log.push(`check-in of ${parts.map(({ visit, part }) => `${visit}.${part}`).join(' ')} begins`)
      await clock.sleep(10)
      if (faults.send !== undefined) throw faults.send
      sent.push(parts)
      log.push('check-in ends')
    },
  }
  const journal = { record: ({ kind }: { kind: string }) => void log.push(kind) }
  return { clock, log, sent, reportSender: new ReportSender({ worker: 'w', clock, archive, sink, journal }) }
}

test('the part is cut, then its bytes are synced, then it is sent, and only then is it durable', async () => {
  const { clock, log, reportSender } = bench()
  const reporter = reporterOf('v')
  reportSender.add(reporter)
  reporter.tally.add('requests')
  await clock.run(reportSender.send().then(() => log.push('durable')))
  const order = [
    'sync begins',
    'sync ends',
    'synced',
    'check-in of v.1 begins',
    'check-in ends',
    'checked-in',
    'durable',
  ]
  assert.deepEqual(log, order)
  reportSender.close()
})

test('news during a delivery goes with the next one, and its caller waits for that', async () => {
  const { clock, sent, log, reportSender } = bench()
  const reporter = reporterOf('v')
  reportSender.add(reporter)
  reporter.tally.add('requests')
  const first = reportSender.send()
  clock.after(5, () => reporter.tally.add('fetched'))
  const second = clock.sleep(6).then(() => reportSender.send())
  const third = clock.sleep(7).then(() => reportSender.send())
  await clock.run(Promise.all([first, second, third]))
  assert.deepEqual(
    sent.map((parts) => parts.map(({ part, counts }) => [part, [...counts.keys()]])),
    [[[1, ['requests']]], [[2, ['fetched']]]],
  )
  assert.equal(log.filter((what) => what === 'sync begins').length, 2)
  reportSender.close()
})

test('once a second one sync and one check-in for all visits that have news', async () => {
  const { clock, sent, reportSender } = bench()
  const reporters = ['a', 'b', 'c'].map(reporterOf)
  for (const reporter of reporters) reportSender.add(reporter)
  reporters[0].tally.add('requests')
  reporters[2].tally.add('requests')
  await clock.run(clock.sleep(PART_EVERY + 100))
  assert.deepEqual(
    sent.map((parts) => parts.map(({ visit }) => visit)),
    [['a', 'c']],
  )
  await clock.run(clock.sleep(5 * PART_EVERY))
  assert.equal(sent.length, 1, 'no news, no parts')
  reportSender.close()
})

test('a visit whose last part is sent is forgotten, and without visits nothing is sent', async () => {
  const { clock, sent, reportSender } = bench()
  const reporter = reporterOf('v')
  reportSender.add(reporter)
  reporter.end('done')
  await clock.run(reportSender.send())
  assert.equal(sent[0][0].ended, 'done')
  reporter.tally.add('requests')
  await clock.run(reportSender.send())
  assert.equal(sent.length, 1)
  await clock.run(clock.sleep(3 * PART_EVERY))
  await assert.rejects(clock.run(new Promise(() => {})), /nothing is due/)
})

test('a visit that begins after all others have ended is reported in time', async () => {
  const { clock, sent, reportSender } = bench()
  const first = reporterOf('a')
  reportSender.add(first)
  first.end('done')
  await clock.run(clock.sleep(3 * PART_EVERY))
  const second = reporterOf('b')
  reportSender.add(second)
  second.tally.add('requests')
  await clock.run(clock.sleep(PART_EVERY + 100))
  assert.deepEqual(
    sent.map(([{ visit }]) => visit),
    ['a', 'b'],
  )
  second.tally.add('fetched')
  await clock.run(clock.sleep(PART_EVERY))
  assert.equal(sent.length, 3)
  reportSender.close()
})

test('of a visit that never ends, what it has reported is sent, and nothing after that', async () => {
  const { clock, sent, reportSender } = bench()
  const reporter = reporterOf('v')
  reportSender.forget(reporter)
  reportSender.add(reporter)
  reporter.tally.add('requests')
  reportSender.forget(reporter)
  await clock.run(clock.sleep(100))
  assert.equal(sent.length, 1)
  reporter.tally.add('fetched')
  await clock.run(reportSender.send())
  assert.equal(sent.length, 1)
  reportSender.close()
})

test('after the end nothing is sent by the clock', async () => {
  const { clock, sent, reportSender } = bench()
  const reporter = reporterOf('v')
  reportSender.add(reporter)
  reporter.tally.add('requests')
  reportSender.close()
  await clock.run(clock.sleep(5 * PART_EVERY))
  assert.deepEqual(sent, [])
})

for (const where of ['sync', 'send'] as const) {
  test(`when ${where} fails, nothing more is sent, whoever waits learns it, and the worker is told once`, async () => {
    const { clock, sent, log, reportSender } = bench({ [where]: new Error('no room left') })
    const told: unknown[] = []
    reportSender.onFailure = (error) => told.push(error)
    const reporter = reporterOf('v')
    reportSender.add(reporter)
    reporter.tally.add('requests')
    const waiting = [reportSender.send(), reportSender.send()]
    const ends = await clock.run(Promise.allSettled(waiting))
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    reporter.tally.add('requests')
    await assert.rejects(clock.run(reportSender.send()), /no room left/)
    await clock.run(clock.sleep(3 * PART_EVERY))
    assert.equal(sent.length, 0)
    assert.equal(log.filter((what) => what === 'sync begins').length, 1)
    if (where === 'sync') assert.ok(!log.some((what) => what.startsWith('check-in')))
    assert.equal(told.length, 1)
    reportSender.close()
  })
}

test('the news of very many visits is cut in several turns, and goes in one delivery', async () => {
  const { clock, sent, reportSender } = bench()
  const reporters = Array.from({ length: 300 }, (_, n) => reporterOf(`v${n}`))
  for (const reporter of reporters) {
    reportSender.add(reporter)
    reporter.tally.add('requests')
  }
  const delivered = reportSender.send()
  // Told before the delivery came to it: it goes with the part.
  reporters[299].end('done')
  await clock.run(delivered)
  assert.equal(sent.length, 1)
  assert.deepEqual(
    sent[0].map(({ visit }) => visit),
    reporters.map(({ visit }) => visit.id),
  )
  assert.equal(sent[0][299].ended, 'done')
})
