import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeReport, changeTables } from './change-tables.ts'
import { printTable } from './text-table.ts'

const CLASSES = { markup: 100, volatile: 50, small: 150, medium: 30, large: 10, complete: 5, binary: 5 }
const REPORT: ChangeReport = {
  ...{ looks: 1000, changed: 360, pages: 12, classes: CLASSES },
  bySite: [{ name: 'a-very-long-name-of-a-host.example.org', looks: 600, classes: CLASSES }],
  byType: [{ name: '', looks: 1000, classes: CLASSES }],
  hints: {
    sites: 2,
    all: { right: 30, wrong: 10, unannounced: 90 },
    bySite: [{ site: 'a.test', right: 30, wrong: 0, unannounced: 0 }],
  },
  most: [{ url: 'http://a.test/', changesPerDay: 24, changes: 7, observedMs: 86_400_000 }],
  least: [{ url: 'http://a.test/x', changesPerDay: 0.01, changes: 0, observedMs: 86_400_000 }],
}

test('shares by class stand beside those of the paper, and add up', () => {
  const [classes, sites, types, hints, most, least] = changeTables(REPORT)
  const row = (name: string) => classes.rows.find(([first]) => first.startsWith(name))
  assert.deepEqual(row('together'), ['together: the text is the same', '740', '74.00%', '76%'])
  assert.deepEqual(row('Small')?.slice(1), ['150', '15.00%', '16%'])
  assert.deepEqual(row('Medium')?.slice(1), ['30', '3.00%', '3%'])
  assert.deepEqual(row('Changed, not classed')?.slice(1), ['10', '1.00%', ''], 'retention removed their captures')
  const counted = classes.rows.filter(([name]) => !name.startsWith('together')).map(([, looks]) => Number(looks))
  assert.equal(
    counted.reduce((sum, n) => sum + n),
    1000,
  )
  assert.equal(types.rows[0][0], '(none)')
  assert.deepEqual(hints.rows, [
    ['2 sites', '30', '10', '25.00%', '90', '25.00%'],
    ['a.test', '30', '0', '0.00%', '0', '100.00%'],
  ])
  assert.deepEqual(most.rows, [['1h', '7 in 24h', 'http://a.test/']])
  assert.deepEqual(least.rows, [['100d', '0 in 24h', 'http://a.test/x']])
  for (const table of [classes, sites, types, hints])
    for (const line of printTable(table).split('\n')) assert.ok([...line].length <= 80, line)
})

test('tables without rows are left out', () => {
  const titles = changeTables({
    ...REPORT,
    bySite: [],
    byType: [],
    hints: { ...REPORT.hints, sites: 0 },
    most: [],
    least: [],
  }).map(({ title }) => title)
  assert.equal(titles.length, 1)
})
