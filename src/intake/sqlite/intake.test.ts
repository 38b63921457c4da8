import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AT_ONCE,
  coordinator,
  intakeContract,
  THROUGH_THE_INBOX,
  visitParts,
} from '../../../testkit/contracts/intake/intake.contract.ts'
import { sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { turn } from '../../base/clock.ts'
import { readCounters } from '../../collection/counters/counters.ts'
import { seal } from '../../contracts/sealed-part.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { Arrivals } from '../arrivals.ts'
import { partsWaiting } from '../report-parts.ts'

intakeContract('SQLite', () => openSqlite(':memory:'), [AT_ONCE, THROUGH_THE_INBOX])

test('parts that come faster than they are applied are stored first, and acknowledged', async () => {
  const database = openSqlite(':memory:')
  const [first, ...others] = Array.from({ length: 30 }, (_, n) => visitParts(`s${n}.test`))
  const bytes = first.reduce((sum, part) => sum + seal(part).body.length, 0)
  const { intake, journal, ledger } = await coordinator(database, memoryDisk(), {}, 2 * bytes)
  const moments: string[] = []
  journal.read((event) => moments.push(event.kind))
  await intake.accept(first.map(seal))
  assert.deepEqual(moments, ['applying', 'applied'])
  await intake.accept(others.flat().map(seal))
  assert.deepEqual(moments, ['applying', 'applied', 'inbox-stored'])
  assert.equal(ledger.returned.length, others.length)
  await intake.idle()
  await database.read(async (tx) => {
    assert.equal(await partsWaiting(tx), 0)
    assert.equal((await readCounters(tx)).get('documents'), 60)
  })
})

test('reap rejects when nothing more can be stored', async () => {
  const whole = openSqlite(':memory:')
  let isFull = false
  const transact: Database['transact'] = (work) =>
    isFull ? Promise.reject(new Error('database or disk is full')) : whole.transact(work)
  const { intake } = await coordinator({ ...whole, transact })
  assert.deepEqual(await intake.reap(), [])
  isFull = true
  await assert.rejects(intake.accept(visitParts('a.test').map(seal)), /disk is full/)
  isFull = false
  await assert.rejects(intake.reap(), /disk is full/)
})

test('parts count as pending until they are durable: no lease is reaped while they are synced', async () => {
  const whole = openSqlite(':memory:')
  let synced = () => {}
  let isSlow = false
  const transact: Database['transact'] = async (work) => {
    const result = await whole.transact(work)
    if (isSlow) await new Promise<void>((resolve) => (synced = resolve))
    return result
  }
  // Through the inbox, since nothing may wait in memory.
  const { intake } = await coordinator({ ...whole, transact }, memoryDisk(), {}, 0)
  isSlow = true
  const parts = visitParts('a.test')
  const stored = intake.accept(parts.map(seal))
  await turn()
  assert.equal(intake.pending(), parts.length)
  isSlow = false
  synced()
  await stored
  await intake.idle()
  assert.equal(intake.pending(), 0)
})

test('deliveries are acknowledged when durable, one slice after the other', async () => {
  const arrivals = new Arrivals()
  const part = (site: string, number: number) => seal(sampleReport(site, number, []))
  const heard: string[] = []
  for (const [name, count] of [['a', 2] as const, ['b', 1] as const, ['c', 3] as const]) {
    const parts = Array.from({ length: count }, (_, n) => part(name, n + 1))
    void arrivals.add(parts).then(
      () => heard.push(name),
      () => heard.push(`not ${name}`),
    )
  }
  const { length } = part('a', 1).body
  const next = async (maxBytes: number) => {
    const taken = arrivals.take(maxBytes)
    taken.durable()
    await Promise.resolve()
    return taken.parts.map(({ site, part }) => `${site}${part}`)
  }
  assert.deepEqual([arrivals.parts, arrivals.bytes], [6, 6 * length])
  assert.deepEqual(await next(1), ['a1'])
  // Parts taken in several slices become durable together.
  assert.deepEqual(heard, [])
  assert.deepEqual(await next(3 * length), ['a2', 'b1', 'c1'])
  assert.deepEqual(heard, ['a', 'b'])
  assert.deepEqual([arrivals.parts, arrivals.bytes], [2, 2 * length])
  arrivals.fail(new Error('disk full'))
  await Promise.resolve()
  assert.deepEqual(heard, ['a', 'b', 'not c'])
  assert.deepEqual([arrivals.parts, arrivals.bytes, arrivals.take(1).parts], [0, 0, []])
})
