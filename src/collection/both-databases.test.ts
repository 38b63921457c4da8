/** The same reports on SQLite and on PostgreSQL give the same answers. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lookedAgain, NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { hash64 } from '../base/digest.ts'
import type { CountName } from '../contracts/counts.ts'
import type { PageReport, VisitReport } from '../contracts/report.ts'
import type { Database, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { usualUrls } from '../web/url/web-url.ts'
import { captureCount, capturesIn, capturesOf, capturesSince, knownEnd } from './captures/read-captures.ts'
import { characterise } from './characterise/characterise.ts'
import { Distribution } from './characterise/distribution.ts'
import { proposeThresholds, type Threshold } from './characterise/thresholds.ts'
import { addCounts, noteFreshness, noteProgress, readCounter, readCounters } from './counters/counters.ts'
import { duplicateContents, evolution, type Figures, figures, type Stretch } from './figures.ts'
import { exportLinks } from './links/export-links.ts'
import { linkIndexer, linksToIndex } from './links/index-links.ts'
import { countedTargets, whoLinksHere } from './links/read-inlinks.ts'
import { proposedMirrors, searchMirrors } from './mirrors/find-mirrors.ts'
import { HEURISTICS } from './mirrors/heuristics.ts'
import { homeOf, whyNoMirror } from './mirrors/homes.ts'
import { answeredSites, findingsOf, linksOfPage, pageOf, pagesSince } from './pages/read-pages.ts'
import { applyReports } from './sample-catalogue.test-data.ts'

const SITES = ['a.test', 'b.test', 'big.test', 'mirror.test', 'www.mirror.test', 'ünï.test', 'Z.test', 'z.test:8080']
const VARIANTS: Partial<PageReport>[] = [
  {},
  { depth: 3, language: 'pt-BR', annotations: ['lenTrunc'] },
  { mediaType: 'application/pdf', sniffed: 'text/html' },
  { status: 404, outcome: { kind: 'gone', why: 'status-404' } },
  { status: 301, outcome: { kind: 'moved', to: 'http://a.test/' }, title: '' },
  {
    status: -9998,
    outcome: { kind: 'refused', by: 'robots', rule: 'Disallow: /x' },
    capture: undefined,
    memory: undefined,
  },
  { status: -2, outcome: { kind: 'later', why: 'connect', notBefore: NOON }, capture: undefined, memory: undefined },
  { tookMs: 61_000, bytes: 3_000_000, depth: 9 },
]

/** Texts that a locale would sort differently, wide characters, an empty title, a quote. */
const urlsOf = (site: string) =>
  ['/', '/A', '/a', '/b?q=ä', "/it's", '/Ünï', '/7', '/8'].map((path) => `http://${site}${path}`)

function reports(): VisitReport[] {
  const all = SITES.flatMap((site, nth) => {
    const urls = urlsOf(site)
    const links = [...urls.slice(0, 3), ...urlsOf(SITES[(nth + 1) % SITES.length]).slice(0, nth)]
    const content = (i: number) =>
      /mirror/.test(site) ? `mirrored ${i}` : i === 2 ? 'everywhere the same' : `${site} ${i}`
    const pages = urls.map((url, i) =>
      samplePage(url, { at: NOON + nth * 61_000 + i, ...VARIANTS[i] }, content(i), links),
    )
    const robots = samplePage(`http://${site}/robots.txt`, { ownRequest: true, path: 'P' }, 'robots')
    const finding = (rule: string, at: number) => ({
      rule,
      evidence: `${site}: ${rule}`,
      at,
      examples: urls.slice(0, 2),
    })
    const findings = [
      finding('site-urls>=5000', NOON),
      ...(nth % 2 === 0 ? [finding('site-urls>=100000', NOON + 1), finding('maze', NOON + 2)] : []),
      ...(nth > 5 ? [{ ...finding('mirror', NOON + nth), pattern: '/x/#' }] : []),
    ]
    const first = sampleReport(site, 1, [robots, ...pages], { findings })
    const digest = pages[0].capture!.digest
    const again = samplePage(
      urls[0],
      {
        at: NOON + 90_000_000 + nth,
        capture: { volume: 'V-2.warc.gz', offset: nth * 1000, length: 200, digest, kind: 'revisit' },
        annotations: ['dup'],
      },
      content(0),
    )
    const changed = samplePage(urls[1], { at: NOON + 90_000_100 + nth }, `${site} new`, links.slice(1))
    const looks = [lookedAgain(again, pages[0]), lookedAgain(changed, pages[1])]
    assert.deepEqual(
      looks.map(({ outcome }) => outcome),
      [
        { kind: 'kept', how: 'same' },
        { kind: 'kept', how: 'changed' },
      ],
    )
    return [first, sampleReport(site, 2, looks, site === 'b.test' ? { ended: 'given-up' } : {})]
  })
  const alike = Array.from({ length: 14 }, (_, i) =>
    samplePage(`http://many.test/${i}`, { depth: i }, 'the same again'),
  )
  const many = sampleReport('many.test', 1, alike)
  return [...all, { ...many, counts: new Map([...many.counts, ['elapsed:courtesy', 30_000]]) }]
}

/** All limits are proposed to be 3, so that each stops something. */
function allThree() {
  const three = new Distribution()
  for (let i = 0; i < 200; i++) three.add(3)
  const sizes = [['text/html', three]] as const
  return { urlsPerSite: three, duplicatesPerSite: three, deepest: three, urlLength: three, took: three, sizes }
}

/** Ids and the order of buckets are each database's own. */
function sorted(rows: readonly object[]): object[] {
  const texts = rows.map((row) => JSON.stringify({ ...row, id: undefined }))
  return texts.sort().map((text) => JSON.parse(text))
}

async function inPieces<Row extends { id: number }>(
  database: Database,
  read: (tx: Tx, after: number, atMost: number) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const piece = await database.read((tx) => read(tx, all.at(-1)?.id ?? 0, 7))
    if (piece.length === 0) return all
    all.push(...piece)
  }
}

/** Links that are indexed, in batches, and some that are not. */
async function fill(database: Database): Promise<void> {
  const all = reports()
  await applyReports(database, all.slice(0, -4))
  const index = linkIndexer(database)
  while (await index.next(1, 3));
  await applyReports(database, all.slice(-4))
  const times = { 'elapsed:store': 2, 'elapsed:processing': 20, 'elapsed:download': 200, 'elapsed:courtesy': 29_778 }
  const counts = new Map(Object.entries({ ...times, checkOuts: 3, 'elapsed:check-out': 30 }) as [CountName, number][])
  await database.transact((tx) => addCounts(tx, NOON, counts))
  await database.transact((tx) => noteFreshness(tx, NOON, 0.25, 0.5))
  for (const [n, waiting] of [9, 7, 3].entries())
    await database.transact((tx) =>
      noteProgress(tx, { at: NOON + n * 61_000, known: 10, collected: 10 - waiting, waiting }),
    )
}

async function targetsOf(tx: Tx): Promise<object[]> {
  const found: object[] = []
  for await (const { site, key, pages } of countedTargets(tx))
    found.push({ site: String(site), key: String(key), pages })
  return found
}

async function answersOf(database: Database): Promise<Record<string, unknown>> {
  const pages = await inPieces(database, pagesSince)
  const captures = await inPieces(database, capturesSince)
  const homes: string[] = []
  for (let last: bigint | undefined; ; ) {
    const after = last
    const piece = await database.read((tx) => answeredSites(tx, after, 3))
    homes.push(...piece.urls)
    if (piece.last === undefined) break
    last = piece.last
  }
  const links: string[] = []
  for await (const { from, to } of exportLinks(database)) links.push(`${from} ${to}`)
  const search = await searchMirrors(database, usualUrls)
  const mirrors: Record<string, unknown> = { ...search, list: undefined, close: undefined }
  for (const heuristic of HEURISTICS) mirrors[heuristic] = await search.list(heuristic)
  await search.close()
  const read = await database.read(async (tx) => {
    const duplicates = await duplicateContents(tx, 10, 100)
    const inlinks: object[] = []
    for (const { url } of pages) {
      const { from, ...counted } = await whoLinksHere(tx, new URL(url).host, hash64(url))
      inlinks.push({ url, from: from.sort(), ...counted })
    }
    return {
      pageOf: await Promise.all(
        SITES.map(async (site) => ({ ...(await pageOf(tx, site, hash64(`http://${site}/Ünï`))), id: 0 })),
      ),
      findings: await Promise.all(SITES.map((site) => findingsOf(tx, site))),
      captures: (await capturesOf(tx, 'big.test', hash64('http://big.test/'))).map((capture) => ({
        ...capture,
        id: 0,
      })),
      second: (await capturesIn(tx, 'V-2.warc.gz', 2000, 3)).map((capture) => ({ ...capture, id: 0 })),
      ends: [await knownEnd(tx, 'V-2.warc.gz'), await knownEnd(tx, 'none')],
      count: await captureCount(tx),
      counters: Object.fromEntries([...(await readCounters(tx))].sort()),
      documents: await readCounter(tx, 'documents'),
      figures: await figures(tx, { seen: 1, waiting: 0 }),
      evolution: await evolution(tx, 5),
      duplicates: duplicates.map(({ urls, ...content }) => ({ ...content, urls: urls.sort() })),
      proposed: await proposedMirrors(tx, 5),
      home: await homeOf(tx, usualUrls, 'mirror.test', 0),
      why: await whyNoMirror(tx, usualUrls, { replica: 'a.test', original: 'b.test' }, 0),
      noNews: await whyNoMirror(tx, usualUrls, { replica: 'a.test', original: 'b.test' }, NOON * 2),
      unindexed: await linksToIndex(tx),
      inlinks: sorted(inlinks),
      referenced: sorted(await targetsOf(tx)),
      links: await linksOfPage(tx, pages.find(({ url }) => url === 'http://Z.test/A')!.id),
    }
  })
  return {
    pages: sorted(pages),
    allCaptures: sorted(captures),
    homes: homes.sort(),
    exported: links.sort(),
    mirrors,
    web: await characterise(database),
    thresholds: await database.read((tx) => proposeThresholds(tx, allThree())),
    ...read,
  }
}

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

test('every reader gives the same answer on both databases', { skip }, async () => {
  assert.ok(!('skipped' in postgres))
  const answers: Record<string, unknown>[] = []
  for (const database of [openSqlite(':memory:'), await postgres.make()]) {
    await fill(database)
    answers.push(JSON.parse(JSON.stringify(await answersOf(database), plain)))
    await database.close()
  }
  const [sqlite, shared] = answers
  for (const name of Object.keys(sqlite)) assert.deepEqual(shared[name], sqlite[name], name)
  const { pages, exported, duplicates, figures } = sqlite as Record<string, unknown[]>
  const stops = (sqlite.thresholds as Threshold[]).filter(({ from }) => from === 'here').map(({ stops }) => stops.urls)
  assert.ok(stops.length === 6 && stops.every((urls) => urls > 0), String(stops))
  assert.equal(pages.length, SITES.length * 8 + 14)
  assert.ok((sqlite.referenced as unknown[]).length > 20 && Number(sqlite.unindexed) > 5)
  assert.ok(
    exported.length > 100 && duplicates.length > 2 && Object.keys(figures).length > 10,
    'there is much to compare',
  )
  const stretches = sqlite.evolution as Stretch[]
  assert.ok(stretches.length > 1 && stretches.length <= 5, `${stretches.length} stretches`)
  assert.equal(
    stretches.reduce((sum, { documents }) => sum + documents, 0),
    (sqlite.figures as Figures).documents,
  )
  assert.ok(
    stretches.some(({ visitsAtOnce }) => visitsAtOnce === 0.5 / stretches[0].minutes),
    'of a report that counted',
  )
  assert.deepEqual([stretches[0].freshness, stretches[0].bound, stretches.at(-1)?.bound], [0.25, 0.5, null])
  assert.deepEqual([stretches[0].known, stretches[0].waiting, stretches.at(-1)?.known], [10, 9, null])
  const [day, ...others] = (sqlite.figures as Figures).timesByDay
  assert.deepEqual([day.store, day.courtesy, day.checkOuts, day.checkOut, others], [2, 59_778, 3, 30, []])
  assert.ok(day.documents > 0 && day.visitsAtOnce > 0 && day.visitsAtOnce < 100, JSON.stringify(day))
})

const COLUMNS = {
  sqlite: `SELECT v.name || '.' || c.name AS name FROM sqlite_schema v JOIN pragma_table_info(v.name) c
    WHERE v.type = 'view' ORDER BY v.name, c.cid`,
  postgres: `SELECT v.table_name || '.' || c.column_name AS name FROM information_schema.views v
    JOIN information_schema.columns c ON c.table_schema = v.table_schema AND c.table_name = v.table_name
    WHERE v.table_schema = current_schema() AND v.table_name NOT LIKE 'citus\\_%'  -- what that extension brings
    ORDER BY v.table_name COLLATE "C", c.ordinal_position`,
}

test('both databases have the same views with the same columns', { skip }, async () => {
  assert.ok(!('skipped' in postgres))
  const columns = async (database: Database) => {
    const rows = await database.read((tx) => queries(tx).all<{ name: string }>(COLUMNS[tx.dialect]))
    await database.close()
    return rows.map(({ name }) => name)
  }
  const expected = await columns(openSqlite(':memory:'))
  assert.ok(expected.length > 80)
  assert.deepEqual(await columns(await postgres.make()), expected)
})

/** Keys are bigints, bytes are arrays: both as text, without prototypes. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
