import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Outage } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Coordinator } from './coordinator.ts'
import { CrawlView } from './crawl-view.ts'

const ADD_SITE = `INSERT INTO site (bucket, key, name, state, since, rank, not_before, polite_at, known, waiting)
  VALUES (0, ?, ?, ?, 0, 0, ?, 30000, 1, 1)`

/** A view of a crawl in which one site waits, 30 s from now. */
async function viewOf({ later = 0, silent = 0, free = 0 }) {
  const clock = virtualClock(0)
  const world: { outage: Outage | undefined } = { outage: undefined }
  const stored = openSqlite(':memory:')
  await stored.transact(async (given) => {
    const tx = sqliteTx(given)
    tx.run(ADD_SITE, siteKeyOf('a.test'), 'a.test', 'waiting', 30_000 + later)
    if (free > 0) tx.run(ADD_SITE, siteKeyOf('b.test'), 'b.test', 'free', 0)
    const memory = JSON.stringify({ ...freshMemory(), silent })
    tx.run('INSERT INTO site_memory (site, memory) VALUES (?, ?)', siteKeyOf('a.test'), memory)
  })
  const database = { read: stored.read.bind(stored), outage: () => world.outage }
  const coordinator = { parts: { clock, database }, intake: { pending: () => 0 }, decisions: { crawl: {} } }
  return { clock, world, view: new CrawlView(coordinator as unknown as Coordinator, { slow: [], lateMs: 0 }) }
}

test('an idle crawl waits for a pause, or for the retry of a failure', async () => {
  const waitsFor = async (given: Parameters<typeof viewOf>[0]) => {
    const { view } = await viewOf(given)
    await view.refresh()
    return view.snapshot().waitsFor
  }
  assert.equal(await waitsFor({}), 'courtesy')
  assert.equal(await waitsFor({ silent: 1 }), 'retry', 'its site did not answer')
  assert.equal(await waitsFor({ later: 1 }), 'retry', 'its URL is due later than courtesy asks')
  assert.equal(await waitsFor({ free: 1 }), undefined, 'another may be asked now')
})

test('waiting for the database does not count as lateness, and the snapshot has the length of the outage', async () => {
  const { view, clock, world } = await viewOf({})
  await clock.run(clock.sleep(1000))
  await view.refresh()
  await clock.run(clock.sleep(6000))
  await view.refresh()
  assert.equal(view.snapshot().lateMs, 5000, 'nothing else kept it')
  const since = clock.elapsed()
  world.outage = { what: 'away', since }
  await clock.run(clock.sleep(11_000))
  assert.deepEqual(view.snapshot().outage, { what: 'away', forMs: 11_000 })
  world.outage = { what: 'away', since, until: clock.elapsed() }
  await view.refresh()
  assert.deepEqual([view.snapshot().lateMs, view.snapshot().outage], [0, undefined])
})
