/** A collection from before domains were counted: its sites take their places when it is opened, once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { link, openBench, START } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { signed64 } from '../../base/digest.ts'
import { migrations } from '../../database/migrations/index.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { bringUpToDate } from '../../database/sqlite/schema.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { FIRST_RULES } from '../../web/url/rules.ts'
import { siteKey, urlReader } from '../../web/url/web-url.ts'
import { NOT_DEFERRED } from '../rules/domains.ts'
import { countDomains } from './count-domains.ts'
import { rulesOf } from './tools.ts'

const SITES = 2500
const folder = mkdtempSync(join(tmpdir(), 'domains-'))
after(() => rmSync(folder, { recursive: true }))

/** A hub that was visited, a page of another domain, and what they found: the first thousand is the other's. */
function makeVersion6(path: string): void {
  const file = new DatabaseSync(path)
  bringUpToDate(file, migrations.slice(0, 6))
  const site = file.prepare(`
    INSERT INTO site (key, bucket, name, state, since, rank, fence, known, waiting, seq, address)
    VALUES (?, 0, ?, ?, ?, 0, ?, 1, ?, 1, ?)`)
  const url = file.prepare(`
    INSERT INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
    VALUES (?, ?, ?, 1, ?, ?, 'L', 1, ?, 0, 0, ?)`)
  const put = (name: string, via: string | undefined, visited: boolean) => {
    const key = signed64(siteKey(name))
    const page = link(`${name}/`)
    const from = via === undefined ? undefined : link(`${via}/`)
    const keys = from === undefined ? [null, null] : [signed64(siteKey(from.site)), signed64(from.key)]
    site.run(
      key,
      name,
      visited ? 'crawled' : 'free',
      START,
      visited ? 1 : 0,
      visited ? 0 : 1,
      visited ? '192.0.2.1' : null,
    )
    url.run(key, signed64(page.key), page.url, keys[0], keys[1], START, visited ? 1 : 0)
  }
  file.exec('BEGIN')
  put('abroad.test', undefined, true)
  put('hub.farm.test', 'abroad.test', true)
  for (let number = 0; number < SITES; number++)
    put(`s${number}.farm.test`, number < 1000 ? 'abroad.test' : 'hub.farm.test', false)
  file.exec(`INSERT INTO frontier_meta VALUES ('opened_at', '1'), ('order', 'klwf'); COMMIT`)
  file.close()
}

test('they are counted once, piece by piece, also over a crash', async () => {
  const path = join(folder, 'collection.db')
  makeVersion6(path)
  const urls = urlReader(FIRST_RULES)
  const cut = openSqlite(path)
  const { options } = await openBench(async () => openSqlite(':memory:'), { urls })
  assert.equal(await cut.transact((tx) => countDomains(sqliteTx(tx), rulesOf(options))), true, 'there are more')
  await cut.close()

  const bench = await openBench(async () => openSqlite(path), { urls })
  const { view } = bench.ledger
  const counted = await bench.db.read((tx) => view.domain(tx, 'farm.test'))
  assert.deepEqual([counted?.sites, counted?.endorsed, counted?.held], [SITES + 1, 1001, 0])
  const unendorsedSite = await bench.db.read((tx) => view.site(tx, 's1000.farm.test'))
  assert.deepEqual(unendorsedSite?.unendorsedSite, { referrer: 'hub.farm.test' })
  await bench.restart()
  assert.deepEqual(await bench.db.read((tx) => view.domain(tx, 'farm.test')), counted)

  const one = (sql: string) => bench.db.read((tx) => sqliteTx(tx).get<{ n: number }>(sql)?.n)
  assert.equal(await one(`SELECT sites AS n FROM address_sites WHERE address = '192.0.2.1'`), 2)
  assert.equal(await one(`SELECT count(*) AS n FROM site WHERE deferral > 0`), SITES + 1 - NOT_DEFERRED)
  await bench.db.close()
})
