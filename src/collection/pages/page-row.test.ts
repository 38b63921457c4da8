import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import type { PageReport } from '../../contracts/report.ts'
import { afterFetch, pageRow } from './page-row.ts'

const PAGE = 'http://a.test/1'
const rowOf = (more: Partial<PageReport>, content = 'x') => pageRow(1n, samplePage(PAGE, more, content))

test('the validators are those of the last answer that had a page', () => {
  const memory = { ...samplePage(PAGE).memory!, etag: '"1"', lastModified: 'Sun, 15 Nov 2026 08:49:37 GMT' }
  const row = rowOf({ at: NOON, memory })
  assert.deepEqual([row.etag, row.lastModified], ['"1"', memory.lastModified])
  const next = afterFetch(row, rowOf({ at: NOON + 1, memory: { ...memory, etag: '"2"', lastModified: undefined } }))!
  assert.deepEqual([next.etag, next.lastModified], ['"2"', null])
})
