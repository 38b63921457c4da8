/** The same crawl on SQLite and on PostgreSQL, in virtual time: whatever is asked of the two collections, they say the same. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { judge } from '../../../testkit/simulate/judge.ts'
import { outsideTime } from '../../../testkit/simulate/outside-time.ts'
import { runVirtualCoordinator } from '../../../testkit/simulate/virtual-coordinator.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { RequestLedger } from '../../../testkit/web/ledger-of-requests.ts'
import { PLAIN } from '../../../testkit/web/options.ts'
import { makeWeb } from '../../../testkit/web/web.ts'
import { realDisk } from '../../base/real-disk.ts'
import { knownNodeId } from '../../collection/locations/own-locations.ts'
import type { Database } from '../../database/database.ts'
import { lockCollection } from '../../database/lock.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { diskUnder } from '../composition/disk-under.test-data.ts'
import { loadSettings } from '../config/load.ts'
import { enterFromSources } from '../seeds/sources.ts'
import { type OpenCollection, openCollection } from './open.ts'

const SHOP = 'http://shop.test/'
const NAMES = ['a.html', 'b.html', 'gone.html']
const web = makeWeb({
  ...PLAIN,
  seed: 7,
  sites: 4,
  pagesPerSite: 6,
  planted: [
    {
      url: SHOP,
      html: NAMES.map((name) => `<a href="${name}">${name}</a>`).join(' '),
      links: NAMES.map((name) => SHOP + name),
    },
    { url: `${SHOP}a.html`, html: '<title>A</title>the same text in both' },
    { url: `${SHOP}b.html`, html: '<title>A</title>the same text in both' },
    { url: `${SHOP}gone.html`, html: 'no such page', status: 404 },
  ],
})
const SEEDS = [...web.homes(), SHOP]
const { settings } = loadSettings(['--scope', 'tld:test', '--links', 'combined'], 'crawl', {
  env: {},
  readFile: () => undefined,
})

const root = mkdtempSync(join(tmpdir(), 'open-shared-'))
const postgres = await postgresForTests()
after(async () => {
  rmSync(root, { recursive: true })
  if (!('skipped' in postgres)) await postgres.end()
})

/** The folder of the collection that it made. */
async function crawl(name: string, open: (folder: string) => Promise<Database>): Promise<string> {
  const clock = virtualClock(web.plan.epoch)
  const folder = join(root, name, 'collection')
  mkdirSync(join(folder, 'logs'), { recursive: true })
  const database = outsideTime(await open(folder), clock)
  const parts = { web, clock, database, disk: diskUnder(join(root, name)), settings, seeds: SEEDS, workers: 2 }
  const ledger = new RequestLedger(clock)
  const run = runVirtualCoordinator(
    { ...parts, ledger, randomSeed: 3, journal: { record() {} } },
    new AbortController().signal,
  )
  await clock.run(run)
  const { expected, examples, ...wrong } = await judge({ web, ledger, database, settings, seeds: SEEDS })
  assert.ok(expected > 20)
  assert.deepEqual(Object.values(wrong).flat().filter(Boolean), [], JSON.stringify({ ...wrong, examples }))
  await database.close()
  return folder
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Without what depends on the order of requests: times, volumes, places in them, and which of two alike came first. */
async function answersOf(rooms: OpenCollection): Promise<Record<string, unknown>> {
  const pages = (await all(rooms.exportPages())) as Record<string, unknown>[]
  const urls = pages.map(({ url }) => String(url)).sort()
  const { trend, begunAt, lastAt, ...standing } = await rooms.standing()
  assert.ok(trend.length > 0 && begunAt! < lastAt!)
  const { ratesByDay, storedTwice, ...figures } = await rooms.figures()
  assert.equal(ratesByDay.length, 1)
  assert.ok(storedTwice <= figures.duplicates)
  const { took, ...characters } = await rooms.web()
  assert.equal((await all(rooms.exportLinks())).length, characters.links.all, 'one count of links')
  // Which of the workers came first to the sites, and so wrote a volume.
  const { volumes, records, ...verified } = await rooms.verify(() => {})
  assert.ok(volumes > 0 && records > 0)
  const facts: unknown[] = []
  for (const url of urls) {
    const { view, page, inlinks, captures, robots } = await rooms.urlFacts(url, 1000)
    const content = await rooms.content(url, undefined)
    facts.push({
      url,
      mark: view?.mark,
      outcome: page?.outcome,
      title: page?.title,
      captures,
      robots,
      inlinks: { ...inlinks, from: inlinks.from.sort() },
      body: Buffer.from(content?.body ?? []).toString('latin1'),
      history: (await rooms.history(url)).captures.map(({ status, mediaType, digest }) => ({
        status,
        mediaType,
        digest,
      })),
      whyNot: await rooms.whyNot(url, settings),
    })
  }
  const sites = [...new Set(pages.map(({ site }) => String(site)))].sort()
  return {
    standing,
    figures,
    web: { ...characters, thresholds: characters.thresholds.filter(({ name }) => name !== 'time') },
    seeds: await rooms.seedStanding(),
    outcomes: (await all(rooms.seedOutcomes())).sort((a, b) => (a.url < b.url ? -1 : 1)),
    facts,
    sites: await Promise.all(
      sites.map(async (site) => {
        const { view, documents, findings } = await rooms.siteFacts(site)
        return {
          site,
          state: view?.state,
          known: view?.known,
          waiting: view?.waiting,
          documents,
          findings: findings.length,
        }
      }),
    ),
    duplicates: (await rooms.duplicates(10)).map(({ urls, ...content }) => ({ ...content, urls: urls.sort() })),
    mirrors: (await rooms.mirrors({ heuristic: 'SameHome', examples: 5 })).heuristics,
    links: (await all(rooms.exportLinks())).map(({ from, to }) => `${from} ${to}`).sort(),
    linksInto: await rooms.linksInto(join(root, `links-${pages.length}-${Object.keys(figures).length}.db`)),
    index: (await all(rooms.exportCdxj())).length,
    verify: verified,
  }
}

describe('a collection in a shared database', {
  skip: 'skipped' in postgres && postgres.skipped,
}, () => {
  let address = ''
  let embedded = ''
  let shared = ''
  before(async () => {
    assert.ok(!('skipped' in postgres))
    address = await postgres.newDatabase()
    embedded = await crawl('embedded', async (folder) => openSqlite(join(folder, 'collection.db')))
    shared = await crawl('shared', () => openPostgres(address))
  })

  it('answers like a collection in a folder', async () => {
    const one = await openCollection(embedded)
    const other = await openCollection(shared, { database: address })
    const [expected, answers] = [await answersOf(one), await answersOf(other)]
    for (const name of Object.keys(expected)) assert.deepEqual(answers[name], expected[name], name)
    assert.deepEqual((answers.verify as { faults: unknown }).faults, [])
    await one.close()
    await other.close()
  })

  it('can be read from a folder of another machine: volumes missing there are not faults', async () => {
    const rooms = await openCollection(join(root, 'elsewhere'), { database: address })
    try {
      const { faults, notes, volumes, elsewhere } = await rooms.verify(() => {})
      assert.deepEqual(faults, [])
      assert.equal(volumes, 0)
      assert.equal(elsewhere, readdirSync(join(shared, 'archive')).length)
      assert.match(notes.find(({ where }) => where === 'indexes/index.cdxj')?.what ?? '', /name it by -c/)
    } finally {
      await rooms.close()
    }
  })

  it('reports an index that is missing in its own folder', async () => {
    const index = join(shared, 'indexes', 'index.cdxj')
    renameSync(index, `${index}.away`)
    const rooms = await openCollection(shared, { database: address })
    try {
      const { faults } = await rooms.verify(() => {})
      assert.equal(faults.length, 1)
      assert.match(faults[0].what, /^lacks captures: it has 0 of/)
    } finally {
      await rooms.close()
      renameSync(`${index}.away`, index)
    }
  })

  it('names the server of a volume that is not here, and does not count it as a fault', async () => {
    const [volume] = readdirSync(join(shared, 'archive'))
    const away = join(root, volume)
    renameSync(join(shared, 'archive', volume), away)
    const database = await openPostgres(address)
    const location = (node: string) =>
      database.transact(async (tx) => {
        const db = queries(tx)
        await db.run('DELETE FROM volume_location')
        await db.run(
          'INSERT INTO volume_location (name, node, worker, bytes, sealed) VALUES (?, ?, ?, 1, 1)',
          volume,
          node,
          'w1',
        )
      })
    const rooms = await openCollection(shared, { database: address })
    const lost = async () => (await rooms.verify(() => {})).faults.filter(({ where }) => where === volume)
    try {
      assert.equal((await lost()).length, 1)
      await location(knownNodeId(realDisk, shared)!)
      assert.equal((await lost()).length, 1, 'it was sent here, and is gone')
      await location('another')
      await database.transact((tx) =>
        queries(tx).run(
          "INSERT INTO server (id, url, version, started_at, seen_at) VALUES ('another', 'http://127.0.0.1:9', 'x', 0, 0)",
        ),
      )
      const { faults, notes } = await rooms.verify(() => {})
      assert.deepEqual(faults, [])
      assert.match(notes.find(({ where }) => where === volume)?.what ?? '', /^lies with http:\/\/127\.0\.0\.1:9/)
      const captures = await Promise.all([SHOP, `${SHOP}a.html`, ...web.homes()].map((url) => rooms.history(url)))
      const [inIt] = [SHOP, `${SHOP}a.html`, ...web.homes()].filter(
        (_, i) => captures[i].captures[0]?.volume === volume,
      )
      await assert.rejects(rooms.content(inIt, undefined), /lies with http:\/\/127\.0\.0\.1:9/)
    } finally {
      await rooms.close()
      await database.close()
      renameSync(away, join(shared, 'archive', volume))
    }
  })

  it('accepts seeds while a server has the folder open', async () => {
    const request = { words: ['http://new.test/', SHOP], cdx: [], warc: [], version: '0.0.0-test' }
    const watch = { stopped: () => false, progress() {} }
    const lock = lockCollection(shared)
    try {
      const given = { ...settings, database: address, collection: shared }
      const { reports } = await enterFromSources(given, request, watch)
      assert.deepEqual([reports[0].new, reports[0].known], [1, 1])
    } finally {
      lock.release()
    }
    const rooms = await openCollection(shared, { database: address })
    assert.equal((await rooms.urlFacts('http://new.test/', 1)).view?.mark, 'waiting')
    assert.equal((await rooms.standing()).state, 'unfinished')
    assert.deepEqual(
      (await rooms.seedStanding()).map(({ source, waiting }) => ({ source, waiting })),
      [{ source: 'given', waiting: 1 }],
    )
    await rooms.close()
  })

  it('is running while one of its servers is alive', async () => {
    const rooms = await openCollection(shared, { database: address })
    const database = await openPostgres(address)
    const seen = (ago: number) =>
      database.transact((tx) =>
        queries(tx).run('UPDATE server SET seen_at = floor(extract(epoch FROM now()) * 1000) - ?', ago),
      )
    await seen(5_000)
    assert.equal((await rooms.standing()).state, 'running')
    await seen(120_000)
    assert.equal((await rooms.standing()).state, 'unfinished')
    await database.close()
    await rooms.close()
  })

  it("measures what others wrote by the database's time, not by this machine's", async (t) => {
    const { now } = Date
    t.mock.method(Date, 'now', () => now() + 3_600_000)
    const rooms = await openCollection(shared, { database: address })
    const database = await openPostgres(address)
    await database.transact((tx) =>
      queries(tx).run('UPDATE server SET seen_at = floor(extract(epoch FROM now()) * 1000) - 5000'),
    )
    const [server] = (await rooms.standing()).cluster!.servers
    assert.ok(server.alive && server.seenMs >= 5000 && server.seenMs < 60_000, `seen ${server.seenMs} ms ago`)
    const shown = await rooms.cluster({ skip: 0, atMost: 1 })
    assert.ok(shown.servers[0].alive)
    await database.close()
    await rooms.close()
  })

  it("throws 'no-collection' where there is none", async () => {
    assert.ok(!('skipped' in postgres))
    const empty = await postgres.newDatabase()
    await assert.rejects(openCollection(shared, { database: empty }), { code: 'no-collection' })
  })
})
