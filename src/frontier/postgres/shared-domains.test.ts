/** Floods of sites met by several servers at once: the counts are exact, and the bounds are those of one. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Bench, link, PAUSE, whole } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Link } from '../../contracts/report.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { frontierQueries } from '../queries.ts'
import { UNENDORSED_ALLOWED } from '../rules/domain-rows.ts'
import { openServers } from './servers.test-tools.ts'

const postgres = await postgresForTests()

const CROSS_SITE = 'http://abroad.test/'
/** `s7.farm.test/`, found on the page `via`. */
const farm = (number: number, via = 'http://s0.farm.test/') => link(`s${number}.farm.test/`, via)
const range = (from: number, to: number, via?: string): Link[] =>
  Array.from({ length: to - from }, (_, index) => farm(from + index, via))
const WILD = { learnt: { wildcard: { domain: 'farm.test', addresses: [] } } }
const viewDomain = async (bench: Bench) =>
  (await bench.db.read((tx) => frontierQueries.domain(tx, 'farm.test'))) ?? assert.fail('no domain')
const reap = (bench: Bench) => bench.db.transact((tx) => bench.ledger.reap(tx))

const COUNT = `
  SELECT (SELECT count(*) FROM site WHERE name LIKE '%.farm.test') AS sites,
    (SELECT count(*) FROM unendorsed_site) AS unendorsed,
    (SELECT count(*) FROM unendorsed_site WHERE hold_state = 1) AS held,
    (SELECT count(*) FROM site WHERE state = 'held') AS states`

/** What the domain's row says is so. */
async function check(bench: Bench): Promise<void> {
  const [told, counted] = await bench.db.read((tx) =>
    Promise.all([
      frontierQueries.domain(tx, 'farm.test'),
      postgresTx(tx).get<{ sites: number; unendorsed: number; held: number; states: number }>(COUNT),
    ]),
  )
  const { sites = 0, endorsed = 0, held = 0 } = told ?? {}
  assert.deepEqual({ sites, unendorsed: sites - endorsed, held, states: held }, counted)
}

/** One site is vouched for, visited, and known to be in a domain in which any name resolves. */
async function openFarm(bench: Bench): Promise<void> {
  await bench.admit(farm(0, CROSS_SITE))
  await bench.applyParts(whole(bench, await bench.one(), WILD))
}

/** Whatever may be visited is, by all servers in turn. Says what was. */
async function drain(servers: readonly Bench[]): Promise<string[]> {
  const visited: string[] = []
  for (let idle = 0; idle < 2; ) {
    for (const { clock } of servers) clock.pass(PAUSE)
    const before = visited.length
    for (const [at, bench] of servers.entries())
      for (const visit of (await bench.frontier.checkOut(`w${at}`, 64)).visits) {
        visited.push(visit.site)
        await bench.applyParts(whole(bench, visit))
      }
    idle = visited.length === before ? idle + 1 : 0
  }
  return visited
}

if ('skipped' in postgres) describe('domains on several servers', { skip: postgres.skipped }, () => {})
else {
  after(() => postgres.end())

  describe('domains on several servers', () => {
    it('count a site once that all meet at the same time', async () => {
      const { servers, end } = await openServers(postgres, 3)
      const entering = servers.flatMap((bench) => [
        bench.admit(...range(0, 40, CROSS_SITE)),
        bench.admit(...range(20, 60, CROSS_SITE)),
      ])
      const fresh = await Promise.all(entering)
      assert.equal(
        fresh.reduce((sum, each) => sum + each),
        60,
      )
      await check(servers[0])
      assert.equal((await viewDomain(servers[0])).sites, 60)
      await end()
    })

    it('with a wildcard admit as many unendorsed sites as one server would', async () => {
      const { servers, end } = await openServers(postgres, 3)
      await openFarm(servers[0])
      await Promise.all(
        servers.flatMap((bench, at) => [
          bench.admit(...range(1 + 20 * at, 21 + 20 * at)),
          bench.admit(...range(50, 90)),
          bench.admit(farm(100 + at, CROSS_SITE)),
        ]),
      )
      for (const bench of servers) await reap(bench)
      await check(servers[0])
      const { held, allowed, sites, endorsed } = await viewDomain(servers[1])
      assert.deepEqual([endorsed, sites - endorsed - held], [4, allowed])
      assert.equal(allowed, UNENDORSED_ALLOWED + 4)
      const visited = await drain(servers)
      assert.equal(new Set(visited).size, visited.length)
      assert.equal(visited.length, 3 + allowed)
      await end()
    })

    it('that turn out to have a wildcard while others enter sites are bounded soon', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      await one.admit(farm(0, CROSS_SITE))
      const visit = await one.one()
      await Promise.all([
        one.applyParts(whole(one, visit, WILD)),
        ...Array.from({ length: 6 }, (_, at) => servers[at % 2].admit(...range(1 + 15 * at, 16 + 15 * at))),
      ])
      for (const bench of [one, two, one, two]) await reap(bench)
      await check(one)
      const { held, allowed, sites, endorsed } = await viewDomain(one)
      assert.deepEqual([sites, sites - endorsed - held], [91, allowed])
      await end()
    })

    it('release an unendorsed site once when two sites endorse it at the same time', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      await openFarm(one)
      await one.admit(...range(1, 60))
      const before = await viewDomain(one)
      await Promise.all([
        one.admit(...range(30, 50, CROSS_SITE)),
        two.admit(...range(30, 50, 'http://far.test/')),
        two.admit(...range(40, 45, CROSS_SITE)),
      ])
      await check(one)
      assert.equal((await viewDomain(one)).endorsed, before.endorsed + 20)
      for (let round = 0; round < 2; round++) await reap(two)
      await check(two)
      assert.equal((await viewDomain(two)).held, 0)
      await end()
    })

    it('agree with their counts in random lives, and every site that is not held is visited once', async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ do: fc.constant('links' as const), from: fc.nat(60), count: fc.nat(20) }) },
        {
          weight: 2,
          arbitrary: fc.record({ do: fc.constant('linkingSites' as const), from: fc.nat(60), count: fc.nat(4) }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('seed' as const), from: fc.nat(60) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('reap' as const) }) },
        { weight: 2, arbitrary: fc.record({ do: fc.constant('visit' as const), wild: fc.boolean() }) },
      )
      const visited: string[] = []
      const run = async (bench: Bench, given: typeof step extends fc.Arbitrary<infer Step> ? Step : never) => {
        switch (given.do) {
          case 'links':
            return bench.admit(...range(given.from, given.from + given.count))
          case 'linkingSites':
            return bench.admit(...range(given.from, given.from + given.count, CROSS_SITE))
          case 'seed':
            return bench.seed(`s${given.from}.farm.test/`)
          case 'reap':
            return reap(bench)
          case 'visit':
            for (const visit of (await bench.frontier.checkOut('w', 2)).visits) {
              visited.push(visit.site)
              await bench.applyParts(whole(bench, visit, given.wild ? WILD : {}))
            }
        }
      }
      const rounds = fc.array(fc.array(step, { minLength: 3, maxLength: 6 }), { minLength: 2, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const { servers, end } = await openServers(postgres, 3)
          visited.length = 0
          await openFarm(servers[0])
          for (const round of all) {
            await Promise.all(round.map((given, at) => run(servers[at % 3], given)))
            await check(servers[0])
          }
          for (let again = 0; again < 3; again++) for (const bench of servers) await reap(bench)
          await check(servers[0])
          visited.push(...(await drain(servers)))
          await check(servers[0])
          const { sites, held } = await viewDomain(servers[0])
          assert.equal(new Set(visited).size, visited.length, 'a site is visited twice')
          // The first was visited before.
          assert.equal(visited.length, sites - 1 - held)
          await end()
        }),
        { numRuns: 6 },
      )
    })
  })
}
