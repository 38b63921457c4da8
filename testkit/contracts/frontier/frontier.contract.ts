/** What every frontier must do for its workers, on whatever database. `sqlite/contracts.test.ts` runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hash64, signed64 } from '../../../src/base/digest.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import type { Order } from '../../../src/frontier/order.ts'
import { klwf, randomWalk, roundRobin } from '../../../src/frontier/order.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { readRecord } from '../../../src/frontier/records.ts'
import {
  ADDRESS_PAUSE,
  anyRandom,
  type Bench,
  LEASE,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
  START,
  whole,
} from './tools.contract.ts'

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))

export function frontierContract(make: MakeDatabase): void {
  describe('check-out', () => {
    it('gives a site to one visit at a time (V3)', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/', 'c.test/')
      const first = await bench.names('w1', 2)
      const second = await bench.names('w2', 2)
      assert.equal(first.length, 2)
      assert.equal(second.length, 1)
      assert.deepEqual([...first, ...second].sort(), ['a.test', 'b.test', 'c.test'])
      assert.deepEqual(await bench.names('w1'), [])
    })

    it('says when to ask again, and when the crawl is over', async () => {
      const bench = await openBench(make)
      assert.deepEqual(await bench.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
      await bench.seed('a.test/')
      const visit = await bench.one()
      const { next } = await bench.frontier.checkOut('w2', 5)
      assert.ok(typeof next === 'number' && next > 0 && next <= 1000, 'visits are out: soon')
      await bench.applyParts(whole(bench, visit, { found: [link('a.test/2')], ended: 'slice' }))
      assert.deepEqual(await bench.frontier.checkOut('w2', 5), { visits: [], next: PAUSE })
      bench.clock.pass(PAUSE)
      await bench.applyParts(whole(bench, await bench.one()))
      assert.deepEqual(await bench.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
    })

    it('visits a site in slices, and each knows every URL that the frontier has', async () => {
      const bench = await openBench(make, { slice: { pages: 4, time: 1234 } })
      await bench.admit(...Array.from({ length: 10 }, (_, i) => link(`a.test/${i}`)))
      const seen: string[] = []
      for (const expected of [4, 4, 2]) {
        const visit = await bench.one()
        assert.deepEqual(visit.limits, { pages: 4, time: 1234 })
        assert.equal(visit.agenda.length, expected)
        assert.ok(visit.known !== 'too many')
        assert.equal(new Set(visit.known).size, 10)
        assert.ok(visit.agenda.every((item) => visit.known !== 'too many' && visit.known.includes(item.key)))
        seen.push(...visit.agenda.map((item) => item.url))
        await bench.applyParts(whole(bench, visit, { ended: 'slice' }))
        bench.clock.pass(PAUSE)
      }
      assert.equal(new Set(seen).size, 10)
    })

    it('knows a link to what a form led to, as long as that waits', async () => {
      const bench = await openBench(make)
      const waits = async (found: string) => {
        const visit = await bench.one()
        const told = { ...link('http://a.test/x', 'http://a.test/', found.length), path: found }
        await bench.applyParts(part(bench, visit, 1, { found: [told], ended: 'slice' }))
        bench.clock.pass(PAUSE)
        return visit.agenda.map(({ path, depth }) => `${path} ${depth}`)
      }
      await bench.admit({ ...link('http://a.test/x'), path: 'S' })
      assert.deepEqual(await waits('LLs'), ['S 1'])
      assert.deepEqual(await waits('LLL'), ['S 1'], 'another form says no more')
      assert.deepEqual(await waits('LLLl'), ['L 1'])
      assert.deepEqual(await waits('LS'), ['L 1'], 'nor does another link')
      assert.deepEqual(await waits('L'), ['L 1'], 'nor a form after it')
    })

    it('says that there are too many known URLs instead of carrying them', async () => {
      const bench = await openBench(make)
      for (let from = 0; from <= 100_000; from += 20_000)
        await bench.admit(...Array.from({ length: 20_000 }, (_, i) => link(`a.test/${from + i}`)))
      const visit = await bench.one()
      assert.equal(visit.known, 'too many')
      assert.equal(visit.agenda.length, 10)
    })

    it('keeps the courtesy that a visit reported', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      assert.deepEqual([visit.wait, visit.pause, visit.lease], [0, PAUSE, LEASE])
      const courtesy = { pause: 10_000, notBefore: START + 30_000, address: '192.0.2.1' }
      const found = [link('a.test/2'), link('a.test/3')]
      await bench.applyParts(whole(bench, visit, { found, courtesy, ended: 'slice' }))
      bench.clock.pass(29_999)
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 1 })
      bench.clock.pass(1)
      const second = await bench.one()
      assert.deepEqual([second.wait, second.pause, second.address], [0, 10_000, '192.0.2.1'])
    })

    it('serves sites that were lost after those that were not (V9)', async () => {
      const bench = await openBench(make)
      await bench.seed('lost.test/')
      await bench.one()
      await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
      bench.clock.pass(PAUSE)
      await bench.seed('young.test/', 'younger.test/')
      const order = await bench.names()
      assert.equal(order.length, 3)
      assert.equal(order[2], 'lost.test')
    })

    it('is bounded, and says that there is more', async () => {
      const bench = await openBench(make)
      await bench.seed(...Array.from({ length: 100 }, (_, i) => `s${i}.test/`))
      const { visits, next } = await bench.frontier.checkOut('w1', 1000)
      assert.ok(visits.length >= 10 && visits.length < 100)
      assert.equal(next, 0)
    })

    it('is bounded by the length of agendas as well', async () => {
      const bench = await openBench(make, { slice: { pages: 500, time: 1 } })
      for (let site = 0; site < 10; site++)
        await bench.admit(...Array.from({ length: 500 }, (_, i) => link(`s${site}.test/${i}`)))
      const { visits, next } = await bench.frontier.checkOut('w1', 10)
      assert.ok(visits.length > 0 && visits.length < 10)
      assert.equal(next, 0)
    })

    it('gives nothing once it is stopped', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      bench.stop()
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 'over' })
    })
  })

  describe('orders', () => {
    /**
     * `old` has the older URL and began to wait later; `new` the other way round: so KLWF and round robin must differ,
     * and ten sites of each age are not in either order by chance.
     */
    async function served(order: Order): Promise<string> {
      const bench = await openBench(make, { order, slice: { pages: 1, time: 1 } })
      await bench.admit(link('old.test/1'), link('old.test/2'))
      bench.clock.pass(1_000)
      await bench.admit(link('new.test/1'), link('new.test/2'))
      const { visits } = await bench.frontier.checkOut('w1', 2)
      const of = (name: string) => visits.find((visit) => visit.site === name)!
      await bench.applyParts(whole(bench, of('new.test'), { ended: 'slice' }))
      bench.clock.pass(1_000)
      await bench.applyParts(whole(bench, of('old.test'), { ended: 'slice' }))
      bench.clock.pass(PAUSE)
      return (await bench.names()).join(' ')
    }

    it('KLWF takes the oldest URL, round robin the site that waited longest', async () => {
      assert.equal(await served(klwf), 'old.test new.test')
      assert.equal(await served(roundRobin), 'new.test old.test')
    })

    it('the random walk is neither, and repeatable from its seed', async () => {
      const walk = async (order: Order) => {
        const bench = await openBench(make, { order })
        for (let i = 0; i < 10; i++) {
          await bench.seed(`s${i}.test/`)
          bench.clock.pass(1)
        }
        return bench.names()
      }
      const straight = await walk(klwf)
      const drawn = await walk(randomWalk(anyRandom()))
      assert.deepEqual(await walk(roundRobin), straight)
      assert.notDeepEqual(drawn, straight)
      assert.deepEqual(await walk(randomWalk(anyRandom())), drawn)
      assert.deepEqual([...drawn].sort(), [...straight].sort())
    })

    it('ranks anew when the operator changes the order', async () => {
      const bench = await openBench(make, { order: { name: 'backwards', rank: (site) => -site.oldest } })
      await bench.seed('a.test/')
      bench.clock.pass(5)
      await bench.seed('b.test/')
      const next = await bench.restart({ order: klwf })
      bench.clock.pass(ADDRESS_PAUSE)
      assert.deepEqual(await next.names(), ['a.test', 'b.test'])
    })

    it('stays that of the servers when a command beside them has another', async () => {
      const backwards: Order = { name: 'backwards', rank: (site) => -site.oldest }
      const bench = await openBench(make, { order: backwards, leasesOutlive: true })
      await bench.seed('a.test/')
      bench.clock.pass(5)
      await bench.seed('b.test/')
      await bench.restart({ order: klwf, besideServers: { isRefreshing: false } })
      assert.deepEqual(await bench.names(), ['b.test', 'a.test'])
      assert.equal(await bench.db.read((tx) => readRecord(tx, 'order')), 'backwards')
    })
  })

  describe('leases', () => {
    it('are renewed together; those of others and those lost are said', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const mine = await bench.one('w1')
      const theirs = await bench.one('w2')
      bench.clock.pass(LEASE - 1)
      const answer = await bench.frontier.renew('w1', [mine.id, theirs.id, 'nonsense'])
      assert.deepEqual(answer, { lease: LEASE, lost: [theirs.id, 'nonsense'] })
      bench.clock.pass(LEASE - 1)
      const lost = await bench.db.transact((tx) => bench.ledger.reap(tx))
      assert.deepEqual(
        lost.map(({ visit }) => visit),
        [theirs.id],
      )
    })

    it('do not end while a part of their site waits to be applied', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const visits = [await bench.one('w1'), await bench.one('w2')]
      bench.clock.pass(LEASE + 1)
      const [a, b] = ['a.test', 'b.test'].map((name) => signed64(hash64(name)))
      const asked: bigint[] = []
      const reap = (settled: readonly bigint[]) =>
        bench.db.transact((tx) =>
          bench.ledger.reap(tx, undefined, async (sites) => {
            asked.push(...sites)
            return sites.filter((site) => settled.includes(site))
          }),
        )
      const first = await reap([b])
      assert.deepEqual(new Set(asked), new Set([a, b]))
      assert.deepEqual(
        first.map(({ site }) => site),
        ['b.test'],
      )
      const later = await reap([a, b])
      assert.deepEqual(
        later.map(({ visit }) => visit),
        visits.filter(({ site }) => site === 'a.test').map(({ id }) => id),
      )
    })

    it('do not end because the clock on the wall was set, or the machine slept', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      bench.clock.jump(8 * 3_600_000)
      assert.deepEqual(await bench.db.transact((tx) => bench.ledger.reap(tx, bench.clock.now())), [])
      await bench.applyParts(whole(bench, visit, { found: [link('a.test/2')], ended: 'slice' }))
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: PAUSE })
      bench.clock.jump(-16 * 3_600_000)
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: PAUSE })
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), ['a.test'])
    })
  })

  describe('addresses', () => {
    const X = '192.0.2.1'

    /** Two sites that were both found at X, free again. */
    async function neighbours(): Promise<Bench> {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      for (const visit of (await bench.frontier.checkOut('w0', 2)).visits) {
        assert.equal(await bench.frontier.enter('w0', visit.id, X), 'here')
        const found = [link(`${visit.site}/2`), link(`${visit.site}/3`)]
        await bench.applyParts(whole(bench, visit, { found, ended: 'slice' }))
      }
      bench.clock.pass(PAUSE)
      return bench
    }

    it('belong to one worker at a time, plus a pause', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/', 'c.test/')
      const mine = await bench.one('w1')
      const second = await bench.one('w1')
      const theirs = await bench.one('w2')
      assert.equal(await bench.frontier.enter('w1', mine.id, X), 'here')
      assert.equal(await bench.frontier.enter('w1', mine.id, X), 'here')
      assert.equal(await bench.frontier.enter('w1', second.id, X), 'here')
      assert.equal(await bench.frontier.enter('w2', theirs.id, X), 'elsewhere')
      await bench.applyParts(whole(bench, mine))
      bench.clock.pass(ADDRESS_PAUSE)
      assert.equal(await bench.frontier.enter('w2', theirs.id, X), 'elsewhere')
      await bench.applyParts(whole(bench, second))
      assert.equal(await bench.frontier.enter('w2', theirs.id, X), 'elsewhere')
      bench.clock.pass(ADDRESS_PAUSE)
      assert.equal(await bench.frontier.enter('w2', theirs.id, X), 'here')
    })

    it('are not entered by visits that have no lease, or another worker’s', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one('w1')
      assert.equal(await bench.frontier.enter('w2', visit.id, X), 'elsewhere')
      await bench.applyParts(whole(bench, visit))
      assert.equal(await bench.frontier.enter('w1', visit.id, X), 'elsewhere')
      assert.equal(await bench.frontier.enter('w1', 'nonsense', X), 'elsewhere')
    })

    it('take their sites to their holder only, until they are anybody’s again', async () => {
      const bench = await neighbours()
      const held = await bench.one('w1')
      assert.equal(await bench.frontier.enter('w1', held.id, X), 'here')
      assert.deepEqual(await bench.names('w2'), [])
      assert.deepEqual(await bench.names('w2'), [])
      const other = await bench.one('w1')
      await bench.applyParts(part(bench, other, 1, { ended: 'stopped' }))
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names('w2'), [])
      await bench.applyParts(part(bench, held, 1, { ended: 'stopped' }))
      bench.clock.pass(ADDRESS_PAUSE)
      assert.deepEqual(await bench.names('w2'), [other.site])
    })

    it('are learnt where a visit was turned away', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const here = await bench.one('w1')
      const away = await bench.one('w2')
      await bench.frontier.enter('w1', here.id, X)
      assert.equal(await bench.frontier.enter('w2', away.id, X), 'elsewhere')
      await bench.applyParts(part(bench, away, 1, { ended: 'elsewhere', courtesy: { pause: PAUSE, notBefore: START } }))
      assert.deepEqual(await bench.names('w2'), [])
      assert.deepEqual(await bench.names('w1'), [away.site])
    })

    it('hide no other site behind many of theirs', async () => {
      const bench = await openBench(make)
      const deferral = Array.from({ length: 300 }, (_, i) => `crowd${i}.test`)
      await bench.admit(...deferral.flatMap((name) => [link(`${name}/1`), link(`${name}/2`)]))
      const first: Visit[] = []
      while (first.length < deferral.length) first.push(...(await bench.frontier.checkOut('w0', 64)).visits)
      const courtesy = { pause: PAUSE, notBefore: START, address: X }
      for (const visit of first)
        await bench.applyParts(part(bench, visit, 1, { pages: [page(`${visit.site}/1`)], courtesy, ended: 'stopped' }))
      bench.clock.pass(1)
      await bench.seed('other.test/')
      const held = await bench.one('w1')
      await bench.frontier.enter('w1', held.id, X)
      const given: string[] = []
      for (let asked = 0; asked < 10 && given.length === 0; asked++) {
        const { visits, next } = await bench.frontier.checkOut('w2', 1)
        given.push(...visits.map((visit) => visit.site))
        assert.ok(visits.length > 0 || next === 0, 'there is more to look at: ask again at once')
      }
      assert.deepEqual(given, ['other.test'])
      assert.deepEqual(await bench.names('w2'), [])
      await bench.applyParts(part(bench, held, 1, { ended: 'stopped' }))
      bench.clock.pass(ADDRESS_PAUSE)
      const freed = new Set<string>()
      for (let asked = 0; asked < 20; asked++) for (const name of await bench.names('w2')) freed.add(name)
      assert.equal(freed.size, 299)
    })

    it('are freed when their holder is lost', async () => {
      const bench = await neighbours()
      const held = await bench.one('w1')
      await bench.frontier.enter('w1', held.id, X)
      assert.deepEqual(await bench.names('w2'), [])
      await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
      assert.deepEqual(await bench.names('w2'), [])
      bench.clock.pass(ADDRESS_PAUSE)
      assert.equal((await bench.names('w2')).length, 1)
      bench.clock.pass(PAUSE)
      assert.equal((await bench.names('w2')).length, 1)
    })
  })

  describe('a page budget', () => {
    const budgeted = async (max: number, pages: number) => {
      let spent = 0
      const bench = await openBench(make, { slice: { pages, time: 1 }, budget: { left: () => max - spent } })
      const spend = (count: number) => {
        spent += count
      }
      return { bench, spend }
    }

    it('is never exceeded by what is out', async () => {
      const { bench, spend } = await budgeted(25, 10)
      await bench.seed('a.test/', 'b.test/', 'c.test/', 'd.test/')
      const { visits } = await bench.frontier.checkOut('w1', 4)
      assert.deepEqual(
        visits.map((visit) => visit.limits.pages),
        [10, 10, 5],
      )
      assert.deepEqual(await bench.frontier.checkOut('w1', 4), { visits: [], next: 1000 })
      await bench.applyParts(part(bench, visits[0], 1, { pages: [page(visits[0].agenda[0].url)] }))
      spend(1)
      assert.deepEqual((await bench.frontier.checkOut('w1', 4)).visits, [])
      await bench.applyParts(part(bench, visits[0], 2, { ended: 'done' }))
      const [again] = (await bench.frontier.checkOut('w1', 4)).visits
      assert.equal(again.limits.pages, 9)
    })

    it('is not given back by pages that were refused unasked: the visit may still ask for as many', async () => {
      const { bench } = await budgeted(10, 10)
      await bench.admit(...Array.from({ length: 20 }, (_, i) => link(`a.test/${i}`)))
      const visit = await bench.one()
      await bench.seed('b.test/')
      const refused = { kind: 'refused', by: 'robots', rule: '/' } as const
      const pages = visit.agenda.map(({ url }) => page(url, refused, { status: -9998, tries: 0 }))
      await bench.applyParts(part(bench, visit, 1, { pages }))
      assert.deepEqual(await bench.names(), [])
      await bench.applyParts(part(bench, visit, 2, { ended: 'slice' }))
      assert.deepEqual(await bench.names(), ['b.test'])
    })

    it('ends the crawl when it is used up and nothing is out', async () => {
      const { bench, spend } = await budgeted(1, 10)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      assert.equal(visit.agenda.length, 1)
      await bench.applyParts(whole(bench, visit, { ended: 'slice' }))
      spend(1)
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 'over' })
    })

    it('is shared, so that one site does not keep it from others', async () => {
      const { bench } = await budgeted(100, 100)
      await bench.seed('a.test/', 'b.test/', 'c.test/', 'd.test/')
      assert.equal((await bench.names('w1', 4)).length, 4)
    })
  })

  describe('after a restart', () => {
    it('a site that was leased waits its pause, counted as lost; nothing goes out for an address pause', async () => {
      const bench = await openBench(make)
      await bench.seed('asked.test/', 'idle.test/')
      const visit = await bench.one()
      const asked = await view(bench, visit.site)
      assert.equal(asked?.state, 'leased')
      bench.clock.pass(100)
      const next = await bench.restart()
      assert.deepEqual(await next.frontier.checkOut('w1', 5), { visits: [], next: ADDRESS_PAUSE })
      bench.clock.pass(ADDRESS_PAUSE)
      assert.equal((await next.names()).length, 1)
      const site = await view(next, visit.site)
      assert.deepEqual([site?.state, site?.losses, site?.notBefore], ['waiting', 1, START + 100 + PAUSE])
    })

    it('also a pause learnt a moment before counts', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      await bench.applyParts(part(bench, visit, 1, { courtesy: { pause: 20_000, notBefore: START + 20_000 } }))
      bench.clock.pass(50)
      const next = await bench.restart()
      assert.equal((await view(next, 'a.test'))?.notBefore, START + 50 + 20_000)
    })

    it('what was durable is applied first: a visit that had ended is not lost', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const last = whole(bench, visit, { found: [link('a.test/2')], ended: 'slice' })
      await bench.db.transact((tx) => bench.ledger.returning(tx, [last]))
      const next = await bench.restart({}, async (opened) => {
        assert.deepEqual(await opened.applyParts(last), ['applied'])
      })
      const site = await view(next, 'a.test')
      assert.deepEqual([site?.state, site?.losses, site?.notBefore], ['waiting', 0, START + PAUSE])
    })

    it('a configured pause counts as it is now, a learnt one as it was', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'), link('slow.test/1'), link('slow.test/2'))
      for (const visit of (await bench.frontier.checkOut('w1', 2)).visits) {
        const pause = visit.site === 'slow.test' ? 9_000 : PAUSE
        const pages = [page(`${visit.site}/1`)]
        await bench.applyParts(part(bench, visit, 1, { pages, courtesy: { pause, notBefore: START }, ended: 'slice' }))
      }
      const next = await bench.restart({ defaultPause: () => 1_000 })
      bench.clock.pass(ADDRESS_PAUSE)
      const { visits } = await next.frontier.checkOut('w1', 2)
      const pauses = Object.fromEntries(visits.map((visit) => [visit.site, visit.pause]))
      assert.deepEqual(pauses, { 'a.test': 1_000, 'slow.test': 9_000 })
    })

    it('what the last process held at addresses is forgotten', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const visit = await bench.one('w1')
      await bench.frontier.enter('w1', visit.id, '192.0.2.1')
      const next = await bench.restart()
      bench.clock.pass(PAUSE)
      const visits = [await next.one('w2'), await next.one('w2')]
      assert.equal(await next.frontier.enter('w2', visits[0].id, '192.0.2.1'), 'here')
    })

    it('leases of workers that run elsewhere go on, with what they hold, and no check-out waits', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const visit = await bench.one('w1')
      assert.equal(await bench.frontier.enter('w1', visit.id, '192.0.2.1'), 'here')
      bench.clock.pass(100)
      const next = await bench.restart({ leasesOutlive: true })
      const other = await next.one('w2')
      assert.notEqual(other.site, visit.site)
      assert.equal(await next.frontier.enter('w2', other.id, '192.0.2.1'), 'elsewhere')
      assert.deepEqual((await next.frontier.renew('w1', [visit.id])).lost, [])
      assert.deepEqual(await next.applyParts(whole(next, visit)), ['applied'])
    })
  })
}
