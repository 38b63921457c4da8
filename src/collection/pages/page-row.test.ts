import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import type { PageReport } from '../../contracts/report.ts'
import { afterFetch, failedLook, pageRow } from './page-row.ts'

const PAGE = 'http://a.test/1'
const rowOf = (more: Partial<PageReport>, content = 'x') => pageRow(1n, samplePage(PAGE, more, content))

test('the validators are those of the last answer that had a page', () => {
  const memory = { ...samplePage(PAGE).memory!, etag: '"1"', lastModified: 'Sun, 15 Nov 2026 08:49:37 GMT' }
  const row = rowOf({ at: NOON, memory })
  assert.deepEqual([row.etag, row.lastModified], ['"1"', memory.lastModified])
  const next = afterFetch(row, rowOf({ at: NOON + 1, memory: { ...memory, etag: '"2"', lastModified: undefined } }))
  assert.deepEqual([next.etag, next.lastModified], ['"2"', null])
})

const nothing = { memory: undefined, capture: undefined, title: '', mediaType: '', bytes: 0 }
const FAILED: readonly Partial<PageReport>[] = [
  { status: 404, outcome: { kind: 'gone', why: 'status-404' }, title: 'Not found', memory: undefined, bytes: 9 },
  { status: 410, outcome: { kind: 'gone', why: 'status-410' }, ...nothing },
  { status: -2, outcome: { kind: 'gone', why: 'connect' }, ...nothing },
  { status: -9998, outcome: { kind: 'refused', by: 'robots', rule: 'Disallow: /' }, ...nothing },
  { status: -5000, outcome: { kind: 'refused', by: 'scope', rule: 'exclude x' }, ...nothing },
  { status: 301, outcome: { kind: 'moved', to: 'http://b.test/' }, ...nothing },
]

test('a page that is not there now shows the last outcome and keeps what it was', () => {
  const memory = { ...samplePage(PAGE, {}, 'x').memory!, etag: '"1"', lastModified: 'then' }
  const good = rowOf({ memory, language: 'pt', sniffed: 'text/plain' })
  for (const failed of FAILED) {
    const row = afterFetch(good, rowOf({ at: NOON + 5, ...failed }, 'an error page'))
    const { status, outcome, why, detail, at, looks, tookMs, annotations, tries, ...was } = row
    assert.deepEqual([status, outcome, at, looks], [failed.status, failed.outcome!.kind, NOON + 5, 2])
    // It may be the condition that its server can't stand.
    const kept = outcome === 'gone' ? { ...good, etag: null, lastModified: null } : good
    for (const [name, value] of Object.entries(was)) assert.equal(value, kept[name as keyof typeof kept], name)
    // And when it is back, it is compared with that.
    const back = afterFetch(row, rowOf({ at: NOON + 9, outcome: { kind: 'kept', how: 'changed' } }, 'new'))
    assert.deepEqual([back.outcome, back.looks, back.bytes, back.language], ['kept', 3, 3, null])
  }
})

test('a temporary failure leaves a kept page kept, and counts as a look', () => {
  const good = rowOf({ memory: { ...samplePage(PAGE, {}, 'x').memory!, etag: '"1"', lastModified: 'then' } })
  const after = (why: 'reset' | 'status-5xx' | 'status-503') =>
    afterFetch(good, rowOf({ outcome: { kind: 'later', why, notBefore: NOON }, ...nothing }))
  for (const why of ['reset', 'status-5xx'] as const)
    assert.deepEqual(after(why), { ...good, etag: null, lastModified: null, looks: 2 }, 'and is asked for plainly next')
  assert.deepEqual(after('status-503'), { ...good, looks: 2 }, 'it only asked to wait')
})

test('a look that found the same moves time, status and validators on, and nothing else', () => {
  const good = rowOf({ memory: { ...samplePage(PAGE, {}, 'x').memory!, etag: '"1"', lastModified: 'then' } })
  const memory = { ...samplePage(PAGE, {}, 'x').memory!, etag: '"2"' }
  const unmodified = {
    status: 304,
    outcome: { kind: 'kept', how: 'same' } as const,
    title: '',
    mediaType: '',
    bytes: 0,
  }
  const row = afterFetch(good, rowOf({ at: NOON + 5, memory, ...unmodified }))
  const moved = { at: NOON + 5, looks: 2, status: 304, why: 'same', etag: '"2"', lastModified: null }
  assert.deepEqual(row, { ...good, ...moved })
})

test('a sitemap that was not read again still has the URLs it listed', () => {
  const memory = { digest: 'sha1:map', textDigest: 0n, simhash: 0n }
  const read = (more: object) => rowOf({ memory, outcome: { kind: 'read', as: 'sitemap', urls: 0, ...more } })
  assert.equal(afterFetch(read({ urls: 7 }), read({ same: true })).detail, '7 URLs')
})

test('looks without a capture are noted, of known pages only, and at most fifty', () => {
  const [missing, , unreachable, forbidden] = FAILED.map((failed) => samplePage(PAGE, failed))
  const good = rowOf({})
  const after = (page: PageReport, looks = 1) => afterFetch({ ...good, looks }, pageRow(1n, page))
  assert.equal(failedLook(good, after(missing), missing), undefined, 'its answer is a capture')
  const { site: _site, key: _key, ...look } = failedLook(good, after(forbidden), forbidden)!
  const why = { outcome: 'refused', why: 'robots', detail: 'Disallow: /' }
  assert.deepEqual(look, { slot: 2, at: NOON, status: -9998, ...why })
  assert.equal(failedLook(good, after(unreachable, 149), unreachable)!.slot, 0)
  const never = pageRow(1n, unreachable)
  assert.equal(failedLook(never, afterFetch(never, never), unreachable), undefined)
})
