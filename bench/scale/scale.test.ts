/** That `bench scale` can be run, and that what it computes is right; no figure is looked at here. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { operationOf, sumProfile } from './by-operation.ts'
import { deviations } from './by-sites.ts'
import { mediansOf } from './by-threads.ts'

test('points on a line through the origin do not deviate; one that falls behind does', () => {
  const line = [5, 50, 500].map((sites) => ({ sites, perSecond: sites * 0.3 }))
  for (const away of deviations(line)) assert.ok(Math.abs(away) < 1e-9)
  const [, , last] = deviations([...line.slice(0, 2), { sites: 500, perSecond: 75 }])
  assert.ok(last < -0.2 && last > -0.5, `${last}`)
})

test('a sample belongs to the nearest operation above it, and waiting to none', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url })
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)', ''), children: [2, 6] },
      { id: 2, callFrame: frame('keep', 'file:///x/src/collection/volumes/volume-writer.ts'), children: [3] },
      { id: 3, callFrame: frame('deflate', 'node:zlib'), children: [4] },
      { id: 4, callFrame: frame('tokens', 'file:///x/src/page/parse/tokenizer.ts'), children: [5] },
      { id: 5, callFrame: frame('map', 'file:///x/src/crawl/crawl.ts') },
      { id: 6, callFrame: frame('(idle)', '') },
    ],
    samples: [1, 2, 3, 4, 5, 6],
    timeDeltas: [1, 10, 100, 1000, 10_000, 100_000],
  }
  assert.deepEqual(Object.fromEntries(sumProfile(profile)), { other: 1, store: 110, reading: 11_000 })
  assert.equal(operationOf('fetch/connection.ts'), 'download')
  assert.equal(operationOf('web/deflate/gzip.ts'), 'store')
  assert.equal(operationOf('web/deflate/inflate.ts'), 'download')
  assert.equal(operationOf('frontier/rules/apply-parts.ts'), 'check-in')
  assert.equal(operationOf('frontier/rules/check-out.ts'), 'check-out')
  assert.equal(operationOf('crawl/address-courtesy.ts'), 'courtesy')
})

test('of several runs each figure is the median; of latenesses only those that there are', () => {
  const run = (pagesPerSecond: number, p999Ms: number | undefined) => {
    const rest = { thread: 1, seconds: 1, samples: 1, p50Ms: 0, p99Ms: 0, maxMs: 0, busyP999Ms: 0, busyMaxMs: 0 }
    const lateness = p999Ms === undefined ? null : { ...rest, p999Ms }
    return { processes: 1, threads: 1, pages: 1, pagesPerSecond, cpuSecondsPer1000: 1, peakBytes: 1, lateness }
  }
  const { pagesPerSecond, lateness } = mediansOf([run(30, 9), run(10, undefined), run(20, 4), run(20, 5)])
  assert.deepEqual([pagesPerSecond, lateness?.p999Ms], [20, 5])
  assert.equal(mediansOf([run(1, undefined)]).lateness, null)
})

interface ScaleFigures {
  sites: { sites: number; requests: number; lateness: { samples: number } | null }[]
  threads: { pages: number }[]
  operations: { storeShare: number }[]
}

test('the shortest form of all parts', async () => {
  const sites = ['--sites', '2,4', '--latency', '0.1', '--window', '1', '--bytes', '2000']
  const load = ['--load', '2', '--pages', '4', '--threads', '1', '--runs', '1', '--visits', '2']
  const args = [join(import.meta.dirname, '..', 'main.ts'), 'scale', ...sites, ...load, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 240_000 })
  const figures = JSON.parse(stdout) as ScaleFigures
  assert.deepEqual(
    figures.sites.map((point) => point.sites),
    [2, 4],
  )
  for (const { requests, lateness } of figures.sites) assert.ok(requests > 0 && (lateness?.samples ?? 0) > 0)
  assert.deepEqual(
    figures.threads.map(({ pages }) => pages),
    [8],
  )
  assert.ok(figures.operations[0].storeShare > 0)
})
