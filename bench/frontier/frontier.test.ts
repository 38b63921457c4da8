/** `bench frontier` can be run on something small: no figure is judged here, only that there are some. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { Database } from '../../src/database/database.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { openFrontier } from '../../src/frontier/open-frontier.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { fill } from './fill.ts'
import { fillPostgres } from './fill-postgres.ts'
import type { FrontierFigures } from './measure.ts'
import { NumberedWeb } from './numbered-web.ts'
import { OPTIONS } from './opened.ts'

const MAIN = join(import.meta.dirname, '..', 'main.ts')
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, 'frontier', ...args, '--json'])

interface Sizes {
  sizes: { urls: number; running: FrontierFigures; started: FrontierFigures; bytesPerUrlWithoutText: number }[]
}

test('the smallest frontiers', async () => {
  const { stdout } = await bench('--urls', '2000,4000', '--sites', '100,100', '--visits', '40')
  const { sizes } = JSON.parse(stdout) as Sizes
  assert.deepEqual(
    sizes.map(({ urls }) => urls),
    [2000, 4000],
  )
  for (const { running, started, bytesPerUrlWithoutText } of sizes) {
    assert.ok(bytesPerUrlWithoutText > 0)
    for (const { testsPerSecond, testsInVisits, testsInDatabase, pages } of [running, started]) {
      assert.ok(testsPerSecond > 0 && pages > 0)
      assert.equal(testsInVisits + testsInDatabase, 40 * pages)
    }
  }
})

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
after(() => ('skipped' in postgres ? undefined : postgres.end()))

test('PostgreSQL: what is measured, and plans', { skip }, async () => {
  if ('skipped' in postgres) return
  const database = await postgres.newDatabase()
  const { stdout } = await bench(
    ...['--urls', '2000', '--sites', '100', '--visits', '40', '--database', database, '--plans'],
  )
  const { sizes } = JSON.parse(stdout) as { sizes: (Sizes['sizes'][number] & { plans: string })[] }
  const [{ running, plans }] = sizes
  assert.ok(running.pages > 0)
  const { whileApplying, whileApplyingStatements } = running
  assert.ok(whileApplyingStatements!.meanMs > 0 && whileApplyingStatements!.meanMs <= whileApplying.meanMs)
  assert.match(plans, /FOR UPDATE SKIP LOCKED[\s\S]*Execution Time/)
})

/** Tables that filling writes, without times. */
const ROWS = {
  site: "to_jsonb(t) - '{since,rank}'::text[]",
  url: "to_jsonb(t) - '{enqueued_at}'::text[]",
  domain: 'to_jsonb(t)',
  unendorsed_site: 'to_jsonb(t)',
  url_spelling: 'to_jsonb(t)',
}

test('PostgreSQL is filled with the rows that the ledger would make', { skip }, async () => {
  if ('skipped' in postgres) return
  const rowsOf = (database: Database, [table, columns]: readonly [string, string]) =>
    database.read((tx) =>
      postgresTx(tx).all<{ row: string }>(`SELECT (${columns})::text AS row FROM ${table} t ORDER BY 1`),
    )
  const web = new NumberedWeb({ urls: 700, sites: 100 }, 1)
  const say = () => {}
  const slow = await postgres.make()
  const subject = openFrontier(slow, OPTIONS)
  await fill({ database: slow, subject }, web, say)
  const fast = await postgres.make()
  assert.deepEqual(await fillPostgres(fast, web, say), { urls: 700, textBytes: textBytes(web) })
  for (const rows of Object.entries(ROWS)) assert.deepEqual(await rowsOf(fast, rows), await rowsOf(slow, rows))
})

function textBytes(web: NumberedWeb): number {
  let bytes = 0
  for (let site = 0; site < web.size.sites; site++)
    for (let page = 0; page < web.pagesEach; page++) bytes += web.text(site, page).length
  return bytes
}

test('as many numbers of sites as of URLs', async () => {
  await assert.rejects(bench('--urls', '2000,4000', '--sites', '100'))
  await assert.rejects(bench('--urls', '2000', '--sites', '100,100'))
  await assert.rejects(bench('--urls', '2000', '--sites', '100', '--database', 'oracle'))
})
