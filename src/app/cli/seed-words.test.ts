import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printTable } from '../../report/text-table.ts'
import type { SeedsEntered } from '../seeds/sources.ts'
import { SEEDED } from './fake-services.test-data.ts'
import { emptySeedLine, seedFate, seedJson, seedLines, seedProgress, standingTable } from './seed-words.ts'

type Report = SeedsEntered['reports'][number]

const reportOf = (changes: Partial<Report> = {}): Report => ({
  ...SEEDED,
  source: 'names',
  name: 'names.csv',
  unit: 'line',
  ...changes,
})

test('seeds from the command line: one sentence', () => {
  const reports = [reportOf({ source: 'given', new: 2, known: 1 })]
  assert.equal(
    seedLines({ reports, stopped: false }, 'orbweaver crawl'),
    '2 seeds added, 1 was known. Collect them with: orbweaver crawl',
  )
  assert.equal(
    seedLines({ reports, stopped: false }, undefined),
    '2 seeds added, 1 was known. The servers of this crawl hand them out to their workers.',
  )
})

test('sources: a table with its sum, reasons, slips put right, damage; nothing in them steers the terminal', () => {
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
    /names\.csv, line 1,234: 'evil\?\[2J' is refused: it is no host name\n… and 6 more of names\.csv are refused/,
  )
  assert.match(lines, /line 2: 'htp:\/\/a\.test' was read as http:\/\/a\.test\/\n… and 2 more/)
  assert.match(lines, /a\.warc\.gz ends inside record 9; what comes before was entered/)
  assert.match(lines, /4 sites that had been given up are tried once more/)
  assert.match(seedLines({ reports: [reportOf({ refused: 3 })], stopped: false }, 'x'), /Nothing could be entered/)
  const strange = seedLines({ reports: [reportOf({ damage: 'is no sitemap' })], stopped: false }, 'x')
  assert.match(strange, /names\.csv is no sitemap\n/, 'nothing comes before it')
})

test('progress, the list and JSON', () => {
  assert.equal(
    seedProgress(reportOf({ new: 2000 }), 0.257),
    'names.csv: 25 % read, 2,000 new, 0 known, 0 dead, 0 refused, 0 repeated',
  )
  assert.doesNotMatch(seedProgress(reportOf(), undefined), /%/)
  const row = { source: 'names', waiting: 1, collected: 2000, moved: 0, dead: 3, refused: 0 } as const
  assert.match(printTable(standingTable([row, { ...row, source: 'cdx' }])), /all +2 +4,000 +0 +6 +0/)
  assert.partialDeepStrictEqual(seedJson({ reports: [reportOf({ new: 3 })], stopped: true }, './c'), {
    collection: './c',
    added: 3,
    stopped: true,
    sources: [{ source: 'names', new: 3, damage: null }],
  })
})

test('what became of a seed, and what to do about one that brought nothing', () => {
  const dead = { url: 'http://a.test/', source: 'given', became: 'dead', why: 'no-such-name', status: -1 } as const
  const base = { ...dead, to: null, rule: null, isEmpty: true }
  const fates = [
    [{ ...base, became: 'collected', why: null, status: 200, isEmpty: false }, 'collected'],
    [base, 'dead: Server not found'],
    [{ ...base, why: 'status-404', status: 404 }, 'dead: 404 (not found)'],
    [{ ...base, became: 'refused', why: 'robots', rule: 'Disallow: /' }, 'refused by robots (Disallow: /)'],
    [
      { ...base, became: 'moved', why: 'not-entered', to: 'http://b.test/' },
      'moved to http://b.test/, which is not in the scope',
    ],
    [{ ...base, became: 'moved', why: 'connect', to: 'http://b.test/' }, 'moved to http://b.test/: Connection refused'],
    [
      { ...base, became: 'moved', why: null, to: 'http://b.test/', isEmpty: false },
      'moved to http://b.test/, where it was collected',
    ],
    [{ ...base, became: 'waiting', why: null, isEmpty: false }, 'waiting'],
  ] as const
  for (const [outcome, words] of fates) assert.equal(seedFate(outcome), words)
  assert.equal(
    emptySeedLine({ ...base, url: 'http://localhost:8090/', why: 'address-refused' }),
    'orbweaver: seed http://localhost:8090/ brought nothing: Address private, or on a black list (to collect from a machine of your own: --allow-private)',
  )
})
