import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  lookedAgain,
  NOON,
  samplePage,
  sampleReport,
} from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import { packLinks } from '../../contracts/adjacency.ts'
import type { PageReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { fileReports } from '../sample-catalogue.test-data.ts'
import { exportLinks, linkTable } from './export-links.ts'
import { indexLinks, linksToIndex } from './index-links.ts'
import { InlinkCounts } from './inlink-counts.ts'
import { countedTargets, whoLinksHere } from './read-inlinks.ts'

const URLS = [
  'http://a.test/',
  'http://a.test/1',
  'http://a.test/2',
  'http://b.test/',
  'http://b.test/1',
  'http://c.test/',
]
/** The frontier has the text of every URL in scope. */
async function open(): Promise<Database> {
  const database = openSqlite(':memory:')
  await database.transact((tx) => {
    for (const url of URLS) {
      const sql = `INSERT INTO url (site, key, url, depth, path, seq, enqueued_at, due_at, mark)
        VALUES (?, ?, ?, 0, '', 0, 0, 0, 0)`
      sqliteTx(tx).run(sql, siteKeyOf(new URL(url).host), signed64(hash64(url)), url)
    }
  })
  return database
}

const file = (database: Database, page: PageReport) =>
  database.transact((tx) => fileReports(tx, [sampleReport(new URL(page.url).host, 1, [page])]))

const lastLooks = new WeakMap<Database, Map<string, PageReport>>()

/** As a visit reports it: compared with the fetch before. */
async function look(database: Database, url: string, links: string[]) {
  const last = lastLooks.get(database) ?? new Map<string, PageReport>()
  lastLooks.set(database, last)
  const page = lookedAgain(samplePage(url, {}, `${url} ${links}`, links), last.get(url))
  last.set(url, page)
  await file(database, page)
}

async function indexAll(database: Database, atOnce = 2): Promise<void> {
  while ((await database.transact((tx) => indexLinks(tx, atOnce))) > 0);
}

function countOf(database: Database, url: string): Promise<number> {
  return database.read(async (tx) => {
    for await (const { site, key, pages } of countedTargets(tx))
      if (site === siteKeyOf(new URL(url).host) && key === signed64(hash64(url))) return pages
    return 0
  })
}

/** Every page is new to the index again. */
function emptyIndex(tx: Tx): void {
  for (const sql of ['DELETE FROM inlink', 'DELETE FROM links_changed', 'UPDATE inlink_upto SET page = 0'])
    sqliteTx(tx).run(sql)
}

const inlinks = (database: Database, url: string) =>
  database.read((tx) => whoLinksHere(tx, new URL(url).host, hash64(url)))

test('inlinks are right after pages changed their links, indexed in any batches', async () => {
  const action = fc.oneof(
    fc.record({
      kind: fc.constant('look' as const),
      url: fc.constantFrom(...URLS),
      links: fc.array(fc.constantFrom(...URLS), { maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constant('index' as const),
      pages: fc.integer({ min: 1, max: 4 }),
      bytes: fc.integer({ min: 1, max: 100 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const database = await open()
      const truth = new Map<string, Set<string>>()
      for (const act of actions) {
        if (act.kind === 'index') await database.transact((tx) => indexLinks(tx, act.pages, act.bytes))
        else {
          await look(database, act.url, act.links)
          truth.set(act.url, new Set(act.links))
        }
      }
      await indexAll(database)
      for (const rebuilt of [false, true]) {
        if (rebuilt) await database.transact(emptyIndex)
        await indexAll(database, 3)
        for (const url of URLS) {
          const expected = [...truth].filter(([, links]) => links.has(url)).map(([from]) => from)
          const { count, from, behind } = await inlinks(database, url)
          assert.deepEqual(from.sort(), expected.sort())
          assert.equal(count, expected.length)
          assert.equal(behind, 0)
          assert.equal(await countOf(database, url), expected.length)
        }
      }
      await database.close()
    }),
    { numRuns: 60 },
  )
})

test('a batch takes no more bytes than allowed, but at least one page', async () => {
  const database = await open()
  for (const url of URLS) await look(database, url, [URLS[0], URLS[1]])
  const piece = (bytes: number) => database.transact((tx) => indexLinks(tx, 100, bytes))
  assert.deepEqual([await piece(1), await piece(1), await piece(1000), await piece(1)], [1, 1, 4, 0])
  await database.close()
})

test('a page that was not read this time keeps its links, also one that is missing; one that has moved has others', async () => {
  const database = await open()
  await look(database, URLS[0], [URLS[1]])
  await look(database, URLS[0], [URLS[1]])
  const later: Partial<PageReport> = {
    outcome: { kind: 'later', why: 'connect-timeout', notBefore: NOON },
    ...{ status: -2, memory: undefined, capture: undefined },
  }
  await file(database, samplePage(URLS[0], later))
  await indexAll(database)
  assert.equal((await inlinks(database, URLS[1])).count, 1)
  const gone = samplePage(URLS[0], { outcome: { kind: 'gone', why: 'status-404' }, status: 404, memory: undefined })
  await file(database, gone)
  await indexAll(database)
  assert.equal((await inlinks(database, URLS[1])).count, 1)
  const moved = samplePage(URLS[0], { outcome: { kind: 'moved', to: URLS[3] }, status: 301, memory: undefined }, '', [
    URLS[3],
  ])
  await file(database, moved)
  assert.equal(await database.read(linksToIndex), 1)
  await indexAll(database)
  assert.equal((await inlinks(database, URLS[1])).count, 0)
})

test('links are exported as URLs, and as a table in a file of its own', async () => {
  const database = await open()
  await look(database, URLS[0], [URLS[1], URLS[3]])
  await look(database, URLS[3], [URLS[0]])
  const unwanted = packLinks([
    { key: hash64('http://far.test/x'), siteKey: hash64('far.test'), url: 'http://far.test/x' },
  ])
  await file(database, samplePage(URLS[5], { links: unwanted }))
  const links: [string, string][] = []
  for await (const { from, to } of exportLinks(database)) links.push([from, to])
  assert.deepEqual(links, [
    [URLS[0], URLS[1]],
    [URLS[0], URLS[3]],
    [URLS[3], URLS[0]],
    [URLS[5], 'http://far.test/x'],
  ])
  const folder = mkdtempSync(join(tmpdir(), 'links-'))
  try {
    const into = join(folder, 'links.db')
    for (let again = 0; again < 2; again++) assert.deepEqual(await linkTable(database, into), { links: 4 })
    const table = openSqlite(into, [{ number: 1, name: 'links', sql: '' }])
    const rows = await table.read((tx) =>
      sqliteTx(tx).all<{ from_url: string }>('SELECT from_url FROM link WHERE to_url = ?', URLS[0]),
    )
    assert.deepEqual(
      rows.map(({ from_url }) => from_url),
      [URLS[3]],
    )
    await table.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('splitting a site with many targets and counting it in passes change nothing', async () => {
  const database = await open()
  const targets = Array.from({ length: 700 }, (_, n) => `http://b.test/${n}`)
  await look(database, URLS[0], targets)
  await look(database, URLS[1], targets.slice(0, 100))
  await indexAll(database)
  await look(database, URLS[0], targets.slice(50))
  await indexAll(database)
  const slots = await database.read((tx) => sqliteTx(tx).all<{ slot: number }>('SELECT slot FROM inlink'))
  assert.ok(slots.length > 200 && slots.some(({ slot }) => slot === -1) && slots.every(({ slot }) => slot < 256))
  for (const [n, from] of [
    [0, [URLS[1]]],
    [60, [URLS[0], URLS[1]]],
    [650, [URLS[0]]],
  ] as const)
    assert.deepEqual((await inlinks(database, targets[n])).from, from)
  const counted = (bytesPerPass?: number) =>
    database.read(async (tx) => {
      const counts = new Map<bigint, number>()
      for await (const { key, pages } of countedTargets(tx, bytesPerPass)) counts.set(key, pages)
      return counts
    })
  const whole = await counted()
  assert.deepEqual([whole.size, [...whole.values()].reduce((sum, n) => sum + n, 0)], [700, 750])
  for (const bytes of [10_000, 1000, 1]) assert.deepEqual(await counted(bytes), whole)
})

test('the counts in memory are those of the index, and are renewed', async () => {
  const database = await open()
  await look(database, 'http://a.test/', ['http://b.test/', 'http://a.test/1'])
  await look(database, 'http://a.test/1', ['http://b.test/'])
  await indexAll(database)
  const counts = new InlinkCounts()
  assert.equal(counts.of(hash64('http://b.test/')), 0, 'not read yet')
  await counts.fill(database)
  const seen = () => URLS.map((url) => counts.of(hash64(url)))
  assert.deepEqual(seen(), [0, 1, 0, 2, 0, 0])
  await look(database, 'http://a.test/', ['http://a.test/1', 'http://a.test/2'])
  await indexAll(database)
  await counts.fill(database)
  assert.deepEqual(seen(), [0, 1, 1, 1, 0, 0])
})

test('counts of very many targets take bounded memory', async () => {
  const database = openSqlite(':memory:')
  const links = Array.from({ length: 3000 }, (_, n) => `http://b.test/${n}`)
  await look(database, 'http://a.test/', links)
  await indexAll(database)
  const known = async (slots?: number) => {
    const counts = new InlinkCounts(slots)
    await counts.fill(database)
    return links.filter((url) => counts.of(hash64(url)) === 1).length
  }
  assert.equal(await known(), 3000)
  const few = await known(2048)
  assert.ok(few > 1400 && few < 1500, String(few))
})
