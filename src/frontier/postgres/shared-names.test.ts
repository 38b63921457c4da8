/** Other names of sites on several servers at once: each knows at once what the others have learnt, and nothing before. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Bench, KEPT, link, PAUSE, page, part, whole } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { turn } from '../../base/clock.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { compareKeys } from '../../database/postgres/by-bucket.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { frontierQueries } from '../queries.ts'
import { gate, openServers, recount } from './servers.test-tools.ts'

const postgres = await postgresForTests()

const alias = (bench: Bench, name: string, original: string) =>
  bench.db.transact((tx) => bench.ledger.alias(tx, { name, original, how: 'www' }))
const unalias = (bench: Bench, name: string) => bench.db.transact((tx) => bench.ledger.unalias(tx, name))
const siteOf = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const markOf = (bench: Bench, url: string) => bench.db.read(async (tx) => (await frontierQueries.url(tx, url))?.mark)

const NAMES = Array.from({ length: 5 }, (_, at) => `n${at}.test`)
const name = fc.constantFrom(...NAMES)
type Step =
  | { do: 'links'; to: string; count: number }
  | { do: 'alias'; name: string; original: string }
  | { do: 'unalias'; name: string }
  | { do: 'visit'; missing: boolean; learns?: string | undefined }
  | { do: 'reap' }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('links' as const), to: name, count: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('alias' as const), name, original: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unalias' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('visit' as const),
      missing: fc.boolean(),
      learns: fc.option(name, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reap' as const) }) },
)
const rounds = fc.array(fc.array(step, { minLength: 3, maxLength: 6 }), { minLength: 3, maxLength: 7 })

interface Life {
  linked: Set<string>
  asked: Set<string>
}

async function run(bench: Bench, worker: string, given: Step, life: Life): Promise<void> {
  switch (given.do) {
    case 'links': {
      const links = Array.from({ length: given.count }, () => link(`${given.to}/${life.linked.size}`, 'http://z.test/'))
      for (const { url } of links) life.linked.add(url)
      await bench.admit(...links)
      return
    }
    case 'alias':
      await alias(bench, given.name, given.original)
      return
    case 'unalias':
      await unalias(bench, given.name)
      return
    case 'reap':
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      return
    case 'visit':
      for (const visit of (await bench.frontier.checkOut(worker, 3)).visits) {
        for (const { url } of visit.agenda) {
          assert.ok(!life.asked.has(url), `${url} is asked for twice`)
          life.asked.add(url)
        }
        const outcome: Outcome = given.missing ? { kind: 'gone', why: 'status-404' } : KEPT
        const pages = visit.agenda.map(({ url }) => page(url, outcome))
        const learnt = given.learns === undefined ? {} : { learnt: { alias: { to: given.learns, how: 'www' } } }
        await bench.applyParts(part(bench, visit, 1, { pages, ended: 'slice', ...learnt }))
      }
  }
}

/** Until somebody waits for a row that another has. */
async function whenBlocked(bench: Bench): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await bench.db.read((tx) => postgresTx(tx).get(sql))) === undefined) await turn()
}

const countMoved = (bench: Bench) =>
  bench.db.read(async (tx) => (await postgresTx(tx).all('SELECT 1 FROM url WHERE mark = 7')).length)

if ('skipped' in postgres) describe('other names on several servers', { skip: postgres.skipped }, () => {})
else {
  after(() => postgres.end())

  describe('other names on several servers', () => {
    it('are known to all as soon as one has learnt or dropped them', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      await two.admit(link('b.test/'))
      assert.equal(await alias(one, 'a.test', 'www.a.test'), 'taken')
      await two.admit(link('a.test/x'))
      assert.equal(await markOf(one, 'http://www.a.test/x'), 'waiting')
      assert.equal(await alias(two, 'a.test', 'www.a.test'), 'known')
      assert.equal(await unalias(two, 'a.test'), true)
      await one.admit(link('a.test/y'))
      assert.equal(await markOf(two, 'http://a.test/y'), 'waiting')
      assert.equal(await unalias(one, 'a.test'), false)
      await end()
    })

    it('are invisible to others before their transaction has ended, also in the same process', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      const learnt = gate()
      const looked = gate()
      const learning = one.db.transact(async (tx) => {
        await one.ledger.alias(tx, { name: 'a.test', original: 'www.a.test', how: 'www' })
        learnt.open()
        await looked.opened
      })
      await learnt.opened
      await one.admit(link('a.test/one'))
      await two.admit(link('a.test/two'))
      assert.equal(await markOf(one, 'http://www.a.test/one'), undefined)
      looked.open()
      await learning
      await one.admit(link('a.test/1'))
      await two.admit(link('a.test/2'))
      for (const path of ['1', '2']) assert.equal(await markOf(one, `http://www.a.test/${path}`), 'waiting', path)
      // What came in meanwhile goes with the rest.
      await two.db.transact((tx) => two.ledger.reap(tx))
      for (const path of ['one', 'two']) assert.equal(await markOf(one, `http://www.a.test/${path}`), 'waiting', path)
      await end()
    })

    it('are seen in whatever order their transactions began and ended', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      const begun = gate()
      const second = gate()
      const early = one.db.transact(async (tx) => {
        // It has its number now, and ends after one with a later number.
        await one.ledger.admit(tx, [link('z.test/')])
        begun.open()
        await second.opened
        await one.ledger.alias(tx, { name: 'early.test', original: 'www.early.test', how: 'www' })
      })
      await begun.opened
      await alias(two, 'late.test', 'www.late.test')
      await two.admit(link('late.test/x'))
      await one.admit(link('late.test/y'))
      second.open()
      await early
      for (const bench of servers) await bench.admit(link(`early.test/${servers.indexOf(bench)}`))
      for (const url of ['late.test/x', 'late.test/y', 'early.test/0', 'early.test/1'])
        assert.equal(await markOf(one, `http://www.${url}`), 'waiting', url)
      await end()
    })

    it('that two learn at once and that make a circle are no names', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      const both = [gate(), gate()]
      const learn = (bench: Bench, at: number, name: string, original: string) =>
        bench.db.transact(async (tx) => {
          await bench.ledger.alias(tx, { name, original, how: 'www' })
          both[at].open()
          await both[1 - at].opened
        })
      await Promise.all([learn(one, 0, 'a.test', 'b.test'), learn(two, 1, 'b.test', 'a.test')])
      await one.admit(link('a.test/x'))
      await two.admit(link('b.test/x'))
      for (const name of ['a.test', 'b.test']) assert.equal(await markOf(one, `http://${name}/x`), 'waiting')
      await end()
    })

    it('move what waits once, whichever server reaps, and lose nothing to a visit that begins meanwhile', async () => {
      const { servers, end } = await openServers(postgres, 3, { slice: { pages: 1000, time: 1 } })
      const [one, two, three] = servers
      const urls = Array.from({ length: 1200 }, (_, at) => `http://a.test/${at + 1}`)
      await one.admit(...urls.map((url) => link(url, 'http://via.test/')))
      await alias(one, 'a.test', 'www.a.test')
      const reap = (bench: Bench) => bench.db.transact((tx) => bench.ledger.reap(tx))
      for (let round = 0; round < 4; round++) await Promise.all([reap(two), reap(three)])
      const [name, original] = [await siteOf(one, 'a.test'), await siteOf(one, 'www.a.test')]
      assert.deepEqual([name?.waiting, original?.waiting, original?.known], [0, 1200, 1200])
      const visits = await Promise.all(servers.map(({ frontier }, at) => frontier.checkOut(`w${at}`, 9)))
      const agenda = visits.flatMap(({ visits: some }) => some.flatMap((visit) => visit.agenda.map(({ url }) => url)))
      assert.equal(new Set(agenda).size, agenda.length)
      await end()
    })

    it('are learnt from visits of many sites, applied by two servers at once', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const names = Array.from({ length: 12 }, (_, at) => `s${at}.test`)
      const [one] = servers
      await one.admit(...names.flatMap((name) => [link(`${name}/`), link(`${name}/deep`)]))
      const { visits } = await one.frontier.checkOut('w1', 50)
      assert.equal(visits.length, names.length)
      const settling = visits.map((visit, at) => {
        const { site } = visit
        // Each learns its other name, and links to all the others.
        const to = `www.${site}`
        const moved = page(`${site}/`, { kind: 'moved', to: `http://${to}/` })
        const crossSite = names.map((other) => link(`${other}/found/${at}`, `http://${site}/`))
        const learnt = { alias: { to, how: 'www' } }
        return servers[at % 2].applyParts(
          part(servers[at % 2], visit, 1, { pages: [moved], crossSite, learnt, ended: 'slice' }),
        )
      })
      for (const results of await Promise.all(settling)) assert.deepEqual(results, ['applied'])
      for (let round = 0; round < 3; round++)
        for (const bench of servers) await bench.db.transact((tx) => bench.ledger.reap(tx))
      const asked = new Set<string>()
      for (;;) {
        for (const { clock } of servers) clock.pass(PAUSE)
        const given = await Promise.all(servers.map(({ frontier }, at) => frontier.checkOut(`w${at}`, 50)))
        if (given.every(({ visits: some }) => some.length === 0)) break
        for (const [at, { visits: some }] of given.entries())
          for (const visit of some) {
            for (const { url } of visit.agenda) {
              assert.ok(!asked.has(url), `${url} is asked for twice`)
              asked.add(url)
            }
            await servers[at].applyParts(whole(servers[at], visit, { ended: 'slice' }))
          }
      }
      // Everything is asked for somewhere: at the name, where the link came before the name was known, or at the original.
      for (const name of names)
        for (const path of ['deep', ...names.map((_, at) => `found/${at}`)])
          assert.ok(asked.has(`http://${name}/${path}`) || asked.has(`http://www.${name}/${path}`), `${name}/${path}`)
      await end()
    })

    it('that become known while a report waits for a site leave none of its links behind', async () => {
      const { servers, end } = await openServers(postgres, 2)
      const [one, two] = servers
      const sites = Array.from({ length: 4 }, (_, at) => `s${at}.test`).sort((a, b) =>
        compareKeys(siteKeyOf(a), siteKeyOf(b)),
      )
      const [first, name] = [sites[0], sites[3]]
      await one.seed(...sites.map((site) => `${site}/`))
      const visits = (await one.frontier.checkOut('w', sites.length)).visits
      const visitOf = (site: string) => visits.find((visit) => visit.site === site)!
      const locked = gate()
      const named = gate()
      const holding = two.db.transact(async (tx) => {
        await postgresTx(tx).all('SELECT 1 FROM site WHERE name = $1 FOR UPDATE', first)
        locked.open()
        await named.opened
      })
      await locked.opened
      const found = [link(`${name}/found`, `http://${name}/`)]
      const settling = one.applyParts(
        whole(one, visitOf(first)),
        part(one, visitOf(name), 1, { pages: [page(`${name}/`)], found }),
      )
      // It has looked at its links, and waits for the first site.
      await whenBlocked(two)
      assert.equal(await alias(two, name, `www.${name}`), 'taken')
      await one.admit(link('other.test/'))
      named.open()
      await Promise.all([holding, settling])
      const marks = [await markOf(one, `http://${name}/found`), await markOf(one, `http://www.${name}/found`)]
      assert.ok(marks.includes('waiting'), `${marks}`)
      await end()
    })

    it('lose nothing and ask for nothing twice in random lives', async () => {
      let moved = 0
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const { servers, end } = await openServers(postgres, 3)
          const life: Life = { linked: new Set(), asked: new Set() }
          for (const round of all) {
            for (const { clock } of servers) clock.pass(PAUSE)
            await Promise.all(round.map((step, at) => run(servers[at % 3], `w${at}`, step, life)))
            await recount(servers[0])
          }
          // Whatever was entered elsewhere and never asked for where it was linked is, in the end.
          moved += await countMoved(servers[0])
          for (const name of NAMES) await unalias(servers[1], name)
          await recount(servers[0])
          for (let idle = 0; idle < 2; ) {
            for (const { clock } of servers) clock.pass(PAUSE)
            const before = life.asked.size
            for (const bench of servers) await run(bench, 'w', { do: 'visit', missing: false }, life)
            idle = life.asked.size === before ? idle + 1 : 0
          }
          await recount(servers[0])
          const { urls } = await servers[0].db.read((tx) => frontierQueries.totals(tx))
          assert.equal(urls.waiting, 0)
          assert.equal(await countMoved(servers[0]), 0)
          const paths = new Set([...life.asked].map((url) => new URL(url).pathname))
          for (const url of life.linked) assert.ok(paths.has(new URL(url).pathname), url)
          await end()
        }),
        { numRuns: 6 },
      )
      assert.ok(moved > 0, 'no life in which anything is moved')
    })
  })
}
