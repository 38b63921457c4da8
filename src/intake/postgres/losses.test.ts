/** Servers that share a database: lost connections, lost servers, parts that cannot be applied. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sampleLedger } from '../../../testkit/contracts/intake/sample-ledger.contract.ts'
import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { hash64 } from '../../base/digest.ts'
import { seededRandom } from '../../base/random.ts'
import { tryBucket } from '../../collection/bucket.ts'
import type { Link } from '../../contracts/report.ts'
import { seal } from '../../contracts/sealed-part.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import type { Ledger } from '../../frontier/contract.ts'
import { jumpingClock } from './jumping-clock.test-data.ts'
import { assertAll, openServer, visitParts } from './servers.test-tools.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

/** Ends all connections to this database, as a crash of the server would. */
const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`

describe('intake of several servers', { skip }, () => {
  for (const moment of ['inbox-stored', 'applying', 'applied'] as const)
    test(`connections lost at '${moment}', again and again: nothing is lost, nothing counted twice`, async () => {
      const url = await server.newDatabase(true)
      const [one, other, outside] = await Promise.all([1, 2, 3].map(() => openPostgres(url)))
      const ledger = await sampleLedger(one)
      const servers = [await openServer(one, 'one', ledger), await openServer(other, 'other', ledger)]
      const random = seededRandom(moment.length)
      let kills = 0
      let killing: Promise<unknown> = Promise.resolve()
      for (const { journal } of servers)
        journal.read(({ kind }) => {
          if (kind !== moment || kills >= 12 || random.next() < 0.5) return
          kills++
          killing = killing.then(() => outside.transact((tx) => postgresTx(tx).all(KILL)))
        })
      const sites = Array.from({ length: 12 }, (_, n) => `s${n}.test`)
      // Each site's parts go to the servers in turn, all sites at once.
      await Promise.all(
        sites.map(async (site) => {
          for (const [at, part] of visitParts(site, 4).entries()) await servers[at % 2].intake.accept([part].map(seal))
        }),
      )
      await Promise.all(servers.map(({ intake }) => intake.drain()))
      await killing
      assert.ok(kills > 3, `${kills} kills`)
      await assertAll(one, servers, sites.length * 4)
      for (const { intake } of servers) await intake.close()
      await Promise.all([one, other, outside].map((database) => database.close()))
    })

  test('parts that a server stored and never applied are applied by another', async () => {
    const database = await server.make()
    const ledger = await sampleLedger(database)
    const other = await openServer(database, 'other', ledger)
    await other.intake.drain()
    const first = await openServer(database, 'first', ledger)
    first.journal.read(({ kind }) => {
      if (kind === 'inbox-stored') throw new Error('crash')
    })
    // It died before it acknowledged the parts, but they are durable.
    await assert.rejects(first.intake.accept(visitParts('a.test', 3).map(seal)), /crash/)
    const applied = new Promise<void>((resolve) => other.journal.read(({ kind }) => kind === 'applied' && resolve()))
    await applied
    await other.intake.idle()
    await first.intake.idle().catch(() => {})
    await assertAll(database, [first, other], 3)
    await other.intake.close()
  })

  test('a part that makes its transaction fail is quarantined; the others are applied', async () => {
    const database = await server.make()
    const usual = await sampleLedger(database)
    const bucketOfSite = (site: string) => hash64(site) >> 56n
    const bad = 'bad.test'
    const beside = Array.from({ length: 10_000 }, (_, n) => `s${n}.test`).filter(
      (site) => bucketOfSite(site) === bucketOfSite(bad),
    )
    const ledger = {
      ...usual,
      applyParts: async (...[tx, parts]: Parameters<typeof usual.applyParts>) => {
        if (parts.some(({ site }) => site === bad)) await queries(tx).run('SELECT 1 / 0')
        return usual.applyParts(tx, parts)
      },
    }
    const opened = await openServer(database, 'one', ledger)
    const troubles: string[] = []
    opened.journal.read((event) => event.kind === 'trouble' && troubles.push(event.what))
    const sites = beside.slice(0, 9)
    const parts = [...sites.slice(0, 4), bad, ...sites.slice(4)].flatMap((site) => visitParts(site, 1))
    await opened.intake.accept(parts.map(seal))
    await opened.intake.idle()
    await assertAll(database, [opened], sites.length)
    assert.equal(troubles.length, 2)
    assert.match(troubles[0], /cannot be applied \(division by zero\)/)
    const aside = await database.read((tx) =>
      queries(tx).all<{ visit: string; part: number }>('SELECT visit, part FROM inbox ORDER BY part'),
    )
    assert.deepEqual(
      aside.map(({ visit, part }) => [visit, part]),
      [
        [`visit-of-${bad}`, 1],
        [`visit-of-${bad}`, 2],
      ],
    )
    await opened.intake.close()
  })

  for (const [what, sql, times] of [
    ['is in others’ way for long', `DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$`, 12],
    ['fails once', 'SELECT 1 / 0', 1],
  ] as const)
    test(`a part that ${what} is applied later, and never set aside`, async () => {
      const database = await server.make({ clock: jumpingClock(0) })
      const usual = await sampleLedger(database)
      let runs = 0
      const ledger = {
        ...usual,
        applyParts: async (...[tx, parts]: Parameters<typeof usual.applyParts>) => {
          if (++runs <= times) await postgresTx(tx).run(sql)
          return usual.applyParts(tx, parts)
        },
      }
      const opened = await openServer(database, 'one', ledger)
      await opened.intake.accept(visitParts('a.test', 1).slice(0, 1).map(seal))
      await opened.intake.idle()
      assert.equal(runs, times + 1)
      await assertAll(database, [opened], 1)
      await opened.intake.close()
    })

  test('links to other buckets are admitted once, by any server, whatever fails meanwhile', async () => {
    const url = await server.newDatabase(true)
    const [one, other, outside] = await Promise.all([1, 2, 3].map(() => openPostgres(url)))
    const usual = await sampleLedger(one)
    await one.transact((tx) => queries(tx).run('CREATE TABLE entered (url TEXT NOT NULL)'))
    const bad = 'http://bad.test/'
    const ledger = {
      ...usual,
      async admit(tx: Tx, links: readonly Link[]) {
        for (const { url } of links) await queries(tx).run('INSERT INTO entered VALUES (?)', url)
        if (links.some(({ url }) => url === bad)) await queries(tx).run('SELECT 1 / 0')
        return { fresh: links.length, sites: 0 }
      },
    }
    const servers = [await openServer(one, 'one', ledger), await openServer(other, 'other', ledger)]
    let kills = 0
    for (const { journal } of servers)
      journal.read(({ kind }) => {
        if (kind === 'applied' && ++kills % 3 === 0) void outside.transact((tx) => postgresTx(tx).all(KILL))
      })
    const link = (url: string, via: string): Link => {
      return { url, key: hash64(url), site: new URL(url).host, depth: 1, via, path: 'L' }
    }
    const targets = Array.from({ length: 40 }, (_, n) => `http://t${n}.test/`)
    const settledHere = new Set<string>()
    const parts = Array.from({ length: 10 }, (_, n) => {
      const site = `s${n}.test`
      const to = [...targets.map((target) => `${target}${n}`), ...(n === 5 ? [bad] : [])]
      for (const target of to) if (hash64(new URL(target).host) >> 56n === hash64(site) >> 56n) settledHere.add(target)
      const crossSite = to.map((target) => link(target, `http://${site}/`))
      return sampleReport(site, 1, [samplePage(`http://${site}/`)], { crossSite, ended: 'done' })
    })
    await Promise.all(parts.map((part, at) => servers[at % 2].intake.accept([part].map(seal))))
    await Promise.all(servers.map(({ intake }) => intake.drain()))
    assert.ok(await servers[0].intake.isSettled())
    const entered = await one.read((tx) => queries(tx).all<{ url: string }>('SELECT url FROM entered ORDER BY url'))
    const expected = parts.flatMap(({ crossSite }) => crossSite.map((each) => each.url))
    assert.deepEqual(
      entered.map((row) => row.url),
      expected.filter((target) => target !== bad && !settledHere.has(target)).sort(),
    )
    const aside = await one.read((tx) => queries(tx).all<{ corrupt: string }>('SELECT corrupt FROM cross_site_link'))
    assert.deepEqual(
      aside.map(({ corrupt }) => corrupt),
      ['division by zero'],
    )
    for (const { intake } of servers) await intake.close()
    await Promise.all([one, other, outside].map((database) => database.close()))
  })

  test('leases end only in buckets without waiting parts; parts elsewhere are accepted meanwhile', async () => {
    const database = await server.make()
    const bucket = Number(hash64('a.test') >> 56n)
    const [here, other] = [bucket, (bucket + 1) % BUCKETS].map((b) => BigInt.asIntN(64, (BigInt(b) << 56n) + 1n))
    const settledSites: (readonly bigint[])[] = []
    const usual = await sampleLedger(database)
    const ledger: Pick<Ledger, 'returning' | 'applyParts' | 'reap' | 'admit'> = {
      ...usual,
      async reap(_tx, _now, settled) {
        settledSites.push(await settled!([here, other]))
        return []
      },
    }
    const { intake } = await openServer(database, 'one', ledger)
    await database.transact(async (tx) => {
      assert.ok(await tryBucket(postgresTx(tx), bucket))
      await intake.accept(visitParts('a.test', 1).map(seal))
      assert.ok(intake.pending() > 0)
      await intake.reap()
    })
    await intake.idle()
    await intake.reap()
    assert.deepEqual(settledSites, [[other], [here, other]])
    assert.equal(intake.pending(), 0)
    await intake.close()
  })
})
