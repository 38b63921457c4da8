import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import type { PageReport } from '../../contracts/report.ts'
import { afterFetch, pageRow } from './page-row.ts'

const PAGE = 'http://a.test/1'
const rowOf = (more: Partial<PageReport>, content = 'x') => pageRow(1n, samplePage(PAGE, more, content))

test('looks at a page that was there before count its changes and the time between them', () => {
  let row = rowOf({ at: NOON })
  const looks: [at: number, content: string][] = [
    [1000, 'x'],
    [3000, 'y'],
    [3500, 'y'],
  ]
  for (const [at, content] of looks) row = afterFetch(row, rowOf({ at: NOON + at }, content))!
  assert.deepEqual([row.looks, row.changes, row.changedMs, row.unchangedMs], [4, 1, 2000, 1500])
  const gone = afterFetch(row, rowOf({ at: NOON + 9000, outcome: { kind: 'gone', why: 'status-404' } }))!
  const back = afterFetch(gone, rowOf({ at: NOON + 9500 }, 'z'))!
  assert.deepEqual([back.changes, back.changedMs, back.unchangedMs], [1, 2000, 1500])
})

test('the validators are those of the last answer that had a page', () => {
  const memory = { ...samplePage(PAGE).memory!, etag: '"1"', lastModified: 'Sun, 15 Nov 2026 08:49:37 GMT' }
  const row = rowOf({ at: NOON, memory })
  assert.deepEqual([row.etag, row.lastModified], ['"1"', memory.lastModified])
  const next = afterFetch(row, rowOf({ at: NOON + 1, memory: { ...memory, etag: '"2"', lastModified: undefined } }))!
  assert.deepEqual([next.etag, next.lastModified], ['"2"', null])
})
