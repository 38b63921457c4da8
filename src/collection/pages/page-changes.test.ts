/** Whatever is fetched, in whatever order and in batches of whatever size, the rows are the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  lookedAgain,
  NOON,
  samplePage,
  sampleReport,
} from '../../../testkit/contracts/intake/sample-report.contract.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { fileReports } from '../sample-catalogue.test-data.ts'
import { type KnownPage, PageChanges } from './page-changes.ts'

const SITES = ['a.test', 'b.test']
const OUTCOMES: readonly Outcome[] = [
  { kind: 'kept', how: 'first' },
  { kind: 'moved', to: 'http://x.test/' },
  { kind: 'refused', by: 'robots', rule: '/' },
  { kind: 'gone', why: 'no-such-name' },
  { kind: 'later', why: 'connect-timeout', notBefore: NOON },
]

const look = fc.record({
  path: fc.constantFrom('1', '2', '3'),
  outcome: fc.constantFrom(...OUTCOMES),
  content: fc.constantFrom('x', 'y'),
  links: fc.subarray(['http://a.test/1', 'http://c.test/2']),
  isEmpty: fc.boolean(),
  at: fc.integer({ min: 0, max: 1000 }),
})
const report = fc
  .record({ site: fc.constantFrom(...SITES), looks: fc.array(look, { maxLength: 4 }), givenUp: fc.boolean() })
  .map(({ site, looks, givenUp }): VisitReport => {
    const pages = looks.map(({ path, outcome, content, links, isEmpty, at }) => {
      // A kept page always has bytes.
      const nothing = outcome.kind === 'kept' ? {} : { memory: undefined, capture: undefined }
      const bare = isEmpty ? { title: '', mediaType: '', ...nothing } : { language: 'pt' }
      return samplePage(`http://${site}/${path}`, { outcome, at: NOON + at, ...bare }, content, links)
    })
    return sampleReport(site, 1, pages, givenUp ? { ended: 'given-up' } : {})
  })

/** As a visit does, compares a kept page with the fetch before: it is the first, changed or the same. */
function asVisited(batches: readonly (readonly VisitReport[])[]): VisitReport[][] {
  const before = new Map<string, PageReport>()
  const visited = (page: PageReport): PageReport => {
    if (page.outcome.kind !== 'kept') return page
    const again = lookedAgain(page, before.get(page.url))
    before.set(page.url, again)
    return again
  }
  return batches.map((reports) => reports.map((report) => ({ ...report, pages: report.pages.map(visited) })))
}

async function onSqlite(reports: readonly VisitReport[]) {
  const database = openSqlite(':memory:')
  const rows = await database.transact(async (tx) => {
    for (const report of reports) await fileReports(tx, [report])
    return sqliteTx(tx).all<{ links: Uint8Array | null }>(
      `SELECT p.url, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type AS mediaType, p.bytes,
         p.took_ms AS tookMs, p.tries, p.first_at AS firstAt, p.at, p.looks, p.digest, p.title, p.annotations, p.sniffed,
         p.language, p.etag, p.last_modified AS lastModified, l.links
       FROM page p LEFT JOIN page_links l ON l.page = p.id ORDER BY p.url`,
    )
  })
  await database.close()
  return rows.map((row) => ({ ...row, links: hex(row.links) }))
}

function inBatches(batches: readonly (readonly VisitReport[])[]) {
  const table = new Map<string, KnownPage>()
  let id = 0
  for (const reports of batches) {
    const changes = new PageChanges([...table.values()], () => ++id)
    for (const one of reports) changes.add(one)
    // In the order of the statements: given-up sites first, then the rows.
    for (const { row } of table.values())
      if (changes.givenUp.includes(row.site) && row.outcome === 'later') row.outcome = 'gone'
    for (const { id, row, links } of changes.changed())
      table.set(row.url, { id, row, links: links ?? table.get(row.url)?.links })
  }
  return [...table.values()]
    .map(({ row: { site: _site, key: _key, textDigest: _text, simhash: _simhash, ...row }, links }) => ({
      ...row,
      links: hex(links),
    }))
    .sort((a, b) => (a.url < b.url ? -1 : 1))
}

/** For readers, no row of links is the same as an empty one. */
const hex = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('hex')

test('reports in batches give the same rows as one by one on SQLite', async () => {
  const batches = fc.array(fc.array(report, { maxLength: 3 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(batches.map(asVisited), async (given) => {
      assert.deepEqual(inBatches(given), await onSqlite(given.flat()))
    }),
    { numRuns: 60 },
  )
})
