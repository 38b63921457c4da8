/** How often an operation waits for the database does not depend on how much it is given. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Bench, link, openBench, page, part } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Visit } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'

/** Statements that are begun while none is under way are a new trip; the others go with them. */
function counting(tx: PostgresTx): { tx: PostgresTx; trips(): number } {
  let trips = 0
  let underWay = 0
  const counted = new Proxy(tx, {
    get(target, name: keyof PostgresTx) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        if (underWay++ === 0) trips++
        try {
          return await (value as (...given: unknown[]) => Promise<unknown>).apply(target, given)
        } finally {
          underWay--
        }
      }
    },
  })
  return { tx: counted, trips: () => trips }
}

/** Adds up the trips of all transactions: the COMMIT goes with the last statements, or is not counted. */
function countingAll(db: Database, trips: { all: number }): Database {
  return {
    ...db,
    transact: (work) =>
      db.transact(async (given) => {
        const counted = counting(postgresTx(given))
        const value = await work(counted.tx)
        trips.all += counted.trips()
        return value
      }),
  }
}

async function tripsOf(bench: Bench, work: (tx: PostgresTx) => Promise<unknown>): Promise<number> {
  return bench.db.transact(async (given) => {
    const { tx, trips } = counting(postgresTx(given))
    await work(tx)
    return trips()
  })
}

/** The most statements that are begun within one turn of the event loop. */
function countingTurns(tx: PostgresTx): { tx: PostgresTx; most(): number; all(): number } {
  let [most, all, now] = [0, 0, 0]
  const counted = new Proxy(tx, {
    get(target, name: keyof PostgresTx) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (now === 0) setImmediate(() => (now = 0))
        most = Math.max(most, ++now)
        all++
        return (value as (...given: unknown[]) => Promise<unknown>).apply(target, given)
      }
    },
  })
  return { tx: counted, most: () => most, all: () => all }
}

const range = (length: number) => Array.from({ length }, (_, at) => at)

function reportOf(bench: Bench, visit: Visit, links: number) {
  return part(bench, visit, 1, {
    pages: range(links).map((at) => page(`${visit.site}/page/${at}`)),
    found: range(links).map((at) => link(`${visit.site}/found/${at}`, `http://${visit.site}/`)),
    crossSite: range(links).map((at) => link(`${at}.abroad.test/${visit.site}`, `http://${visit.site}/`)),
    ended: 'slice',
  })
}

const postgres = await postgresForTests()

describe('round trips', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('of settling and admitting are as many for one part as for many', async () => {
    const bench = await openBench(() => postgres.make())
    const known = await tripsOf(bench, (tx) => bench.ledger.admit(tx, [link('0.test/')]))
    const many = range(64).map((at) => link(`${at}.test/`))
    assert.ok((await tripsOf(bench, (tx) => bench.ledger.admit(tx, many))) <= known + 1)
    assert.ok((await tripsOf(bench, (tx) => bench.ledger.admit(tx, many))) <= 3, 'what is known is only read')
    const visits: Visit[] = []
    while (visits.length < 64) visits.push(...(await bench.frontier.checkOut('w', 64)).visits)
    const one = await tripsOf(bench, (tx) => bench.ledger.applyParts(tx, [reportOf(bench, visits[0], 2)]))
    const reports = visits.slice(1).map((visit) => reportOf(bench, visit, 10))
    const all = await tripsOf(bench, (tx) => bench.ledger.applyParts(tx, reports))
    // Answers of a short trip may come before the last of the statements that belong to it is begun.
    assert.ok(Math.max(one, all) <= 9 && Math.abs(all - one) <= 1, `${all} for 63 parts, ${one} for one`)
  })

  it('of a check-out are three, the COMMIT with the last, for one site or for many, with addresses or without', async () => {
    const trips = { all: 0 }
    const bench = await openBench(async () => countingAll(await postgres.make(), trips))
    const tripsOfCheckOut = async (atMost: number) => {
      trips.all = 0
      const { visits } = await bench.frontier.checkOut('w', atMost)
      assert.equal(visits.length, atMost)
      return { trips: trips.all, visits }
    }
    await bench.admit(...range(2000).map((at) => link(`${at}.test/`, 'http://elsewhere.test/')))
    // The first looks around, for it knows nothing.
    await tripsOfCheckOut(1)
    assert.equal((await tripsOfCheckOut(1)).trips, 3)
    assert.equal((await tripsOfCheckOut(32)).trips, 3)
    await bench.db.transact((tx) => postgresTx(tx).run(`UPDATE site SET address = '192.0.2.' || key % 200`))
    const { trips: withAddresses, visits } = await tripsOfCheckOut(16)
    assert.equal(withAddresses, 3)
    assert.ok(visits.every(({ address }) => address !== undefined))
  })

  it('of links to all buckets hold the thread for no longer than one of them', async () => {
    const bench = await openBench(() => postgres.make())
    const links = range(400).map((at) => link(`${at}.test/`))
    await bench.admit(...links)
    // Caches are empty, and time passes with every look at the clock.
    let elapsed = 0
    const { ledger } = await bench.restart({ clock: { ...bench.clock, elapsed: () => ++elapsed } })
    await bench.db.transact(async (given) => {
      const { tx, most, all } = countingTurns(postgresTx(given))
      assert.equal((await ledger.admit(tx, links)).fresh, 0)
      assert.ok(all() > 150 && most() <= 2, `${most()} of ${all()} statements at once`)
    })
  })

  it('of stored parts are one or three', async () => {
    const bench = await openBench(() => postgres.make())
    await bench.admit(...range(20).map((at) => link(`${at}.test/`)))
    const { visits } = await bench.frontier.checkOut('w', 20)
    const parts = visits.map(({ id, fence }) => ({ visit: id, fence, last: false }))
    assert.equal(await tripsOf(bench, (tx) => bench.ledger.returning(tx, parts)), 1)
    const last = parts.map((one) => ({ ...one, last: true }))
    assert.equal(await tripsOf(bench, (tx) => bench.ledger.returning(tx, last)), 3)
  })
})
