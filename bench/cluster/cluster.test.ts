/** The measured clusters can be run: no figure is looked at here, only that all pages were asked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { measurePlace } from './by-region.ts'
import { rateFigure } from './rate-figure.ts'

test('the smallest crawl whose volumes go to another folder', async () => {
  const point = await measurePlace('folder', { sites: 2, pagesPerSite: 3, pageBytes: 1000, store: '' })
  assert.equal(point.requests, 8)
  assert.ok(point.workerCpu > 0 && point.serverCpu > 0 && point.storeCpu === 0)
  assert.ok(point.crawlSeconds <= point.wholeSeconds)
})

test('every point of the figure lies in its frame', () => {
  const point = fc.record({
    workers: fc.integer({ min: 1, max: 1000 }),
    sites: fc.integer({ min: 1, max: 1e6 }),
    perSecond: fc.double({ min: 0, max: 1e6, noNaN: true }),
  })
  fc.assert(
    fc.property(
      fc.array(point, { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0.1, max: 60, noNaN: true }),
      (points, latency) => {
        const seen = [...rateFigure(points, latency).matchAll(/cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => [+x, +y])
        assert.equal(seen.length, points.length)
        for (const [x, y] of seen) assert.ok(x >= 70 && x <= 540 && y >= 40 && y <= 280, `${x}, ${y}`)
      },
    ),
  )
})
