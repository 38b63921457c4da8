import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Figures } from '../collection/figures.ts'
import { statusOfRefusal } from '../contracts/outcome.ts'
import { statusText } from './status-text.ts'
import * as tables from './tables.ts'
import { printTable } from './text-table.ts'

const DAY = 86_400_000

/** The Brazilian web of CoBWeb's tables, as far as they tell it; the mean of Table 2 is the right one, not the printed one. */
const BRAZIL: Figures = {
  documents: 1_130_995,
  bytes: 8_300_000_000,
  servers: 35_508,
  urls: { seen: 1_715_114, fetched: 1_292_602, waiting: 422_512 },
  links: 9_000_000,
  duplicates: 79_000,
  storedTwice: 3,
  statuses: { '-2': 4, '200': 1_130_995, '302': 84, '400': 4013, '403': 4338, '404': 99_957 },
  failures: { 'no-such-name': 52_497, reset: 802, 'status-404': 99_957 },
  refused: { robots: 17, scope: 2_000_000, hazard: 0, classifier: 0 },
  unwanted: { mailto: 5000, 'image/gif': 12 },
  stopped: [
    { rule: 'site-depth', limits: ['site-depth>=5'], sites: 4012, urls: 0, withdrawn: 0 },
    { rule: 'site-urls', limits: ['site-urls>=5000'], sites: 284, urls: 91_000, withdrawn: 0 },
    { rule: 'maze', limits: [], sites: 3, urls: 12_345, withdrawn: 1 },
  ],
  documentsByType: {
    'text/html': { count: 1_115_288, bytes: 6_400_000_000, mean: 5738.5 },
    'application/pdf': { count: 15_707, bytes: 1_900_000_000, mean: 120_965 },
  },
  perServer: { mean: 31.85, median: 4, max: 9000 },
  ratesByDay: [
    { day: '2026-03-25', documents: 72_274, bytes: 1, documentsPerMinute: 63, activeMs: DAY },
    { day: '2026-03-26', documents: 99_629, bytes: 1, documentsPerMinute: 107, activeMs: DAY },
    { day: '2026-03-27', documents: 89_969, bytes: 1, documentsPerMinute: 70, activeMs: DAY },
    { day: '2026-03-28', documents: 52_090, bytes: 1, documentsPerMinute: 62, activeMs: DAY },
    { day: '2026-03-29', documents: 71_820, bytes: 1, documentsPerMinute: 64, activeMs: DAY },
  ],
  // As in CoBWeb's Table 1, with 25 collectors; two thirds of the time are pauses.
  timesByDay: [
    {
      ...{ day: '2026-03-25', documents: 72_274, requests: 80_000, wireBytes: 5e8, visitsAtOnce: 25 },
      ...{ store: 7_500, processing: 800_000, download: 273_600_000, courtesy: 545_592_500 },
      ...{ checkOuts: 1000, checkOut: 20_000 },
    },
    {
      ...{ day: '2026-03-26', documents: 0, requests: 0, wireBytes: 0, visitsAtOnce: 0.5 },
      ...{ store: 0, processing: 0, download: 0, courtesy: 1_000_000, checkOuts: 0, checkOut: 0 },
    },
  ],
  downloadsPerUrl: 0.875,
  requests: 1_400_000,
  wireBytes: 9_000_000_000,
  malformed: 1,
  cut: 2,
  troubles: { 'certificate:expired': 12, 'coding:damaged': 3, 'links>50000': 1 },
  seedLinksDropped: 0,
}

const NOTHING: Figures = {
  ...BRAZIL,
  documents: 0,
  bytes: 0,
  servers: 0,
  urls: { seen: 0, fetched: 0, waiting: 0 },
  duplicates: 0,
  statuses: {},
  failures: {},
  refused: {},
  unwanted: {},
  stopped: [],
  documentsByType: {},
  perServer: { mean: 0, median: 0, max: 0 },
  ratesByDay: [],
  timesByDay: [],
  downloadsPerUrl: 0,
  troubles: {},
}

const text = (table: (f: Figures) => Parameters<typeof printTable>[0], figures = BRAZIL) => printTable(table(figures))

test('CoBWeb, Table 2: rates per day with their mean', () => {
  assert.equal(
    text(tables.ratesByDay),
    [
      'Collection rates',
      '  Date        Docs/min  Docs/day',
      '  ──────────────────────────────',
      '  2026-03-25        63    72,274',
      '  2026-03-26       107    99,629',
      '  2026-03-27        70    89,969',
      '  2026-03-28        62    52,090',
      '  2026-03-29        64    71,820',
      '  ──────────────────────────────',
      '  Mean            73.2    77,156',
    ].join('\n'),
  )
})

test('CoBWeb, Table 4: size of the collected web', () => {
  const lines = text(tables.sizeOfWeb).split('\n')
  assert.match(lines[3], /HTML collected +1,115,288 +6\.4 GB +5\.7 kB/)
  assert.match(lines[4], /Other collected +15,707 +1\.9 GB +121 kB/)
  assert.match(lines[5], /Total collected +1,130,995 +8\.3 GB/)
  assert.match(lines[6], /URLs to be collected +422,512 +- +-/)
})

test('CoBWeb, Table 5: servers', () => {
  assert.match(text(tables.servers), /Visited servers +35,508\n.*\(mean\) +31\.9\n.*\(median\) +4\n/)
})

test('marks of documents that were kept all the same', () => {
  const text = printTable(tables.marks(BRAZIL))
  assert.match(text, /the certificate had expired +12\n.*checksum is wrong +3\n +links>50000 +1/)
  assert.deepEqual(tables.marks(NOTHING).rows, [])
})

test('CoBWeb, Table 6: errors, of HTTP and of the network, counted once each', () => {
  const table = text(tables.errors)
  assert.match(table, /404 \(not found\) +99,957/)
  assert.match(table, /server not found +52,497/)
  assert.match(table, /Total +161,607/)
  assert.ok(!table.includes('status-404'))
})

test('CrawlWave, Table 1: statuses with counts and shares', () => {
  const lines = text(tables.statuses).split('\n')
  assert.match(lines[3], /Total successful requests +1,239,387 +100\.00%/)
  assert.match(lines[4], /200 \(OK\) +1,130,995 +91\.25%/)
  assert.equal(lines.length, 9)
})

test('VN, Table 7: sites and URLs stopped by each limit, beside its own', () => {
  const lines = text(tables.limits).split('\n')
  assert.match(lines[3], /site-depth +>=5 +4,012 +11\.30% +0 +11\.3% of sites \(5\)/)
  assert.match(lines[4], /site-urls +>=5000 +284 +0\.80% +91,000 +0\.8% of sites/)
  assert.match(lines[5], /maze +3 +0\.01% +12,345 +1$/)
})

test('a table of many kinds sums up the rest', () => {
  const unwanted = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`kind${i}`, 100 - i]))
  const table = tables.refusals({ ...BRAZIL, refused: {}, unwanted })
  assert.equal(table.rows.length, 17)
  assert.equal(table.rows[15][0], 'Other')
  assert.equal(table.rows[16][1], (100 * 40 - (39 * 40) / 2).toLocaleString('en'))
})

test('an empty collection has tables without rows left out, and no division by nothing', () => {
  const all = tables.allTables(NOTHING).map(printTable).join('\n')
  assert.ok(!/NaN|Infinity|undefined/.test(all))
  assert.ok(all.includes('Visited servers'))
  assert.ok(!all.includes('Errors'))
})

test('VN, Fig. 7a and 7b: time by operation, beside the paper (V19)', () => {
  assert.equal(
    text(tables.operations),
    [
      'Time of visits by operation, beside VN’s with 1 and 30 processes',
      '  Operation                     Time     Share  Per document  VN, 1    VN, 30',
      '  ────────────────────────────────────────────────────────────────────────────',
      '  StoreOriginal                 7.5s     0.00%        0.1 ms  1.2%     64.8%',
      '  StoreText (not stored apart)  -            -             -  (above)  (above)',
      '  Processing                    13m20s   0.10%       11.1 ms',
      '  Download                      3d4h    33.33%    3,785.6 ms',
      '  CourtesyPause                 6d7h    66.58%    7,562.8 ms           4.6%',
    ].join('\n'),
  )
  assert.equal(
    text(tables.operationsByDay),
    [
      'Data downloaded, and time per document by operation',
      '  Date        At once    Data   Store  Processing    Download    Courtesy',
      '  ───────────────────────────────────────────────────────────────────────',
      '  2026-03-25     25.0  500 MB  0.1 ms     11.1 ms  3,785.6 ms  7,548.9 ms',
      '  2026-03-26      0.5     0 B       -           -           -           -',
    ].join('\n'),
  )
  assert.deepEqual(tables.operations(NOTHING).rows, [])
})

test('CoBWeb, Table 1: HTTP and scheduler latency (C11)', () => {
  assert.equal(
    text(tables.latencies),
    [
      'HTTP and scheduler latency',
      '  Date        Visits at once  HTTP (s)  Scheduler (s)',
      '  ───────────────────────────────────────────────────',
      '  2026-03-25  25.0               3.420          0.020',
      '  2026-03-26  0.5                    -              -',
      '  Average     12.8               3.420          0.020',
      '  ───────────────────────────────────────────────────',
      '  CoBWeb      5 to 25            3.390          0.020',
    ].join('\n'),
  )
  assert.deepEqual(tables.latencies(NOTHING).rows, [])
})

test('statuses have texts; what a report calls a status and is none has itself', () => {
  const texts = ['200', '302', '404', '-61', '999', 'constructor'].map(statusText)
  assert.deepEqual(texts, [
    '200 (OK)',
    '302 (moved temporarily)',
    '404 (not found)',
    '-61 (robots.txt unreachable)',
    '999',
    'constructor',
  ])
})

test('every code of a refusal that is in use has a text', () => {
  const kinds = ['robots', 'scope', 'hazard', 'directive', 'unwanted'] as const
  const codes = [...kinds.map((by) => statusOfRefusal(by)), statusOfRefusal('scope', 'depth>3')]
  for (const code of codes) assert.match(statusText(String(code)), /^-\d+ \(.+\)$/)
})
