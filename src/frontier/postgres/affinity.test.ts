/** Workers of several processes and regions poll servers over one database, in a time moved by hand. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Bench, KEPT, link, PAUSE, page, part } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { type PostgresForTests, postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Instant } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { Visit } from '../../contracts/visit.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { KnownWorkers, Post } from '../contract.ts'
import { klwf, roundRobin } from '../order.ts'
import { openServers, recount } from './servers.test-tools.ts'

const WINDOW = 1000
const TICK = 100
const VISIT = 200
const SITES = 48
/** A look at all buckets, and one turn of all who ask. */
const SEEN_WITHIN = 1000 + TICK

interface Given {
  site: string
  process: string
  at: Instant
  /** How long it could have been given before; undefined for the first time. */
  waited: number | undefined
}

class Polling {
  readonly given: Given[] = []
  /** Those that have stopped asking, though nobody knows it yet. */
  readonly silent = new Set<string>()
  readonly #servers: readonly Bench[]
  readonly #workers: { posts: readonly Post[] }
  readonly #connectMs: (site: string, post: Post) => number
  readonly #random = seededRandom(5)
  readonly #asksAt = new Map<string, Instant>()
  readonly #freeAt = new Map<string, Instant>()
  readonly #visitsAtOnce: number
  #out: { visit: Visit; post: Post; endsAt: Instant }[] = []
  /** How much longer than the one that was given another had waited, at most. */
  mostPassedOver = 0

  constructor(
    servers: readonly Bench[],
    workers: { posts: readonly Post[] },
    connectMs = (_site: string, _post: Post) => 1,
    visitsAtOnce = 32,
  ) {
    this.#servers = servers
    this.#workers = workers
    this.#connectMs = connectMs
    this.#visitsAtOnce = visitsAtOnce
  }

  get now(): Instant {
    return this.#servers[0].clock.now()
  }

  async run(ms: number): Promise<void> {
    for (const until = this.now + ms; this.now < until; ) {
      for (const { clock } of this.#servers) clock.pass(TICK)
      await this.#endVisits()
      // Threads of a process ask in turn.
      const asking = this.#workers.posts.map((post, nth) => ({ post, nth, turn: this.#random.next() }))
      for (const { post, nth } of asking.sort((a, b) => a.turn - b.turn))
        if (!this.silent.has(post.process)) await this.#ask(nth, post, `${post.process}.${(this.now / TICK) % 2}`)
    }
  }

  async #ask(nth: number, post: Post, worker: string): Promise<void> {
    if ((this.#asksAt.get(post.process) ?? 0) > this.now) return
    const { frontier } = this.#servers[nth % this.#servers.length]
    const mayHave = this.#visitsAtOnce - this.#out.filter(({ post: { process } }) => process === post.process).length
    if (mayHave === 0) return
    const { visits, next } = await frontier.checkOut(worker, mayHave)
    assert.ok(next !== 'over')
    this.#asksAt.set(post.process, this.now + (visits.length > 0 ? 0 : Math.min(next, 1000)))
    for (const visit of visits) {
      const freeAt = this.#freeAt.get(visit.site)
      assert.ok(freeAt === undefined || freeAt <= this.now + visit.wait, 'courtesy is as ever')
      const waited = freeAt === undefined ? undefined : this.now - freeAt
      const longest = this.now - Math.min(...this.#freeAt.values())
      if (waited !== undefined) this.mostPassedOver = Math.max(this.mostPassedOver, longest - waited)
      this.given.push({ site: visit.site, process: post.process, at: this.now, waited })
      this.#freeAt.set(visit.site, Number.POSITIVE_INFINITY)
      this.#out.push({ visit, post, endsAt: this.now + VISIT * (0.5 + this.#random.next()) })
    }
  }

  /** At whichever server; idle workers hear of it, as by the bell of the server. */
  async #endVisits(): Promise<void> {
    const ended = this.#out.filter(({ endsAt }) => endsAt <= this.now)
    this.#out = this.#out.filter(({ endsAt }) => endsAt > this.now)
    if (ended.length === 0) return
    const server = this.#servers[(this.now / TICK) % this.#servers.length]
    const parts = ended.map(({ visit, post }) => {
      const made = part(server, visit, 1, {
        pages: visit.agenda.map(({ url, depth }) => page(url, KEPT, { depth })),
        ended: 'slice',
      })
      return { ...made, courtesy: { ...made.courtesy, connectMs: this.#connectMs(visit.site, post) } }
    })
    for (const result of await server.applyParts(...parts)) assert.equal(result, 'applied')
    for (const { visit } of ended) this.#freeAt.set(visit.site, this.now + PAUSE)
    this.#asksAt.clear()
  }

  /** Of visits after the first of their sites, from some time on: the share for which something holds. */
  share(from: Instant, holds: (given: Given, before: Given) => boolean): number {
    const last = new Map<string, Given>()
    let all = 0
    let held = 0
    for (const given of this.given) {
      const before = last.get(given.site)
      last.set(given.site, given)
      if (before === undefined || given.at < from) continue
      all++
      if (holds(given, before)) held++
    }
    assert.ok(all > SITES, `only ${all} visits`)
    return held / all
  }

  get longestWait(): number {
    return Math.max(...this.given.map(({ waited = 0 }) => waited))
  }
}

const isSame = (given: Given, before: Given) => given.process === before.process

const sites = Array.from({ length: SITES }, (_, at) => `s${at}.test`)

/** Two classes of latency: half of the sites are near each region. */
const REGIONS: readonly Post[] = [
  { process: 'w1', region: 'eu' },
  { process: 'w2', region: 'eu' },
  { process: 'w3', region: 'us' },
  { process: 'w4', region: 'us' },
]
const homeOf = (site: string) => (Number(/\d+/.exec(site)) % 2 === 0 ? 'eu' : 'us')
const connectMsFrom = (site: string, { region }: Post) => (region === homeOf(site) ? 20 : 140)
const isNear = ({ site, process }: Given) => REGIONS.find((post) => post.process === process)?.region === homeOf(site)

async function open(postgres: PostgresForTests, count: number, posts: readonly Post[], order = klwf) {
  const workers: KnownWorkers & { posts: readonly Post[] } = {
    posts,
    present: () => workers.posts,
    postOf: (worker) => workers.posts.find(({ process }) => process === worker.split('.')[0]),
  }
  const { servers, end } = await openServers(postgres, count, {
    slice: { pages: 1, time: 60_000 },
    affinity: { workers, windowMs: WINDOW },
    order,
  })
  await servers[0].admit(...sites.flatMap((site) => Array.from({ length: 40 }, (_, at) => link(`${site}/${at}`))))
  return { workers, servers, end }
}

const postgres = await postgresForTests()

describe('affinity on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('a site comes back to the worker that had it, and a newcomer gets its share of them', async () => {
    const four = ['w1', 'w2', 'w3', 'w4'].map((process): Post => ({ process, region: 'here' }))
    const { workers, servers, end } = await open(postgres, 1, four)
    const polling = new Polling(servers, workers)
    await polling.run(12_000)
    // The first time anybody has them.
    const same = polling.share(polling.now - 6000, isSame)
    assert.ok(same >= 0.95, `${same} came back`)
    assert.ok(polling.longestWait <= TICK, `${polling.longestWait} ms: nobody waits while all ask`)
    const moved = polling.now
    const were = new Map(polling.given.map(({ site, process }) => [site, process]))
    workers.posts = [...four, { process: 'w5', region: 'here' }]
    await polling.run(6000)
    const are = new Map(polling.given.filter(({ at }) => at > moved).map(({ site, process }) => [site, process]))
    const others = sites.filter((site) => were.get(site) !== are.get(site))
    assert.ok(others.every((site) => are.get(site) === 'w5'))
    assert.ok(others.length > 0 && others.length <= SITES * 0.4, `${others.length} of ${SITES} moved`)
    await recount(servers[0])
    await end()
  })

  it('over two servers most come back', async () => {
    const four = ['w1', 'w2', 'w3', 'w4'].map((process): Post => ({ process, region: 'here' }))
    const { workers, servers, end } = await open(postgres, 2, four)
    const polling = new Polling(servers, workers)
    await polling.run(12_000)
    const same = polling.share(polling.now - 6000, isSame)
    assert.ok(same >= 0.8, `${same} came back`)
    // What another server did is seen after a second.
    assert.ok(polling.longestWait <= WINDOW + 1000 + TICK, `${polling.longestWait} ms`)
    await recount(servers[0])
    await end()
  })

  it('no site waits longer than the window for a worker that does not ask', async () => {
    const three = ['w1', 'w2', 'w3'].map((process): Post => ({ process, region: 'here' }))
    const { workers, servers, end } = await open(postgres, 1, three)
    const polling = new Polling(servers, workers)
    await polling.run(8000)
    polling.silent.add('w2')
    const since = polling.now
    await polling.run(8000)
    const mine = polling.given.filter(({ at, waited }) => at > since + 1000 && waited! >= WINDOW)
    assert.ok(mine.length > 0, 'some were kept for it')
    assert.ok(polling.longestWait <= WINDOW + TICK, `${polling.longestWait} ms`)
    await end()
  })

  it('sites go to the worker near them: of two classes of latency, at least four of five visits', async () => {
    const { workers, servers, end } = await open(postgres, 1, REGIONS)
    const polling = new Polling(servers, workers, connectMsFrom)
    await polling.run(25_000)
    const share = polling.given.filter(isNear).length / polling.given.length
    assert.ok(share >= 0.8, `${share} near, of ${polling.given.length} visits`)
    assert.ok(polling.longestWait <= WINDOW + TICK, `${polling.longestWait} ms`)
    const known = await servers[0].db.read((tx) =>
      postgresTx(tx).all<{ name: string; near_region: string }>('SELECT name, near_region FROM site'),
    )
    for (const { name, near_region } of known) assert.equal(near_region, homeOf(name), name)
    await end()
  })

  it('so they do when all are overdue: where more is due than workers can take', async () => {
    // By age: in another order some may wait because of it.
    const two = REGIONS.filter(({ process }) => process === 'w1' || process === 'w3')
    const { workers, servers, end } = await open(postgres, 1, two, roundRobin)
    const polling = new Polling(servers, workers, connectMsFrom, 1)
    await polling.run(16_000)
    polling.mostPassedOver = 0
    const since = polling.now
    await polling.run(14_000)
    assert.ok(polling.longestWait > 2 * WINDOW, `${polling.longestWait} ms: there is too little to do`)
    const later = polling.given.filter(({ at }) => at > since)
    const share = later.filter(isNear).length / later.length
    assert.ok(share >= 0.8, `${share} near, of ${later.length} visits`)
    assert.ok(polling.mostPassedOver <= WINDOW + SEEN_WITHIN, `${polling.mostPassedOver} ms`)
    // Whoever is near none of them takes them all the same, when nobody else does.
    polling.silent.add('w3')
    const silentSince = polling.now
    await polling.run(24_000)
    const visited = new Set(polling.given.filter(({ at }) => at > silentSince).map(({ site }) => site))
    assert.equal(visited.size, SITES, 'nobody is left out')
    await end()
  })
})
