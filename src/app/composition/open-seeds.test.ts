import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bench, KEPT, openBench, PAUSE, part } from '../../../testkit/contracts/frontier/tools.contract.ts'
import { samplePage } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { writePage } from '../../collection/pages/write-page.ts'
import { siteKeyOf } from '../../collection/row-id.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import { seedOutcome } from './open-seeds.ts'

const inMemory = async () => openSqlite(':memory:')

/** One visit to what waits; every URL gets the outcome that is said of it, in the frontier and in the catalogue. */
async function visit(bench: Bench, said: Record<string, Outcome>): Promise<void> {
  bench.clock.pass(PAUSE)
  const visit = await bench.one()
  const pages = visit.agenda.map(({ url, key }) => {
    const outcome = said[url] ?? assert.fail(url)
    return samplePage(url, { key, outcome, status: outcome.kind === 'gone' ? 404 : 200 })
  })
  await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
  await bench.db.transact((tx) => {
    for (const page of pages) writePage(tx, siteKeyOf(visit.site), page)
  })
}

const outcomeOf = (bench: Bench, url: string) =>
  bench.db.read((tx) => seedOutcome({ tx, looks: bench.ledger.view, reader: usualUrls }, { url, source: 'given' }))

test('a seed that moved to another text of its own key waits there, or was sent back and forth', async () => {
  const bench = await openBench(inMemory)
  const [index, folder] = ['http://a.test/index.html', 'http://a.test/']
  await bench.seed(index)
  await visit(bench, { [index]: { kind: 'moved', to: folder } })
  const waiting = await outcomeOf(bench, index)
  assert.deepEqual([waiting.became, waiting.to, waiting.why, waiting.isEmpty], ['moved', folder, null, false])
  await visit(bench, { [folder]: { kind: 'moved', to: index } })
  const endless = await outcomeOf(bench, index)
  assert.deepEqual([endless.became, endless.why, endless.isEmpty], ['moved', 'redirects', true])
})

test('a seed that is a name of a folder’s index stands as that page, not as the folder', async () => {
  const bench = await openBench(inMemory)
  const [folder, other] = ['http://a.test/d/', 'http://a.test/d/default.html']
  await bench.seed(folder)
  await bench.seed(other)
  await visit(bench, { [folder]: KEPT, [other]: { kind: 'gone', why: 'status-404' } })
  assert.equal((await outcomeOf(bench, folder)).became, 'collected')
  const found = await outcomeOf(bench, other)
  assert.deepEqual([found.became, found.why, found.isEmpty], ['dead', 'status-404', true])
})
