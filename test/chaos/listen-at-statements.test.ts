import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { listenAtStatements } from './listen-at-statements.ts'

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))

test('a listener hears of prepared statements and of others, before whoever asked', {
  skip: 'skipped' in postgres ? postgres.skipped : false,
}, async () => {
  if ('skipped' in postgres) return
  const db = await openPostgres(await postgres.newDatabase(), { steps: [] })
  const heard: string[] = []
  listenAtStatements((text, when) => {
    if (/^(SELECT [12]$|COMMIT)/.test(text)) heard.push(`${text} ${when}`)
  })
  await db.transact(async (tx) => {
    const both = ['SELECT 1', 'SELECT 2'].map(async (sql) => {
      await postgresTx(tx).get(sql)
      heard.push(`${sql} heard`)
    })
    await Promise.all(both)
  })
  const [one, two] = ['SELECT 1', 'SELECT 2']
  assert.deepEqual(heard.slice(0, 2), [`${one} asked`, `${two} asked`])
  for (const sql of [one, two]) assert.ok(heard.indexOf(`${sql} answered`) < heard.indexOf(`${sql} heard`))
  assert.deepEqual(heard.slice(6), ['COMMIT asked', 'COMMIT answered'])
  assert.equal(heard.length, 8)
  await db.close()
})
