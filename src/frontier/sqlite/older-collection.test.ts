/** A collection of version 4 is opened with all that it has, and goes on. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { link, openBench, START, whole } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { signed64 } from '../../base/digest.ts'
import { migrations } from '../../database/migrations/index.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { bringUpToDate } from '../../database/sqlite/schema.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { FIRST_RULES } from '../../web/url/rules.ts'
import { siteKey, urlReader } from '../../web/url/web-url.ts'

const SITES = ['a.test', 'b.test', 'c.test']
const MARKS = [0, 1, 2, 3, 4, 0]
const TABLES = ['site', 'url', 'seed', 'page', 'finding', 'site_memory']

function makeVersion4(path: string): Map<string, unknown[]> {
  const file = new DatabaseSync(path)
  bringUpToDate(file, migrations.slice(0, 4))
  const site = file.prepare(`
    INSERT INTO site (key, bucket, name, state, since, rank, losses, known, waiting, seq, seed)
    VALUES (?, 0, ?, 'free', ?, ?, ?, 6, 2, 6, 1)`)
  const url = file.prepare(`
    INSERT INTO url (site, key, url, depth, path, seq, enqueued_at, due_at, tries, mark)
    VALUES (?, ?, ?, 1, 'L', ?, ?, 0, 0, ?)`)
  for (const [at, name] of SITES.entries()) {
    const key = signed64(siteKey(name))
    site.run(key, name, START, at, SITES.length - at)
    file.prepare('INSERT INTO site_memory (site, memory) VALUES (?, ?)').run(key, '{"robots":{},"fetched":7}')
    for (const [seq, mark] of MARKS.entries()) {
      const { url: text, key: urlKey } = link(`${name}/${seq}`)
      url.run(key, signed64(urlKey), text, seq, START, mark)
      if (seq === 0)
        file
          .prepare('INSERT INTO seed (site, key, url, added_at) VALUES (?, ?, ?, ?)')
          .run(key, signed64(urlKey), text, 1)
    }
  }
  file.exec(`
    INSERT INTO frontier_meta VALUES ('opened_at', '1');
    INSERT INTO page (site, key, url, depth, path, status, outcome, media_type, bytes, took_ms, tries, first_at, at, title,
      annotations) VALUES (1, 2, 'http://a.test/', 0, '', 200, 'kept', 'text/html', 3, 4, 1, 5, 6, 'A', '');
    INSERT INTO finding (site, rule, evidence, at) VALUES (1, 'depth', '51 > 50', 7);`)
  const rows = new Map(TABLES.map((table) => [table, read(file, table)]))
  file.close()
  return rows
}

function read(file: DatabaseSync, table: string): Record<string, unknown>[] {
  const statement = file.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`)
  statement.setReadBigInts(true)
  return statement.all()
}

test('it keeps every row, and its sites are handed out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'older-'))
  const path = join(folder, 'collection.db')
  try {
    const before = makeVersion4(path)
    const db = openSqlite(path)
    const file = new DatabaseSync(path, { readOnly: true })
    for (const [table, rows] of before)
      for (const [at, row] of read(file, table).entries())
        assert.deepEqual({ ...row, ...(rows[at] as object) }, { ...row }, `${table} ${at}`)
    for (const [table, rows] of before) assert.equal(read(file, table).length, rows.length, table)
    file.close()
    const bench = await openBench(async () => db, { urls: urlReader(FIRST_RULES) })
    bench.clock.pass(1_000)
    const totals = await db.read((tx) => bench.ledger.view.totals(tx))
    assert.deepEqual(totals.urls, { known: 18, marked: 12, waiting: 6 })
    assert.deepEqual(await bench.names('w1', 1), ['c.test'], 'those lost less often come first, as before')
    const { visits } = await bench.frontier.checkOut('w1', 9)
    assert.deepEqual(
      visits.map((visit) => [visit.site, visit.agenda.length, visit.memory.fetched]),
      [
        ['b.test', 2, 7],
        ['a.test', 2, 7],
      ],
    )
    await bench.applyParts(...visits.map((visit) => whole(bench, visit)))
    assert.equal(await db.read((tx) => sqliteTx(tx).get(`SELECT 1 FROM urls WHERE lastmod IS NOT NULL`)), undefined)
    await db.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
