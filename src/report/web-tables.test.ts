import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebFigures } from '../collection/characterise/characterise.ts'
import { printTable } from './text-table.ts'
import { webTables } from './web-tables.ts'

const NONE = { count: 0, sum: 0, mean: 0, min: 0, median: 0, p90: 0, p99: 0, p999: 0, max: 0, histogram: [] }
const URLS = {
  count: 200,
  sum: 4000,
  mean: 20.04,
  min: 1,
  median: 3,
  p90: 40,
  p99: 900,
  p999: 1200,
  max: 1200,
  histogram: [
    { from: 1, to: 1, count: 20 },
    { from: 2, to: 3, count: 160 },
    { from: 4, to: 7, count: 0 },
    { from: 1024, to: 2047, count: 20 },
  ],
}

const EMPTY: WebFigures = {
  sites: 0,
  urls: 0,
  documents: 0,
  urlsPerSite: NONE,
  documentsPerSite: NONE,
  depth: NONE,
  deepest: NONE,
  urlLength: NONE,
  size: [],
  languages: {},
  mistaken: {},
  statuses: {},
  inLinks: NONE,
  behind: 0,
  outLinks: NONE,
  links: { all: 0, internal: 0, external: 0, home: 0, deep: 0, unknown: 0, internalShare: 0, deepShare: 0 },
  duplicates: { documents: 0, share: 0, perSite: NONE },
  sessionIds: { urls: 0, share: 0, sites: 0 },
  took: NONE,
  thresholds: [],
}

const SOME: WebFigures = {
  ...EMPTY,
  sites: 200,
  urls: 4000,
  documents: 3000,
  urlsPerSite: URLS,
  size: [{ type: 'text/html', ...URLS, mean: 15_000.4, max: 2_000_000 }],
  languages: { pt: 2000, '': 900, en: 100 },
  statuses: { '200': 3000, '404': 999, '-3': 1 },
  links: {
    all: 1000,
    internal: 800,
    external: 200,
    home: 150,
    deep: 50,
    unknown: 0,
    internalShare: 0.8,
    deepShare: 0.25,
  },
  sessionIds: { urls: 140, share: 0.035, sites: 7 },
  took: { ...NONE, count: 4000, mean: 1234, median: 800, p90: 3000, p99: 9000, p999: 20_000, max: 60_000 },
  thresholds: [
    { name: 'size', type: 'text/html', limit: 2_000_000, from: 'here', stops: { sites: 1, urls: 1, documents: 1 } },
    {
      name: 'depth',
      limit: 5,
      from: 'vn',
      stops: { sites: 20, urls: 80, documents: 60 },
      vn: { of: 'sites', share: 0.113 },
    },
    { name: 'depth', limit: 12, from: 'here', stops: { sites: 2, urls: 8, documents: 6 } },
  ],
}

const all = webTables(SOME).map(printTable).join('\n\n')

test('distributions, histograms with bars, shares beside the paper’s', () => {
  assert.match(all, /URLs per site +200 +20 +3 +40 +900 +1,200 +1,200/)
  assert.match(all, /Time per request +4,000 +1\.2s +800ms +3s +9s +20s +1m/)
  assert.match(all, /2 – 3 +160 +80\.00% +█{40}\n/)
  assert.match(all, /4 – 7 +0 +0\.00%\n/)
  assert.match(all, /1,024 – 2,047 +20 +10\.00% +█{5}\n/)
  assert.match(all, /URLs with session ids +140 +3\.50%/)
  assert.match(all, /Within the site +800 +80\.00% +81\.50%/)
  assert.match(all, /of them to deeper pages +50 +25\.00% +29\.50%/)
  assert.match(all, /text\/html +200 +6\.67% +15 kB/)
  assert.match(all, /\(none\) +900 +30\.00%/)
  assert.match(all, /-3 \(no whole answer\) +1 +/)
})

test('thresholds stand together by name, each with what it would have stopped', () => {
  const lines = all.slice(all.indexOf('Limits proposed from')).split('\n')
  assert.match(lines[3], /Depth +5 +VN +20 +80 +60 +10\.00% +11\.3%/)
  assert.match(lines[4], /Depth +12 +here +2 +8 +6 +1\.00%/)
  assert.match(lines[5], /Size, text\/html +2\.0 MB +here +1 /)
})

test('every table fits 80 columns', () => {
  for (const line of all.split('\n')) assert.ok([...line].length <= 80, line)
})

test('an empty web divides by nothing', () => {
  assert.doesNotMatch(webTables(EMPTY).map(printTable).join('\n'), /NaN|Infinity|undefined/)
})
