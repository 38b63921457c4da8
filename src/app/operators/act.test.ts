import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openBench } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Action, Control } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { Decisions } from '../../frontier/decisions.ts'
import { roundRobin } from '../../frontier/order.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readRecord } from '../../frontier/records.ts'
import { urlReader } from '../../web/url/web-url.ts'
import type { Coordinator } from '../composition/coordinator.ts'
import { loadSettings } from '../config/load.ts'
import { answerAsked, askRunning, openActions, performAction } from './act.ts'
import { keepSteering } from './steering.ts'

const PAUSE: Action = { action: 'pause', reason: 'a storm' }

function controlOf(perform: Control['perform']): Control {
  return { perform, crawl: {}, choiceOf: () => undefined }
}

test('the process that has the folder performs what a command asks, and answers it', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  const asked: unknown[] = []
  const control = controlOf(async (who, action) => {
    asked.push([who, action])
    return { isChanged: true, now: 'paused' }
  })
  clock.after(1000, () => void answerAsked(disk, 'c', control, clock))
  const answer = await clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { clock }))
  assert.deepEqual(answer, { isChanged: true, now: 'paused' })
  assert.deepEqual(asked, [['anna', PAUSE]])
  assert.deepEqual(disk.list('c/actions'), [])
  await answerAsked(disk, 'c', control, clock)
  assert.equal(asked.length, 1)
})

test('what is not possible is told to the command, and does not harm the process', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  const control = controlOf(async () => {
    throw new Problem('bad-flag', 'no such site')
  })
  clock.after(1000, () => void answerAsked(disk, 'c', control, clock))
  await assert.rejects(clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { clock })), /no such site/)
  const torn = disk.append('c/actions/x.request')
  torn.write(new TextEncoder().encode('{"who"'))
  torn.close()
  await answerAsked(disk, 'c', control, clock)
  assert.match(new TextDecoder().decode(disk.read('c/actions/x.answer', 0, 1000)), /problem/)
})

test('a process that takes no actions: the command says so, and leaves nothing behind', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  await assert.rejects(clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { clock })), {
    code: 'collection-in-use',
  })
  assert.deepEqual(disk.list('c/actions'), [])
})

test('who asks while the process is starting is answered; what nobody waits for is not performed', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  let performed = 0
  const control = controlOf(async () => ({ isChanged: ++performed > 0, now: 'paused' }))
  clock.after(3000, () => {
    openActions(disk, 'c')
    void answerAsked(disk, 'c', control, clock)
  })
  assert.equal((await clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { clock })))?.now, 'paused')
  const left = disk.append('c/actions/x.request')
  left.write(new TextEncoder().encode(JSON.stringify({ who: 'anna', action: PAUSE, until: clock.now() - 1 })))
  left.close()
  openActions(disk, 'c')
  await answerAsked(disk, 'c', control, clock)
  assert.equal(performed, 1)
  assert.deepEqual(disk.list('c/actions'), [])
})

test('the process ends before it answers: the command learns it at once, and may act itself', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  const isRunning = () => clock.elapsed() < 2000
  const answer = await clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { isRunning, clock }))
  assert.equal(answer, undefined)
  assert.ok(clock.elapsed() < 3000)
  assert.deepEqual(disk.list('c/actions'), [])
})

test('an action that is still being performed is not said to have changed nothing', async () => {
  const disk = memoryDisk()
  const clock = virtualClock(0)
  const control = controlOf(async () => {
    await clock.sleep(60_000)
    return { isChanged: true, now: 'paused' }
  })
  clock.after(1000, () => void answerAsked(disk, 'c', control, clock))
  await assert.rejects(
    clock.run(askRunning(disk, 'c', { who: 'anna', action: PAUSE }, { clock })),
    /has taken the action/,
  )
})

test('a folder in which the process may not write ends nothing, and nothing is performed again and again', async () => {
  const files = memoryDisk()
  const clock = virtualClock(0)
  let performed = 0
  const control = controlOf(async () => ({ isChanged: ++performed > 0, now: 'paused' }))
  const denied = (): never => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  }
  const disk = { ...files, makeFolder: denied, rename: denied, append: denied, remove: denied }
  const left = files.append('c/actions/x.request')
  left.write(new TextEncoder().encode(JSON.stringify({ who: 'root', action: PAUSE, until: 60_000 })))
  left.close()
  const database = openSqlite(':memory:')
  const events: Event[] = []
  const parts = { database, disk, folder: 'c', journal: { record: (event: Event) => events.push(event) } }
  const coordinator = { control, decisions: new Decisions(database), parts } as unknown as Coordinator
  const over = new AbortController()
  clock.after(10_000, () => over.abort())
  await clock.run(keepSteering(coordinator, { order() {}, stop() {} }, 0, over.signal, clock))
  assert.equal(performed, 0)
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['trouble'],
  )
  await database.close()
})

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

test('a shared crawl is steered from a machine without its settings, and keeps its own', {
  skip: 'skipped' in postgres && postgres.skipped,
}, async () => {
  if ('skipped' in postgres) return
  const address = await postgres.newDatabase(true)
  const server = await openBench(() => openPostgres(address), {
    order: roundRobin,
    urls: urlReader([]),
    leasesOutlive: true,
  })
  await server.seed('a.test/')
  // A file that only the servers have.
  const flags = ['--database', address, '-c', 'no-such-folder', '--blacklist-urls', 'no-such-file']
  const { settings } = loadSettings(flags, 'serve', { env: {}, readFile: () => undefined })
  const act = (action: Action) => performAction(settings, { who: 'anna', action, version: '0.0.0' })
  const actions: Action[] = [
    PAUSE,
    { action: 'resume' },
    { action: 'bar-site', site: 'b.test' },
    { action: 'pause-site', site: 'a.test' },
  ]
  for (const action of actions) assert.equal((await act(action)).isChanged, true, action.action)
  assert.deepEqual(await act({ action: 'stop' }), { isChanged: false, now: 'No crawl is running.', running: false })
  assert.equal((await server.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.stopped, 'paused')
  assert.equal(await server.db.read((tx) => readRecord(tx, 'order')), 'round-robin')
  await server.db.close()
})
