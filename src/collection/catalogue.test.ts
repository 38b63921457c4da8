import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import type { Database } from '../database/database.ts'
import { openSqlite, openToRead } from '../database/sqlite/open.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import { noteProgress } from './counters/counters.ts'
import { duplicateContents, figures, progressSince } from './figures.ts'
import { pagesSince } from './pages/read-pages.ts'
import { applyReports, fileReports } from './sample-catalogue.test-data.ts'

const DOCS = new URL('../../docs/reference/catalogue.md', import.meta.url)

const big = sampleReport('big.test', 1, [
  samplePage('http://big.test/', {}, 'same'),
  samplePage('http://big.test/1', {}, 'one'),
  samplePage('http://big.test/2', { at: NOON + 61_000, mediaType: 'text/plain' }, 'two'),
  samplePage('http://big.test/3', { status: 404, outcome: { kind: 'gone', why: 'status-404' } }, 'not here'),
])
const small = sampleReport('small.test', 1, [samplePage('http://small.test/', {}, 'same')])
const tomorrow = sampleReport('next.test', 1, [samplePage('http://next.test/', { at: NOON + 86_400_000 }, 'same')])

async function filled(database: Database): Promise<Database> {
  await applyReports(database, [big, small, tomorrow])
  return database
}

test('answers without a payload are no duplicates of each other', async () => {
  const database = openSqlite(':memory:')
  const moved = (url: string) =>
    samplePage(url, { status: 301, outcome: { kind: 'moved', to: 'http://big.test/' } }, '')
  const report = sampleReport('big.test', 1, ['http://big.test/x', 'http://big.test/y'].map(moved))
  await applyReports(database, [report])
  assert.equal(await database.read(async (tx) => (await figures(tx, { seen: 2, waiting: 0 })).storedTwice), 0)
})

test('every query on the catalogue page works', async () => {
  const database = await filled(openSqlite(':memory:'))
  const blocks = [...readFileSync(DOCS, 'utf8').matchAll(/```sql\n([^`]*)```/g)].map((match) => match[1])
  const questions = blocks.flatMap((block) => block.split(';')).filter((question) => question.trim() !== '')
  assert.ok(questions.length >= 10)
  await database.read((tx) => {
    for (const question of questions) sqliteTx(tx).all(question)
    const [{ url }] = sqliteTx(tx).all<{ url: string }>(questions.find((question) => question.includes('404, 410'))!)
    assert.equal(url, 'http://big.test/3')
  })
})

test('every column of the views is on the catalogue page, and every table', async () => {
  const text = readFileSync(DOCS, 'utf8')
  const database = openSqlite(':memory:')
  await database.read((tx) => {
    const db = sqliteTx(tx)
    const ours = db.all<{ name: string; type: string }>(
      `SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'`,
    )
    for (const { name, type } of ours) {
      assert.ok(text.includes(`\`${name}\``), `${type} ${name}`)
      if (type !== 'view') continue
      const columns = db.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', name)
      for (const column of columns) assert.ok(text.includes(`\`${column.name}\``), `column ${name}.${column.name}`)
    }
  })
})

test('the figures of a report', async () => {
  const database = await filled(openSqlite(':memory:'))
  const all = await database.read((tx) => figures(tx, { seen: 10, waiting: 4 }))
  assert.equal(all.documents, 5)
  assert.equal(all.servers, 3)
  assert.deepEqual(all.urls, { seen: 10, fetched: 6, waiting: 4 })
  assert.equal(all.duplicates, 2)
  assert.deepEqual(all.statuses, { 200: 5, 404: 1 })
  assert.deepEqual(all.refused, { robots: 0, scope: 0, hazard: 0, classifier: 0 })
  assert.deepEqual(all.documentsByType, {
    'text/html': { count: 4, bytes: 15, mean: 4 },
    'text/plain': { count: 1, bytes: 3, mean: 3 },
  })
  assert.deepEqual(all.perServer, { mean: 5 / 3, median: 1, max: 3 })
  assert.deepEqual(
    all.ratesByDay.map(({ day, documents, documentsPerMinute }) => [day, documents, documentsPerMinute]),
    [
      ['2024-01-01', 4, 4],
      ['2024-01-02', 1, 1],
    ],
  )
  assert.equal(all.downloadsPerUrl, 5 / 6)
})

test('the figures of an empty collection are numbers', async () => {
  const all = await openSqlite(':memory:').read((tx) => figures(tx, { seen: 0, waiting: 0 }))
  assert.deepEqual(JSON.parse(JSON.stringify(all)), all)
  assert.equal(all.duplicates, 0)
})

test('contents with all their URLs, the most repeated first, in pages', async () => {
  const database = await filled(openSqlite(':memory:'))
  await database.read(async (tx) => {
    const [first, ...others] = await duplicateContents(tx, 10, 2)
    assert.equal(first.count, 3)
    assert.deepEqual(first.urls, ['http://big.test/', 'http://small.test/'])
    assert.deepEqual(others, [])
    assert.deepEqual(await duplicateContents(tx, 10, 2, 1), [])
  })
})

test('progress per minute shows the trend', async () => {
  const database = openSqlite(':memory:')
  const notes = [0, 10, 60_000, 300_000].map((ms, i) => ({
    at: NOON + ms,
    known: 10 * i,
    collected: i,
    waiting: 9 * i,
  }))
  for (const note of notes) await database.transact((tx) => noteProgress(tx, note))
  const trend = await database.read((tx) => progressSince(tx, NOON))
  assert.deepEqual(
    trend.map(({ at, known }) => [at - NOON, known]),
    [
      [0, 10],
      [60_000, 20],
      [300_000, 30],
    ],
  )
})

test('another process reads what was applied while a crawl goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'))
  const path = join(folder, 'collection.db')
  const writer = openSqlite(path)
  const reader = openToRead(path)
  const seen = () => reader.read(async (tx) => (await pagesSince(tx, 0, 100)).length)
  try {
    assert.equal(await seen(), 0)
    await writer.transact((tx) => fileReports(tx, [small]))
    assert.equal(await seen(), 1)
    await writer.transact(async (tx) => {
      await fileReports(tx, [big])
      // Readers do not see half of a transaction, and do not wait for its end.
      assert.equal(await seen(), 1)
    })
    assert.equal(await seen(), 5)
  } finally {
    await reader.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  }
})

test('documents per minute use the time of the crawl, even across two minutes', async () => {
  const database = openSqlite(':memory:')
  const begun = 1000 * 60_000 + 49_000
  const rates = await database.transact(async (tx) => {
    const db = sqliteTx(tx)
    db.run('INSERT INTO minute (minute, requests, documents) VALUES (1000, 600, 564), (1001, 600, 564)')
    db.run(
      'INSERT INTO site_stats (site, name, first_at, last_at) VALUES (1, ?, ?, ?)',
      'a.test',
      begun,
      begun + 22_000,
    )
    return (await figures(tx, { seen: 1200, waiting: 0 })).ratesByDay
  })
  assert.deepEqual(
    rates.map(({ documents, documentsPerMinute }) => [documents, Math.round(documentsPerMinute)]),
    [[1128, Math.round(1128 / (22 / 60))]],
  )
})
