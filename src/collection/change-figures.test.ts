import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { ChangeClass } from '../contracts/change.ts'
import type { CountName } from '../contracts/counts.ts'
import type { Database } from '../database/database.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import { READ_CHANGES } from './captures/read-changes.ts'
import { changeFigures, OVERALL } from './change-figures.ts'
import { applyReports } from './sample-catalogue.test-data.ts'

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))
const never = (): never => assert.fail()
const DATABASES: readonly [name: string, skip: string | false, make: () => Promise<Database>][] = [
  ['SQLite', false, async () => openSqlite(':memory:')],
  [
    'PostgreSQL',
    'skipped' in postgres ? postgres.skipped : false,
    () => ('skipped' in postgres ? never() : postgres.make()),
  ],
]
const NONE = { markup: 0, volatile: 0, small: 0, medium: 0, large: 0, complete: 0, binary: 0 }

for (const [name, skip, make] of DATABASES)
  test(`changes are counted by class, site and type, on ${name}`, { skip }, async () => {
    const database = await make()
    let part = 0
    const look = async (url: string, mediaType: string, change?: ChangeClass) => {
      part++
      const looked: CountName = change === undefined ? 'looks:same' : 'looks:changed'
      const page = samplePage(
        url,
        { at: NOON + part, mediaType, ...(change !== undefined && { change: { class: change, place: 'body > p' } }) },
        `${part}`,
      )
      const counts = new Map<CountName, number>([[looked, 1]])
      await applyReports(database, [sampleReport(new URL(url).host, part, [page], { counts })])
    }
    for (const change of [undefined, 'small', 'small', 'markup', undefined] as const)
      await look('http://a.test/', 'text/html', change)
    for (const change of [undefined, 'large', 'binary'] as const)
      await look('http://b.test/', 'application/pdf', change)
    await look('http://c.test/', 'text/html')
    const figures = await database.read((tx) => changeFigures(tx, 20))
    assert.deepEqual(figures, {
      looks: 9,
      changed: 5,
      classes: { ...NONE, markup: 1, small: 2, large: 1, binary: 1 },
      bySite: [
        { name: 'a.test', looks: 4, classes: { ...NONE, markup: 1, small: 2 } },
        { name: 'b.test', looks: 2, classes: { ...NONE, large: 1, binary: 1 } },
      ],
      byType: [
        { name: 'text/html', looks: 4, classes: { ...NONE, markup: 1, small: 2 } },
        { name: 'application/pdf', looks: 2, classes: { ...NONE, large: 1, binary: 1 } },
      ],
    })
    const [few] = await Promise.all([database.read((tx) => changeFigures(tx, 1))])
    assert.deepEqual(
      [few.bySite, few.byType].map((groups) => groups.map((group) => group.name)),
      [['a.test'], ['text/html']],
      'those with most',
    )
    await database.close()
  })

/** PostgreSQL's are in `plans.test.ts`. */
test('on SQLite, changes are found by their index, and what was before them by that of their URL', async () => {
  const database = openSqlite(':memory:')
  const planOf = (sql: string, ...values: number[]) =>
    database.read((tx) =>
      sqliteTx(tx)
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        .map(({ detail }) => detail),
    )
  for (const [name, sql] of Object.entries(OVERALL))
    for (const step of await planOf(sql, ...(sql.includes('?1') ? [20] : [])))
      if (/^(SCAN|SEARCH) (c|capture)\b/.test(step)) assert.match(step, /USING INDEX capture_change/, name)
  const steps = (await planOf(READ_CHANGES, 0, 0, 0, 500)).filter((step) => !step.startsWith('CORRELATED'))
  assert.deepEqual(steps, [
    'SEARCH c USING INTEGER PRIMARY KEY (rowid>?)',
    'SEARCH b USING INDEX capture_of (site=? AND key=? AND at<?)',
    'SEARCH g USING INDEX capture_of (site=? AND key=? AND at<?)',
  ])
  await database.close()
})
