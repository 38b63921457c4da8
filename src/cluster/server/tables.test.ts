/** The server's own tables, on both databases. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { watchComputer } from '../../base/computer.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { type CallNote, callLog, readCalls } from './call-log.ts'
import { volumeLocations } from './uploads.ts'
import { freeWorker, hashOf, readServers, readWorkers, sumWorkers, workerTable } from './worker-table.ts'

const NOON = 1_800_000_000_000
const secret = new Uint8Array(32).fill(5)

function tablesContract(make: () => Promise<Database>): void {
  const open = async () => {
    const database = await make()
    return { database, workerRows: workerTable(database), [Symbol.asyncDispose]: () => database.close() }
  }

  it("the ticket key is the first server's", async () => {
    await using made = await open()
    const keys = await Promise.all([1, 2, 3].map((n) => made.workerRows.ticketKey(new Uint8Array(32).fill(n))))
    assert.equal(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size, 1)
    assert.deepEqual(await made.workerRows.ticketKey(new Uint8Array(32)), keys[0])
  })

  it('what a silent worker holds is freed, not what one holds that may be at work', async () => {
    await using made = await open()
    const { workerRows, database } = made
    const id = '0123456789abcdef'
    await workerRows.register({ id, name: 'A', region: undefined, version: '1' }, secret, NOON)
    const lost: string[] = []
    const ledger = {
      async lose(_tx: unknown, worker: string) {
        lost.push(worker)
        return [{ visit: 'v', site: 's', worker }]
      },
    }
    await database.transact((tx) =>
      queries(tx).run(
        `INSERT INTO site (key, bucket, name, state, since, rank, worker) VALUES (1, 0, 'a', 'leased', 0, 0, ?1),
          (2, 0, 'b', 'leased', 0, 0, ?1), (3, 0, 'c', 'leased', 0, 0, '0123456789abcdefg.w1')`,
        `${id}.life-w1`,
      ),
    )
    const free = (worker: string, at: number) => database.transact((tx) => freeWorker(tx, ledger, worker, at))
    await assert.rejects(free(id, NOON + 59_000), { code: 'bad-flag' })
    await assert.rejects(free('fedcba9876543210', NOON), { code: 'not-found' })
    await assert.rejects(free("x'; DROP TABLE site", NOON), { code: 'bad-flag' })
    assert.deepEqual(lost, [])
    assert.equal(await free(id, NOON + 61_000), 1)
    assert.deepEqual(lost, [`${id}.life-w1`])
  })

  it('workers are known by their hash, and by what they said last', async () => {
    await using made = await open()
    const { workerRows, database } = made
    await workerRows.register({ id: 'a', name: 'A', region: undefined, version: '1' }, secret, NOON)
    await workerRows.register({ id: 'b', name: 'B', region: 'eu', version: '1' }, secret, NOON)
    assert.equal(await workerRows.credentials('c'), undefined)
    const { secretHash, state } = (await workerRows.credentials('a'))!
    assert.equal(state, 'working')
    assert.deepEqual(Buffer.from(secretHash), hashOf(secret))
    const news = { visits: 7, lateMs: 2.5, pagesPerSecond: 10.25, state: 'ending' as const, version: '2' }
    const computer = {
      ...{
        cpus: 2,
        cpuModel: 'Ünï',
        load: 0.5,
        memoryBytes: 2 ** 33,
        freeMemoryBytes: 2 ** 32,
        freeDiskBytes: 2 ** 40,
      },
      ...{ bytesPerSecond: 1.5, fastestBytesPerSecond: 1e6 },
    }
    await workerRows.seen(new Map([['b', { at: NOON + 100, news: { ...news, computer, clockOffsetMs: -3.5 } }]]))
    // Of what a goodbye does not say, the last is kept.
    await workerRows.seen(
      new Map([
        ['b', { at: NOON + 500, news }],
        ['a', { at: NOON - 500, news: undefined }],
        ['nobody', { at: NOON, news }],
      ]),
    )
    const present = (await workerRows.present(NOON)).map((post) => ({ ...post }))
    assert.deepEqual(present, [{ id: 'a', region: null }], 'b is ending')
    assert.deepEqual(await workerRows.present(NOON + 1), [])
    const [b, a] = await database.read((tx) => readWorkers(tx, 10))
    assert.deepEqual(
      { ...b },
      {
        id: 'b',
        name: 'B',
        region: 'eu',
        registeredAt: NOON,
        seenAt: NOON + 500,
        ...news,
        computer,
        clockOffsetMs: -3.5,
      },
    )
    assert.deepEqual([a.id, a.region, a.seenAt, a.visits], ['a', null, NOON, 0])
    const sums = await database.read((tx) => sumWorkers(tx, NOON + 1, NOON))
    assert.deepEqual({ ...sums }, { alive: 1, silent: 1, pagesPerSecond: 10.25 })
    const later = await database.read((tx) => sumWorkers(tx, NOON + 500, NOON + 1))
    assert.deepEqual({ ...later }, { alive: 1, silent: 0, pagesPerSecond: 10.25 }, 'a is gone')
  })

  it('servers come and go', async () => {
    await using made = await open()
    const { workerRows, database } = made
    const one = {
      id: 's1',
      url: 'http://one',
      version: '1',
      startedAt: NOON,
      seenAt: NOON,
      settings: '{"pause":"x"}',
      computer: null,
    }
    await workerRows.serverSeen(one)
    await workerRows.serverSeen({ ...one, id: 's2', url: 'http://two', seenAt: NOON + 100 })
    const computer = watchComputer()('.')
    await workerRows.serverSeen({ ...one, url: 'http://one.test', computer })
    assert.deepEqual(
      (await workerRows.servers(NOON)).map(({ url }) => url),
      ['http://two', 'http://one.test'],
    )
    assert.equal((await workerRows.servers(NOON + 1)).length, 1)
    await workerRows.serverGone('s2')
    const [left, ...others] = await database.read((tx) => readServers(tx, 0))
    assert.deepEqual([{ ...left }, ...others], [{ ...one, url: 'http://one.test', computer }])
  })

  it('calls are written in groups and thrown away when they are old', async () => {
    await using made = await open()
    const clock = virtualClock(NOON)
    const log = callLog(made.database, clock, 1000)
    const note = (n: number): CallNote => ({
      at: NOON - 2000 + n * 20,
      worker: n % 2 === 0 ? 'a' : 'b',
      call: 'checkIn',
      ...(n % 3 === 0 ? { visit: `${n}` } : {}),
      result: 'ok',
      items: n,
      bytes: 2 ** 33 + n,
      tookMs: 0.5,
    })
    for (let n = 0; n < 120; n++) log.note(note(n))
    assert.equal(await log.flush(), 0)
    const all = await made.database.read((tx) => readCalls(tx, { since: 0, atMost: 1000 }))
    assert.equal(all.length, 120)
    assert.deepEqual({ ...all[0], id: 0 }, { id: 0, visit: null, ...note(119) })
    const of = await made.database.read((tx) => readCalls(tx, { worker: 'a', since: NOON, atMost: 5 }))
    assert.deepEqual(
      of.map(({ items }) => items),
      [118, 116, 114, 112, 110],
    )
    const { at, id } = of.at(-1)!
    const next = { worker: 'a', since: 0, atMost: 2, before: { at, id } }
    const older = await made.database.read((tx) => readCalls(tx, next))
    assert.deepEqual(
      older.map(({ items }) => items),
      [108, 106],
    )
    assert.equal(await log.forget(), false)
    const left = await made.database.read((tx) => readCalls(tx, { since: 0, atMost: 1000 }))
    assert.equal(left.length, 70)
    assert.ok(left.every(({ at }) => at >= NOON - 1000))
  })

  it('a volume belongs to the worker that began it, on whichever server', async () => {
    await using made = await open()
    const [one, two] = ['s1', 's2'].map((node) => volumeLocations(made.database, node))
    assert.equal(await one.find('v'), undefined)
    await one.note('v', 'a', 0, false)
    await one.note('v', 'b', 5, false)
    await one.note('v', 'a', 7, true)
    assert.deepEqual(await one.find('v'), { worker: 'a', bytes: 7 })
    assert.deepEqual(await two.find('v'), { worker: 'a', bytes: undefined }, 'each server vouches for what it has')
  })
}

describe("the server's tables on SQLite", () => tablesContract(async () => openSqlite(':memory:')))

const postgres = await postgresForTests()
if ('skipped' in postgres) describe("the server's tables on PostgreSQL", { skip: postgres.skipped }, () => {})
else {
  after(() => postgres.end())
  describe("the server's tables on PostgreSQL", () => tablesContract(() => postgres.make()))
}
