/** Floods of sites: which come later, which are held, and what releases them. `sqlite/contracts.test.ts` runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signed64 } from '../../../src/base/digest.ts'
import type { Link, VisitReport } from '../../../src/contracts/report.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import { bucketOf } from '../../../src/database/bucket.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { UNENDORSED_ALLOWED } from '../../../src/frontier/rules/domain-rows.ts'
import { NOT_DEFERRED } from '../../../src/frontier/rules/site.ts'
import { siteKey } from '../../../src/web/url/web-url.ts'
import {
  type Bench,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
  START,
  seedUrl,
  whole,
} from './tools.contract.ts'

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const viewDomain = (bench: Bench, name = 'farm.test') => bench.db.read((tx) => frontierQueries.domain(tx, name))
const totals = (bench: Bench) => bench.db.read((tx) => frontierQueries.totals(tx))
const stateOf = async (bench: Bench, name: string) => (await view(bench, name))?.state
const reap = (bench: Bench) => bench.db.transact((tx) => bench.ledger.reap(tx))

/** `s7.farm.test/`, found on the page `via`. */
const farm = (number: number, via = 'http://s0.farm.test/') => link(`s${number}.farm.test/`, via)
const range = (from: number, to: number, via?: string): Link[] =>
  Array.from({ length: to - from }, (_, index) => farm(from + index, via))
/** Sites of a domain, all of one bucket: orders hold within a bucket. */
function ofOneBucket(domain: string, count: number): string[] {
  const names: string[] = []
  for (let number = 0; names.length < count; number++) {
    const name = `s${number}.${domain}`
    if (bucketOf('postgres', signed64(siteKey(name))) === 7) names.push(name)
  }
  return names
}
const WILD = { learnt: { wildcard: { domain: 'farm.test', addresses: ['192.0.2.7'] } } }

/** One site is vouched for, visited, and known to be in a domain in which any name resolves. */
async function openFarm(make: MakeDatabase, more: Partial<VisitReport> = {}): Promise<Bench> {
  const bench = await openBench(make)
  await bench.admit(farm(0, 'http://abroad.test/'))
  await bench.applyParts(whole(bench, await bench.one(), { ...WILD, ...more }))
  return bench
}

/** As time goes by, every site that may be visited is. */
async function drain(bench: Bench, report: (visit: Visit) => Partial<VisitReport> = () => ({})): Promise<string[]> {
  const visited: string[] = []
  for (;;) {
    const { visits, next } = await bench.frontier.checkOut('w1', 64)
    for (const visit of visits) {
      visited.push(visit.site)
      await bench.applyParts(whole(bench, visit, report(visit)))
    }
    if (next === 'over') return visited
    bench.clock.pass(Math.max(1, next))
  }
}

export function domainsContract(make: MakeDatabase): void {
  describe('deferral', () => {
    it('put the sites of a domain behind others, the later the more there are; seeds never', async () => {
      const bench = await openBench(make)
      const deferral = ofOneBucket('farm.test', 4 * NOT_DEFERRED)
      for (const name of deferral) await bench.admit(link(`${name}/`, 'http://abroad.test/'))
      await bench.seed('seed.farm.test/')
      const deferrals = await Promise.all(
        [0, 99, 100, 198, 199, 399].map(async (at) => (await view(bench, deferral[at]))?.deferral),
      )
      assert.deepEqual(deferrals, [0, 0, 1, 1, 2, 3])
      assert.equal((await view(bench, 'seed.farm.test'))?.deferral, 0)
      bench.clock.pass(1)
      const [late] = ofOneBucket('late.test', 1)
      await bench.admit(link(`${late}/`))
      const names: string[] = []
      for (let given = 1; given > 0; ) {
        const some = await bench.names('w1', 64)
        given = some.length
        names.push(...some)
      }
      assert.equal(names.length, 4 * NOT_DEFERRED + 2, 'and none is dropped')
      assert.ok(names.indexOf(late) <= NOT_DEFERRED + 1)
      assert.ok(names.indexOf(deferral[399]) > names.indexOf(deferral[198]))
    })

    it('end for a site that the operator names', async () => {
      const bench = await openBench(make)
      await bench.admit(...range(0, 2 * NOT_DEFERRED, 'http://abroad.test/'))
      const deferred: string[] = []
      for (let number = 0; number < 2 * NOT_DEFERRED; number++)
        if ((await view(bench, `s${number}.farm.test`))!.deferral > 0) deferred.push(`s${number}.farm.test`)
      assert.equal(deferred.length, NOT_DEFERRED)
      await bench.seed(`${deferred[0]}/`)
      assert.equal((await view(bench, deferred[0]))?.deferral, 0)
      assert.ok((await bench.names('w1', 64)).length === 64)
    })

    it('gather at an address, once it is known; a site that moves leaves the old one', async () => {
      const bench = await openBench(make)
      const courtesy = (visit: Visit, address: string) => ({
        courtesy: { pause: visit.pause, notBefore: bench.clock.now() + visit.pause, address },
      })
      for (let number = 0; number <= NOT_DEFERRED + 1; number++) await bench.admit(link(`host${number}.test/`))
      for (const visit of (await bench.frontier.checkOut('w1', 64)).visits)
        await bench.applyParts(whole(bench, visit, courtesy(visit, '192.0.2.1')))
      const rest = (await bench.frontier.checkOut('w1', 64)).visits
      const [last, ...others] = rest
      for (const visit of others) {
        assert.equal(await bench.frontier.enter('w1', visit.id, '192.0.2.1'), 'here')
        await bench.applyParts(whole(bench, visit, courtesy(visit, '192.0.2.1')))
      }
      const deferrals = await Promise.all(rest.map(async ({ site }) => (await view(bench, site))?.deferral))
      assert.deepEqual(
        deferrals.filter((deferral) => deferral === 1),
        [1],
        'the 101st, and each is counted once',
      )
      const found = [link(`${last.site}/2`)]
      await bench.applyParts(part(bench, last, 1, { ...courtesy(last, '192.0.2.1'), found, ended: 'slice' }))
      assert.equal((await view(bench, last.site))?.deferral, 1)
    })
  })

  describe('unendorsed', () => {
    it('are held beyond the bound, with their URLs, and do not keep the crawl from being over', async () => {
      const bench = await openFarm(make)
      await bench.admit(...range(1, 101))
      await bench.admit(link('s99.farm.test/more', 'http://s0.farm.test/'))
      const allowed = UNENDORSED_ALLOWED + 1
      assert.deepEqual(await viewDomain(bench), {
        name: 'farm.test',
        sites: 101,
        endorsed: 1,
        held: 100 - allowed,
        wildcard: true,
        addresses: ['192.0.2.7'],
        probedAt: START,
        allowed,
      })
      assert.equal((await totals(bench)).sites.held, 100 - allowed)
      assert.equal(await bench.db.read((tx) => frontierQueries.heldDomains(tx)), 1)
      const visited = await drain(bench)
      assert.equal(visited.length, allowed)
      const { urls } = await totals(bench)
      assert.deepEqual(
        [urls.waiting, urls.known - urls.marked],
        [0, 100 - allowed + Number(!visited.includes('s99.farm.test'))],
      )
    })

    it('of a farm that makes up new ones on each page are few', async () => {
      const bench = await openFarm(make, { crossSite: range(1, 33) })
      let made = 33
      const visited = await drain(bench, ({ site }) => {
        made += 32
        return { crossSite: range(made - 32, made, `http://${site}/`) }
      })
      assert.equal(visited.length, UNENDORSED_ALLOWED + 1)
      assert.ok((await totals(bench)).sites.held > 500)
    })

    it('of a farm that endorses itself as often as it likes are as few', async () => {
      const bench = await openFarm(make, { crossSite: range(1, 200) })
      const visited = await drain(bench, ({ site }) => ({ crossSite: range(1, 200, `http://${site}/`) }))
      // Those that two vouched sites name would count, but only one is.
      assert.equal(visited.length, UNENDORSED_ALLOWED + 1)
    })

    it('of farms that endorse each other are as few, as long as each is known to have a wildcard', async () => {
      const bench = await openFarm(make)
      await bench.admit(link('s0.other.test/', 'http://abroad.test/'))
      const wildcard = { domain: 'other.test', addresses: [] }
      await bench.applyParts(whole(bench, await bench.one(), { learnt: { wildcard } }))
      let made = 1
      const visited = await drain(bench, ({ site }) => {
        const others = range(made, made + 16, `http://${site}/`)
        made += 16
        return { crossSite: others.flatMap((one) => [one, { ...link(one.url.replace('farm', 'other'), one.via) }]) }
      })
      assert.ok(visited.length <= 2 * (UNENDORSED_ALLOWED + 2), `${visited.length}`)
    })

    it('are none where the web knows them: a coordinator of good sites loses nothing', async () => {
      const bench = await openFarm(make)
      for (let number = 1; number < 300; number++)
        await bench.admit(farm(number, number % 2 === 0 ? 'http://abroad.test/' : 'http://s0.farm.test/'))
      assert.deepEqual([(await viewDomain(bench))?.endorsed, (await viewDomain(bench))?.held], [150, 0])
      assert.equal((await drain(bench)).length, 299)
    })

    it('are not bounded in a domain without a wildcard', async () => {
      const bench = await openBench(make)
      await bench.admit(farm(0, 'http://abroad.test/'), ...range(1, 300))
      assert.equal((await drain(bench)).length, 300)
    })

    it('are never the domain itself or its www', async () => {
      const bench = await openFarm(make)
      await bench.admit(...range(1, 101))
      await bench.admit(link('www.farm.test/', 'http://s1.farm.test/'), link('farm.test/', 'http://s1.farm.test/'))
      assert.equal(await stateOf(bench, 'www.farm.test'), 'free')
      assert.equal(await stateOf(bench, 'farm.test'), 'free')
    })
  })

  describe('a held site', () => {
    const HELD = 's200.farm.test'
    const openHeld = async () => {
      const bench = await openFarm(make)
      for (let number = 1; number <= UNENDORSED_ALLOWED + 1; number++) await bench.admit(farm(number))
      await bench.admit(farm(200), farm(201))
      assert.equal(await stateOf(bench, HELD), 'held')
      assert.deepEqual((await view(bench, HELD))?.unendorsedSite, { referrer: 's0.farm.test' })
      return bench
    }
    const isFree = async (bench: Bench) => (await stateOf(bench, HELD)) === 'free'

    it('is released by a link from another domain, also to a URL that is known', async () => {
      const bench = await openHeld()
      await bench.admit(farm(200))
      assert.equal(await isFree(bench), false, 'the same site again')
      await bench.admit(farm(200, 'http://abroad.test/'))
      assert.equal(await isFree(bench), true)
      assert.equal((await view(bench, HELD))?.unendorsedSite, undefined)
    })

    it('is released by a second endorsed site, not by unendorsed ones', async () => {
      const bench = await openHeld()
      await bench.admit(...range(200, 201, 'http://s1.farm.test/'), ...range(200, 201, 'http://s2.farm.test/'))
      assert.equal(await isFree(bench), false)
      await bench.admit(farm(1, 'http://abroad.test/'))
      await bench.admit(farm(200, 'http://s1.farm.test/'))
      assert.equal(await isFree(bench), true)
    })

    it('is released by a site that the operator named', async () => {
      const bench = await openHeld()
      await bench.seed('s2.farm.test/')
      await bench.admit(farm(200, 'http://s2.farm.test/'))
      assert.equal(await isFree(bench), true)
    })

    it('is released by the operator, and by scheduling it', async () => {
      const bench = await openHeld()
      await bench.seed('s200.farm.test/')
      assert.equal(await isFree(bench), true)
      await bench.db.transact((tx) => bench.ledger.schedule(tx, [{ url: 'http://s201.farm.test/', dueAt: START }]))
      assert.equal(await stateOf(bench, 's201.farm.test'), 'free')
    })

    it('is released when there is room, the oldest first', async () => {
      const bench = await openHeld()
      bench.clock.pass(1)
      await bench.admit(farm(202))
      const held = async () => {
        const names = ['s200.farm.test', 's201.farm.test', 's202.farm.test']
        const states = await Promise.all(names.map((name) => stateOf(bench, name)))
        return names.filter((_, index) => states[index] === 'held')
      }
      assert.equal((await held()).length, 3)
      await bench.admit(farm(300, 'http://abroad.test/'))
      assert.equal((await held()).length, 2)
      // One of those that were let in is vouched for: its place, and one more.
      await bench.admit(farm(5, 'http://abroad.test/'))
      assert.deepEqual(await held(), [])
    })

    it('stays held over a restart, and is still released by a link', async () => {
      const bench = await (await openHeld()).restart()
      assert.equal(await stateOf(bench, HELD), 'held')
      await bench.admit(farm(200, 'http://abroad.test/'))
      assert.equal(await isFree(bench), true)
    })

    it('is as it was when the transaction that released it is taken back', async () => {
      const bench = await openHeld()
      const failing = bench.db.transact(async (tx) => {
        await bench.ledger.admit(tx, [farm(200, 'http://abroad.test/'), farm(400)])
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      assert.equal(await stateOf(bench, HELD), 'held')
      assert.equal(await stateOf(bench, 's400.farm.test'), undefined)
      await bench.admit(farm(200, 'http://abroad.test/'), farm(400))
      assert.equal(await isFree(bench), true)
      assert.equal(await stateOf(bench, 's400.farm.test'), 'held')
    })

    it('gives what waits in it to an original, and gets it back', async () => {
      const bench = await openHeld()
      await bench.admit(link('s200.farm.test/deep', 'http://s0.farm.test/'))
      const alias = { name: HELD, original: 'original.test', how: 'list' }
      await bench.db.transact((tx) => bench.ledger.alias(tx, alias))
      assert.deepEqual([await stateOf(bench, HELD), (await view(bench, HELD))?.waiting], ['held', 1])
      assert.equal(await stateOf(bench, 'original.test'), 'free')
      await bench.db.transact((tx) => bench.ledger.unalias(tx, HELD))
      assert.deepEqual([await stateOf(bench, HELD), (await view(bench, HELD))?.waiting], ['held', 2])
    })

    it('is not held where the operator does not want it, and is released when he says so later', async () => {
      const bench = await openHeld()
      const trusting = await bench.restart({ mayHold: (site) => site !== HELD && site !== 's203.farm.test' })
      assert.equal(await stateOf(trusting, HELD), 'free')
      assert.equal(await stateOf(trusting, 's201.farm.test'), 'held')
      await trusting.admit(farm(203), farm(204))
      assert.equal(await stateOf(trusting, 's203.farm.test'), 'free')
      assert.equal(await stateOf(trusting, 's204.farm.test'), 'held')
      assert.equal((await viewDomain(trusting))?.held, 2)
    })

    it('is asked for like any other once it is released', async () => {
      const bench = await openHeld()
      await bench.seed('s200.farm.test/')
      const visited = await drain(bench)
      assert.ok(visited.includes(HELD))
      assert.equal(await stateOf(bench, HELD), 'crawled')
    })
  })

  describe('a wildcard that is learnt late', () => {
    it('holds what is too much some hundred at a time, the newest first, and nothing that was visited', async () => {
      const bench = await openBench(make)
      await bench.admit(farm(0, 'http://abroad.test/'))
      for (let number = 1; number <= 1200; number += 100) {
        bench.clock.pass(1)
        await bench.admit(...range(number, number + 100))
      }
      const visit = await bench.one()
      const others = (await bench.frontier.checkOut('w1', 20)).visits
      await bench.applyParts(whole(bench, visit, { learnt: { wildcard: { domain: 'farm.test', addresses: [] } } }))
      assert.equal((await viewDomain(bench))?.held, 500)
      await reap(bench)
      await reap(bench)
      await reap(bench)
      const { held, allowed } = (await viewDomain(bench))!
      assert.deepEqual([held, allowed], [1200 - UNENDORSED_ALLOWED - 1, UNENDORSED_ALLOWED + 1])
      for (const { site } of others) assert.equal(await stateOf(bench, site), 'leased')
      await bench.applyParts(...others.map((one) => whole(bench, one)))
      assert.equal((await drain(bench)).length, allowed - others.length)
    })

    it('admits one for each that is endorsed later', async () => {
      const bench = await openFarm(make, { crossSite: range(1, 600) })
      await drain(bench)
      const before = (await viewDomain(bench))!.held
      const news = range(700, 900, 'http://abroad.test/')
      await bench.admit(...news)
      assert.equal((await viewDomain(bench))?.held, before - news.length)
      assert.equal((await totals(bench)).sites.held, before - news.length)
    })

    it('is believed of the visited domain only, and whatever its shape', async () => {
      const bench = await openBench(make)
      await bench.admit(farm(0, 'http://abroad.test/'))
      const visit = await bench.one()
      const strange = [
        { wildcard: { domain: 'good.test', addresses: ['192.0.2.1'] } },
        { wildcard: null },
        { wildcard: { domain: 7 } },
        { wildcard: { domain: 'farm.test', addresses: 'x' } },
      ] as unknown as VisitReport['learnt'][]
      for (const [index, learnt] of strange.entries())
        assert.deepEqual(
          await bench.applyParts(part(bench, visit, index + 1, { pages: [page('s0.farm.test/')], learnt })),
          ['applied'],
        )
      assert.equal(await viewDomain(bench, 'good.test'), undefined)
      assert.deepEqual((await viewDomain(bench))?.addresses, [])
      assert.equal((await viewDomain(bench))?.wildcard, true)
    })
  })

  it('a seed of a held site waits its turn and no longer', async () => {
    const bench = await openFarm(make)
    await bench.admit(...range(1, 200))
    bench.clock.pass(PAUSE)
    await bench.db.transact((tx) => bench.ledger.seed(tx, [seedUrl('s199.farm.test/'), seedUrl('s198.farm.test/x')]))
    const visited = await drain(bench)
    assert.ok(visited.includes('s199.farm.test') && visited.includes('s198.farm.test'))
  })
}
