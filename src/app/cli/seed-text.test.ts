import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesTable } from '../../report/tables.ts'
import { printTable } from '../../report/text-table.ts'
import type { SeedsEntered } from '../seeds/sources.ts'
import { SEEDED } from './fake-services.test-data.ts'
import { emptySeedLine, seedFate, seedJson, seedLines, seedProgress } from './seed-text.ts'

type Report = SeedsEntered['reports'][number]

const reportOf = (changes: Partial<Report> = {}): Report => ({
  ...SEEDED,
  source: 'names',
  name: 'names.csv',
  unit: 'line',
  ...changes,
})

test('seeds from the command line are confirmed in one sentence', () => {
  const reports = [reportOf({ source: 'given', new: 2, known: 1 })]
  assert.equal(
    seedLines({ reports, stopped: false }, 'orbweaver crawl'),
    '2 seeds added, 1 already known. Collect them with: orbweaver crawl',
  )
  assert.equal(
    seedLines({ reports, stopped: false }, undefined),
    '2 seeds added, 1 already known. The servers of this crawl hand them out to their workers.',
  )
})

test('sources: a table with totals, reasons, corrections and damage; no text in them controls the terminal', () => {
  const reports = [
    reportOf({
      new: 1000,
      refused: 7,
      examples: [{ at: 1234, text: 'evil\x1b[2J', why: 'it is no host name' }],
      corrected: [{ at: 2, text: 'htp://a.test', url: 'http://a.test/' }],
      corrections: 3,
      again: 4,
    }),
    reportOf({
      source: 'warc',
      name: 'a.warc.gz',
      unit: 'record',
      known: 5,
      damage: 'ends inside record 9',
      notes: ['cut'],
    }),
  ]
  const lines = seedLines({ reports, stopped: false }, 'orbweaver crawl')
  assert.match(lines, /names\.csv +1,000 +0 +0 +7 +0\n/)
  assert.match(lines, /all +1,000 +5 +0 +7 +0\n/)
  assert.match(
    lines,
    /names\.csv, line 1,234: refused 'evil\?\[2J': it is no host name\n… and refused 6 more in names\.csv/,
  )
  assert.match(lines, /line 2: read 'htp:\/\/a\.test' as http:\/\/a\.test\/\n… and corrected 2 more/)
  assert.match(lines, /a\.warc\.gz ends inside record 9; the seeds before that point were added/)
  assert.match(lines, /4 sites that had been given up will be tried again/)
  assert.match(seedLines({ reports: [reportOf({ refused: 3 })], stopped: false }, 'x'), /No seeds were added/)
  const strange = seedLines({ reports: [reportOf({ damage: 'is no sitemap' })], stopped: false }, 'x')
  assert.match(strange, /names\.csv is no sitemap\n/, 'nothing comes before it')
})

test('seed prints progress, the list of seeds, and JSON', () => {
  assert.equal(seedProgress(reportOf({ new: 2000 })), 'names.csv: 2,000 new, 0 known, 0 dead, 0 refused, 0 repeated')
  const row = { source: 'names', waiting: 1, collected: 2000, moved: 0, dead: 3, refused: 0 } as const
  assert.match(printTable(sourcesTable([row, { ...row, source: 'cdx' }])), /all +2 +4,000 +0 +6 +0/)
  assert.partialDeepStrictEqual(seedJson({ reports: [reportOf({ new: 3 })], stopped: true }, './c'), {
    collection: './c',
    added: 3,
    stopped: true,
    sources: [{ source: 'names', new: 3, damage: null }],
  })
})

test('the outcome of a seed, with advice when it led to no document', () => {
  const dead = { url: 'http://a.test/', source: 'given', became: 'dead', why: 'no-such-name', status: -1 } as const
  const base = { ...dead, to: null, rule: null, isEmpty: true }
  const fates = [
    [{ ...base, became: 'collected', why: null, status: 200, isEmpty: false }, 'collected'],
    [base, 'dead: server not found'],
    [{ ...base, why: 'status-404', status: 404 }, 'dead: 404 (not found)'],
    [
      { ...base, became: 'refused', why: 'robots', rule: 'Disallow: /' },
      'skipped: forbidden by robots.txt (Disallow: /)',
    ],
    [
      { ...base, became: 'refused', why: 'unwanted', rule: 'media type image/png' },
      'skipped: image/png is not in --media-types',
    ],
    [
      { ...base, became: 'moved', why: 'not-entered', to: 'http://b.test/' },
      'redirects to http://b.test/, which is out of scope',
    ],
    [
      { ...base, became: 'moved', why: 'connect', to: 'http://b.test/' },
      'redirects to http://b.test/: connection refused',
    ],
    [
      { ...base, became: 'moved', why: null, to: 'http://b.test/', isEmpty: false },
      'redirects to http://b.test/, which was collected',
    ],
    [{ ...base, became: 'waiting', why: null, isEmpty: false }, 'waiting'],
  ] as const
  for (const [outcome, text] of fates) assert.equal(seedFate(outcome), text)
  assert.equal(
    emptySeedLine({ ...base, url: 'http://localhost:8090/', why: 'address-refused' }),
    'orbweaver: nothing collected from seed http://localhost:8090/: private or blacklisted address, or that of a wildcard domain (to collect from your own machine or network, use --allow-private)',
  )
})
