/** The measured clusters can be run: no figure is looked at here, only that all pages were asked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measurePlace } from './by-place.ts'

test('the smallest crawl whose volumes go to another folder', async () => {
  const point = await measurePlace('folder', { sites: 2, pagesPerSite: 3, pageBytes: 1000, store: '' })
  assert.equal(point.requests, 8)
  assert.ok(point.workerCpu > 0 && point.serverCpu > 0 && point.storeCpu === 0)
  assert.ok(point.crawlSeconds <= point.wholeSeconds)
})
