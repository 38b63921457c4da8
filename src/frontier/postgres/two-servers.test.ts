/** Two servers and their workers on one database, all at once: what each promises alone they keep together. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  ADDRESS_PAUSE,
  type Bench,
  handClock,
  KEPT,
  LEASE,
  link,
  PAUSE,
  page,
  part,
  seedUrl,
} from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { type Random, seededRandom } from '../../base/random.ts'
import type { Link } from '../../contracts/report.ts'
import type { Visit } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import type { FrontierOptions, OpenFrontier } from '../contract.ts'
import { openFrontier } from '../open-frontier.ts'
import { klwf } from '../order.ts'
import { frontierQueries } from '../queries.ts'
import { recount } from './servers.test-tools.ts'

const SITES = 12
const ADDRESSES = 4
const WORKERS = 4

interface Server extends OpenFrontier {
  db: Database
}

/** The world of one test: servers on one database, under one clock. */
class World {
  readonly clock = handClock()
  readonly servers: Server[] = []
  readonly random: Random
  readonly out = new Map<string, string>()
  readonly given = new Set<string>()
  readonly holders = new Map<string, Map<string, number>>()
  readonly kept = new Map<string, number>()
  readonly known = new Set<string>()
  abandoned = 0

  constructor(seed: number) {
    this.random = seededRandom(seed)
  }

  async open(url: string, count: number, more: Partial<FrontierOptions> = {}): Promise<void> {
    for (let server = 0; server < count; server++) {
      const db = await openPostgres(url, { connections: 6 })
      const options: FrontierOptions = {
        clock: this.clock,
        order: klwf,
        urls: usualUrls,
        slice: { pages: 4, time: 600_000 },
        leaseMs: LEASE,
        addressPauseMs: ADDRESS_PAUSE,
        defaultPause: () => PAUSE,
        leasesOutlive: true,
        ...more,
      }
      this.servers.push({ ...openFrontier(db, options), db })
    }
    await Promise.all(this.servers.map((server) => server.recover(async () => {})))
  }

  /** Tells the tools of the contract what time it is. */
  get bench(): Bench {
    return { clock: this.clock } as Bench
  }

  some(below: number): number {
    return Math.floor(this.random.next() * below)
  }

  server(): Server {
    return this.servers[this.some(this.servers.length)]
  }

  links(via: string): Link[] {
    return Array.from({ length: this.some(5) }, () => {
      const text = `s${this.some(SITES)}.test/${this.some(6)}`
      this.known.add(`http://${text}`)
      return link(text, via)
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(({ db }) => db.close()))
  }
}

function addressOf(site: string): string {
  return `192.0.2.${Number(/\d+/.exec(site)?.[0]) % ADDRESSES}`
}

/** One check-out and all that comes of it. */
async function work(world: World, worker: string): Promise<number> {
  const { visits } = await world.server().frontier.checkOut(worker, 1 + world.some(4))
  for (const visit of visits) {
    assert.equal(world.out.get(visit.site), undefined, `${visit.site} is out twice`)
    assert.ok(!world.given.has(visit.id), `${visit.id} was given twice`)
    world.out.set(visit.site, visit.id)
    world.given.add(visit.id)
  }
  await Promise.all(visits.map((visit) => pay(world, worker, visit)))
  return visits.length
}

async function pay(world: World, worker: string, visit: Visit): Promise<void> {
  const address = addressOf(visit.site)
  const at = await world.server().frontier.enter(worker, visit.id, address)
  const counts = world.holders.get(address) ?? new Map<string, number>()
  world.holders.set(address, counts)
  if (at === 'here') {
    for (const [other, count] of counts)
      assert.ok(other === worker || count === 0, `${address} is ${other}'s and ${worker}'s`)
    counts.set(worker, (counts.get(worker) ?? 0) + 1)
  }
  const { lost } = await world.server().frontier.renew(worker, [visit.id])
  assert.deepEqual(lost, [])
  if (world.some(10) === 0) {
    // Its worker is never heard of again.
    world.abandoned++
    world.out.delete(visit.site)
    if (at === 'here') counts.set(worker, counts.get(worker)! - 1)
    return
  }
  const via = `http://${visit.site}/`
  const pages = at === 'here' ? visit.agenda.map(({ url, depth }) => page(url, KEPT, { depth })) : []
  const parts = [
    part(world.bench, visit, 1, { pages, crossSite: world.links(via), found: [] }),
    part(world.bench, visit, 2, { crossSite: world.links(via), ended: at === 'here' ? 'slice' : 'elsewhere' }),
  ]
  // What follows ends the lease at a moment that only the database knows.
  world.out.delete(visit.site)
  if (at === 'here') counts.set(worker, counts.get(worker)! - 1)
  const { db, ledger } = world.server()
  await db.transact((tx) => ledger.returning(tx, [parts[1]]))
  const together = world.some(2) === 0
  if (together) assert.deepEqual(await db.transact((tx) => ledger.applyParts(tx, parts)), ['applied', 'applied'])
  else for (const one of parts) assert.deepEqual(await db.transact((tx) => ledger.applyParts(tx, [one])), ['applied'])
  assert.deepEqual(await world.server().db.transact((tx) => world.server().ledger.applyParts(tx, parts)), [
    'again',
    'again',
  ])
  for (const { url } of pages) world.kept.set(url, (world.kept.get(url) ?? 0) + 1)
}

const postgres = await postgresForTests()

describe('two servers', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('never give a site twice, nor an address to two workers, and every URL is visited once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        const world = new World(seed)
        await world.open(await postgres.newDatabase(true), 2)
        const seeds = Array.from({ length: 3 }, (_, at) => `http://s${at}.test/0`)
        for (const url of seeds) world.known.add(url)
        await Promise.all(
          world.servers.map(({ db, ledger }) => db.transact((tx) => ledger.seed(tx, seeds.map(seedUrl)))),
        )
        for (let idle = 0; idle < 4; ) {
          const given = await Promise.all(Array.from({ length: WORKERS }, (_, nth) => work(world, `w${nth}`)))
          await Promise.all(
            world.servers.map(({ db, ledger }) => db.transact((tx) => ledger.reap(tx, world.clock.now()))),
          )
          idle = given.every((count) => count === 0) ? idle + 1 : 0
          world.clock.pass(idle > 0 || world.some(3) === 0 ? LEASE : PAUSE)
        }
        await recount(world.servers[0])
        assert.equal(world.out.size, 0)
        const { known, waiting } = await world.servers[1].db.read(async (tx) => (await frontierQueries.totals(tx)).urls)
        assert.deepEqual({ known, waiting }, { known: world.known.size, waiting: 0 })
        assert.deepEqual(new Set(world.kept.keys()), world.known)
        for (const [url, times] of world.kept) assert.equal(times, 1, url)
        await world.close()
      }),
      { numRuns: 6 },
    )
  })

  it('admit the same links at the same time, each once', async () => {
    const world = new World(1)
    await world.open(await postgres.newDatabase(true), 2)
    const links = Array.from({ length: 60 }, (_, at) => link(`s${at % 20}.test/${at}`, 'http://elsewhere.test/'))
    const admitted = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => {
        const { db, ledger } = world.servers[nth % 2]
        const mine = nth < 4 ? links : links.toReversed()
        return db.transact((tx) => ledger.admit(tx, mine))
      }),
    )
    assert.equal(
      admitted.reduce((sum, { fresh }) => sum + fresh, 0),
      60,
    )
    assert.equal(
      admitted.reduce((sum, { sites }) => sum + sites, 0),
      20,
    )
    await recount(world.servers[0])
    await world.close()
  })

  it('together hand out no more than the budget', async () => {
    const world = new World(2)
    await world.open(await postgres.newDatabase(true), 2, { budget: { left: () => 30 } })
    const { db, ledger } = world.servers[0]
    const links = Array.from({ length: 200 }, (_, at) => link(`s${at % 40}.test/${at}`, ''))
    await db.transact((tx) => ledger.admit(tx, links))
    world.clock.pass(1000)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => world.servers[nth % 2].frontier.checkOut(`w${nth}`, 3)),
    )
    const pages = answers.flatMap(({ visits }) => visits.map(({ limits }) => limits.pages))
    assert.equal(
      pages.reduce((sum, some) => sum + some, 0),
      30,
    )
    await recount(world.servers[0])
    await world.close()
  })

  it('see within a second what the other did', async () => {
    const world = new World(3)
    await world.open(await postgres.newDatabase(true), 2)
    const [one, other] = world.servers
    assert.equal((await one.frontier.checkOut('w1', 1)).next, 'over')
    await other.db.transact((tx) => other.ledger.seed(tx, [seedUrl('a.test/')]))
    const { visits, next } = await one.frontier.checkOut('w1', 1)
    assert.deepEqual(visits, [])
    assert.ok(next !== 'over' && next <= 1000)
    world.clock.pass(1000)
    assert.equal((await one.frontier.checkOut('w1', 1)).visits.length, 1)
    await world.close()
  })

  it('that begin while visits are out lose none of them', async () => {
    const world = new World(4)
    const url = await postgres.newDatabase(true)
    await world.open(url, 1)
    const [first] = world.servers
    await first.db.transact((tx) => first.ledger.seed(tx, [seedUrl('a.test/')]))
    const { visits } = await first.frontier.checkOut('w1', 1)
    await world.open(url, 1)
    const second = world.servers[1]
    assert.deepEqual((await second.frontier.renew('w1', [visits[0].id])).lost, [])
    const last = part(world.bench, visits[0], 1, { ended: 'done' })
    assert.deepEqual(await second.db.transact((tx) => second.ledger.applyParts(tx, [last])), ['applied'])
    await world.close()
  })

  it('keep one time, though the clocks of their machines run apart', async () => {
    const world = new World(5)
    const url = await postgres.newDatabase(true)
    await world.open(url, 1)
    await world.open(url, 1, { clock: { ...world.clock, elapsed: () => 2 * world.clock.elapsed() } })
    const [one, fast] = world.servers
    await one.db.transact((tx) => one.ledger.seed(tx, [seedUrl('a.test/'), seedUrl('b.test/')]))
    const { visits } = await one.frontier.checkOut('w1', 2)
    world.clock.pass(LEASE - 1)
    assert.deepEqual(await fast.db.transact((tx) => fast.ledger.reap(tx)), [])
    const last = part(world.bench, visits[0], 1, { found: [link(`${visits[0].site}/2`)], ended: 'slice' })
    await one.db.transact((tx) => one.ledger.applyParts(tx, [last]))
    world.clock.pass(PAUSE - 1)
    assert.deepEqual((await fast.frontier.checkOut('w2', 1)).visits, [])
    world.clock.pass(1000)
    assert.equal((await fast.frontier.checkOut('w2', 1)).visits.length, 1)
    await world.close()
  })

  it('never shorten a lease: what a server wanted to renew before it stood still is late when it goes on', async () => {
    const world = new World(6)
    const url = await postgres.newDatabase(true)
    await world.open(url, 1)
    const stoodStill = LEASE / 2
    await world.open(url, 1, { clock: { ...world.clock, now: () => world.clock.now() - stoodStill } })
    const [one, late] = world.servers
    await one.db.transact((tx) => one.ledger.seed(tx, [seedUrl('a.test/')]))
    const { visits } = await one.frontier.checkOut('w1', 1)
    world.clock.pass(stoodStill)
    const ids = visits.map(({ id }) => id)
    assert.deepEqual((await one.frontier.renew('w1', ids)).lost, [])
    assert.deepEqual((await late.frontier.renew('w1', ids)).lost, [])
    world.clock.pass(LEASE - 1)
    assert.deepEqual(await one.db.transact((tx) => one.ledger.reap(tx)), [])
    await world.close()
  })
})
