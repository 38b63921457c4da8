/** What servers that share a database have in common: notifications, roles, the time. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { type Clock, realClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { Database, Tx } from '../database.ts'
import { databaseClock } from './clock.ts'
import { tryRole } from './election.ts'
import { notify, openNotifications } from './notifications.ts'
import { openPostgres } from './open.ts'
import { postgresTx } from './tx.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const tools = { clock: realClock, random: seededRandom(1) }
/** Every session but the one that asks. */
const killOthers = (tx: Tx) =>
  postgresTx(tx).all(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()`)

async function twoServers() {
  const address = await server.newDatabase()
  return Promise.all([openPostgres(address, { steps: [] }), openPostgres(address, { steps: [] })])
}

/** What was heard, and a way to wait for the next of it. */
function ear() {
  const heard: string[] = []
  let wake = () => {}
  return {
    hear(payload: string) {
      heard.push(payload)
      wake()
    },
    async until(payload: string) {
      while (!heard.includes(payload)) await new Promise<void>((resolve) => (wake = resolve))
      heard.splice(0)
    },
    heard,
  }
}

describe('a notification', { skip }, () => {
  it('is heard by the others when its transaction commits, and after a lost connection again', async () => {
    const [referrer, listener] = await twoServers()
    const notifications = openNotifications(listener, tools)
    const [work, other] = [ear(), ear()]
    notifications.listen('work', work.hear)
    const stop = notifications.listen('other', other.hear)
    await work.until('')

    const never = referrer.transact(async (tx) => {
      await notify(tx, 'work', 'never')
      throw new Error('no')
    })
    await assert.rejects(never, /no/)
    await referrer.transact((tx) => Promise.all([notify(tx, 'work', 'seven'), notify(tx, 'other', 'eight')]))
    await other.until('eight')
    assert.ok(!work.heard.includes('never'))
    await work.until('seven')

    await referrer.transact(killOthers)
    await work.until('')
    stop()
    await referrer.transact((tx) => Promise.all([notify(tx, 'other', 'nobody'), notify(tx, 'work', 'again')]))
    await work.until('again')
    assert.ok(!other.heard.includes('nobody'))
    await notifications.close()
    await Promise.all([referrer.close(), listener.close()])
  })

  it('has a plain channel name and a short payload', async () => {
    const [referrer, listener] = await twoServers()
    await assert.rejects(
      referrer.transact((tx) => notify(tx, 'a; DROP TABLE x')),
      /as the name of a channel/,
    )
    await assert.rejects(
      referrer.transact((tx) => notify(tx, 'a', 'x'.repeat(5000))),
      /too long/,
    )
    await Promise.all([referrer.close(), listener.close()])
  })
})

describe('a role', { skip }, () => {
  it('is held by one at a time, and ends with its connection', async () => {
    const [a, b] = await twoServers()
    const held = await tryRole(a, 'keeper')
    assert.ok(held !== undefined)
    assert.equal(await tryRole(b, 'keeper'), undefined)
    assert.equal(await tryRole(a, 'keeper'), undefined)
    const elsewhere = await tryRole(b, 'another')
    await elsewhere?.release()

    const lost = new Promise((resolve) => held.lost.addEventListener('abort', resolve))
    await b.transact(killOthers)
    await lost
    const next = await tryRole(b, 'keeper')
    assert.ok(next !== undefined && !next.lost.aborted)
    await next.release()
    await held.release()
    await Promise.all([a.close(), b.close()])
  })
})

describe('the time of the database', { skip }, () => {
  it('is what now() says, however wrong the machine is', async () => {
    const database = await server.make()
    const wrong: Clock = { ...realClock, now: () => realClock.now() - 5 * 3_600_000 }
    const clock = await databaseClock(database, wrong)
    assert.ok(Math.abs(clock.now() - realClock.now()) < 500, 'the server runs on this machine')
    clock.close()
  })

  it('is measured again each minute and after a halt, never goes back by a little, and follows when it was set', async () => {
    let elapsed = 0
    let theirs = 1_000_000
    let ours = 5_000_000
    const timers: { at: number; call: () => void }[] = []
    const clock: Clock = {
      ...realClock,
      now: () => ours + elapsed,
      elapsed: () => elapsed,
      after(ms, call) {
        timers.push({ at: elapsed + ms, call })
        return () => timers.splice(0)
      },
    }
    let isAway = false
    const tx = { dialect: 'postgres', get: async () => ({ now: theirs + elapsed }) } as unknown as Tx
    const database: Pick<Database, 'read'> = {
      async read(work) {
        if (isAway) throw new Error('away')
        return work(tx)
      },
    }
    const time = await databaseClock(database as Database, clock)
    const measuredAgain = async () => {
      for (const { call } of timers.splice(0)) call()
      while (timers.length === 0) await realClock.sleep(0)
    }
    elapsed = 60_000
    assert.equal(timers[0].at, 60_000)
    assert.equal(time.now(), 1_060_000)
    theirs -= 300
    await measuredAgain()
    assert.equal(time.now(), 1_060_000)
    elapsed += 200
    assert.equal(time.now(), 1_060_000)
    elapsed += 200
    assert.equal(time.now(), 1_060_100)
    theirs -= 90_000
    await measuredAgain()
    assert.equal(time.now(), 970_100)
    isAway = true
    elapsed += 60_000
    await measuredAgain()
    assert.equal(time.now(), 1_030_100)

    // The machine was halted for ten seconds, which its own time shows and its count does not.
    isAway = false
    theirs += 10_000
    ours += 10_000
    time.now()
    assert.deepEqual(timers, [])
    while (timers.length === 0) await realClock.sleep(0)
    assert.equal(time.now(), 1_040_100)
    assert.equal(timers.length, 1)
    time.close()
    assert.deepEqual(timers, [])
  })
})
