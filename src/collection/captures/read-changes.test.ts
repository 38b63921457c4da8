import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { PageReport } from '../../contracts/report.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { applyReports } from '../sample-catalogue.test-data.ts'
import { type ChangeReader, changeReader, firstPosition, lastPosition, positionOf } from './read-changes.ts'

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

const MINUTE = 60_000
let parts = 0

/** One look at a page, `minutes` after noon. */
async function look(database: Database, url: string, minutes: number, status: number, content = ''): Promise<void> {
  const at = NOON + minutes * MINUTE
  const outcome: PageReport['outcome'] =
    status === 404 || status === 410
      ? { kind: 'gone', why: `status-${status}` }
      : status === 301
        ? { kind: 'moved', to: 'http://a.test/' }
        : status === 503
          ? { kind: 'later', why: 'status-503', notBefore: at }
          : { kind: 'kept', how: 'first' }
  const page = samplePage(url, { at, status, outcome }, content)
  const capture = { ...page.capture!, kind: status === 304 ? ('revisit' as const) : ('response' as const) }
  await applyReports(database, [sampleReport(new URL(url).host, ++parts, [{ ...page, capture }])])
}

async function seen(reader: ChangeReader): Promise<{ lines: string[]; cursors: string[] }> {
  const found: { lines: string[]; cursors: string[] } = { lines: [], cursors: [] }
  for await (const { change, cursor } of reader.read()) {
    found.lines.push(`${change.change} ${new URL(change.url).pathname} ${(change.at - NOON) / MINUTE}`)
    found.cursors.push(cursor)
  }
  return found
}

for (const [name, skip, make] of DATABASES) {
  test(`changes are what differs from the look before, on ${name}`, { skip }, async () => {
    const database = await make()
    const url = 'http://a.test/x'
    await look(database, url, 0, 200, 'one')
    await look(database, url, 1, 200, 'one')
    await look(database, url, 2, 304, 'one')
    await look(database, url, 3, 200, 'two')
    await look(database, url, 4, 503)
    await look(database, url, 5, 404)
    await look(database, url, 6, 404)
    await look(database, url, 7, 200, 'two')
    await look(database, url, 8, 301)
    await look(database, url, 9, 301)
    await look(database, url, 10, 410)
    await look(database, url, 11, 200, 'three')
    await look(database, 'http://a.test/robots.txt', 12, 200, 'a')
    await look(database, 'http://a.test/never', 13, 404)
    const reader = changeReader(database, firstPosition(database))
    const { lines } = await seen(reader)
    assert.deepEqual(lines, [
      ...['new /x 0', 'changed /x 3', 'missing /x 5', 'back /x 7', 'moved /x 8', 'gone /x 10', 'changed /x 11'],
    ])
    assert.deepEqual((await seen(reader)).lines, [], 'nothing comes twice')
    await look(database, url, 14, 200, 'four')
    assert.deepEqual((await seen(reader)).lines, ['changed /x 14'])
    const late = changeReader(database, firstPosition(database), NOON + 9 * MINUTE)
    assert.deepEqual((await seen(late)).lines, ['gone /x 10', 'changed /x 11', 'changed /x 14'])
    await database.close()
  })

  test(`after any line, the rest is what a new reader finds, on ${name}`, { skip }, async () => {
    const database = await make()
    for (let minute = 0; minute < 4; minute++)
      for (const site of ['a', 'b', 'c', 'd', 'e'])
        await look(database, `http://${site}.test/x`, minute, 200, `${minute}`)
    const all = await seen(changeReader(database, firstPosition(database)))
    assert.equal(all.lines.length, 20)
    for (const [i, cursor] of all.cursors.entries()) {
      const position = await positionOf(database, cursor)
      const rest = await seen(changeReader(database, position!))
      assert.deepEqual(rest.lines, all.lines.slice(i + 1))
    }
    const bounded = changeReader(database, firstPosition(database))
    for await (const _ of bounded.read(0)) assert.fail('it may read none')
    assert.equal(bounded.isAtEnd, false)
    assert.equal((await seen(bounded)).lines.length, 20)
    assert.equal(bounded.isAtEnd, true)
    const end = changeReader(database, await lastPosition(database))
    await look(database, 'http://c.test/x', 9, 200, 'new')
    assert.deepEqual((await seen(end)).lines, ['changed /x 9'])
    assert.equal(await positionOf(database, database.dialect === 'sqlite' ? 'p123' : 's1'), undefined)
    assert.equal(await positionOf(database, 's99999'), undefined, 'of another collection')
    await database.close()
  })
}
