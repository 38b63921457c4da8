import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { DigestFilter } from './captures/digest-filter.ts'
import { capturesSince } from './captures/read-captures.ts'
import { findingsOf } from './pages/read-pages.ts'
import { fileReports } from './sample-catalogue.test-data.ts'
import { catalogueWriter } from './write-reports.ts'

test('a withdrawal concerns the findings before it, in whatever order they come', async () => {
  const database = openSqlite(':memory:')
  const found = (at: number, more = {}) => ({
    rule: 'maze',
    evidence: `at ${at}`,
    at: NOON + at,
    pattern: '/x',
    ...more,
  })
  const findings = [found(2, { withdrawn: true }), found(1), found(3)]
  await database.transact((tx) => fileReports(tx, [sampleReport('a.test', 1, [], { findings })]))
  const stored = await database.read((tx) => findingsOf(tx, 'a.test'))
  assert.deepEqual(
    stored.map(({ evidence, withdrawn_at }) => [evidence, withdrawn_at]),
    [
      ['at 3', null],
      ['at 1; at 2', NOON + 2],
    ],
  )
})

test('a payload that comes again in the same transaction is a duplicate, before the filter knows it', async () => {
  const database = openSqlite(':memory:')
  const filter = DigestFilter.ofBits(1024)
  filter.markFilled()
  const page = (path: string) => samplePage(`http://a.test/${path}`, {}, 'the same')
  const { digest } = page('1').capture!
  const writer = await database.transact(async (tx) => {
    const writer = catalogueWriter(tx, 0, filter)
    for (const pages of [[page('1'), page('2')], [page('3')]]) {
      const reports = [sampleReport('a.test', 1, pages)]
      await writer.write(reports, await writer.readBefore(reports))
    }
    return writer
  })
  assert.equal(filter.mayHave(digest), false)
  writer.durable()
  assert.equal(filter.mayHave(digest), true)
  const captures = await database.read((tx) => capturesSince(tx, 0, 10))
  assert.deepEqual(
    captures.map(({ duplicate }) => duplicate),
    [false, true, true],
  )
})
