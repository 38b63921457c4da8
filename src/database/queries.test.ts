import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { Database } from './database.ts'
import { queries } from './queries.ts'
import { openSqlite } from './sqlite/open.ts'

const MANY = 1234

/** What holds on either database. */
function suite(make: () => Promise<Database>): void {
  const filled = async () => {
    const database = await make()
    await database.transact(async (tx) => {
      const db = queries(tx)
      await db.run('CREATE TABLE thing (id BIGINT PRIMARY KEY, name TEXT)')
      for (let id = 1; id <= MANY; id++)
        assert.equal(await db.run('INSERT INTO thing (id, name) VALUES (?, ?)', id, id % 2 === 0 ? `n${id}` : null), 1)
      assert.equal(await db.run("UPDATE thing SET name = 'why?' WHERE id <= ?", 10), 10)
    })
    return database
  }

  test('the same text gives the same answers', async () => {
    const database = await filled()
    await database.read(async (tx) => {
      const db = queries(tx)
      assert.deepEqual({ ...(await db.get('SELECT id, name FROM thing WHERE id = ?', 12)) }, { id: 12, name: 'n12' })
      assert.equal(await db.get('SELECT id FROM thing WHERE id = ?', 0), undefined)
      const sql = "SELECT id FROM thing WHERE name = 'why?' AND id > ?2 AND id < ?1 ORDER BY id"
      assert.deepEqual(
        (await db.all<{ id: number }>(sql, 5, 2)).map(({ id }) => id),
        [3, 4],
      )
      assert.deepEqual(
        (await db.allExact<{ id: bigint }>(sql, 5, 2)).map(({ id }) => id),
        [3n, 4n],
      )
      assert.deepEqual({ ...(await db.getExact('SELECT sum(id) AS n FROM thing')) }, { n: (1234n * 1235n) / 2n })
    })
    await database.close()
  })

  test('row by row, one loop in another, and one that is left early', async () => {
    const database = await filled()
    await database.read(async (tx) => {
      const db = queries(tx)
      let rows = 0
      let pairs = 0
      for await (const { id } of db.each<{ id: number }>('SELECT id FROM thing ORDER BY id')) {
        assert.equal(id, ++rows)
        if (id % 400 !== 0) continue
        for await (const other of db.eachExact<{ id: bigint }>('SELECT id FROM thing WHERE id > ? ORDER BY id', id)) {
          assert.equal(other.id, BigInt(id + 1))
          pairs++
          break
        }
      }
      assert.equal(rows, MANY)
      assert.equal(pairs, 3)
    })
    await database.close()
  })

  test('loops over one text at the same time do not disturb each other', async () => {
    const database = await filled()
    const sums = await database.read(async (tx) => {
      const sumAfter = async (min: number) => {
        let sum = 0
        for await (const { id } of queries(tx).each<{ id: number }>('SELECT id FROM thing WHERE id > ?', min)) sum += id
        return sum
      }
      return Promise.all([sumAfter(0), sumAfter(1000), sumAfter(0)])
    })
    const all = (MANY * (MANY + 1)) / 2
    assert.deepEqual(sums, [all, all - 500_500, all])
    await database.close()
  })

  test('one loop after the other has its own columns', async () => {
    const database = await filled()
    const rowsOf = (sql: string) =>
      database.read(async (tx) => {
        const rows: object[] = []
        for await (const row of queries(tx).each(sql)) rows.push({ ...row })
        return rows
      })
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await rowsOf('SELECT id, name FROM thing WHERE id = 12'), [{ id: 12, name: 'n12' }])
      assert.deepEqual(await rowsOf("SELECT 'x' AS letter"), [{ letter: 'x' }])
      assert.deepEqual(await rowsOf('SELECT id FROM thing WHERE id > 2000'), [])
    }
    await database.close()
  })

  test('what fails is told as it was, also out of a loop', async () => {
    const database = await filled()
    const broken = database.read(async (tx) => {
      const db = queries(tx)
      for await (const _ of db.each('SELECT id FROM thing')) await db.get('SELECT nothing FROM thing')
    })
    await assert.rejects(broken, /nothing/)
    await assert.rejects(
      database.read((tx) => queries(tx).all('SELECT CAST(9007199254740993 AS bigint) AS n')),
      RangeError,
    )
    await database.close()
  })
}

describe('queries on SQLite', () => suite(async () => openSqlite(':memory:')))

const postgres = await postgresForTests()
if ('skipped' in postgres) test('queries on PostgreSQL', { skip: postgres.skipped }, () => {})
else {
  after(() => postgres.end())
  describe('queries on PostgreSQL', () => suite(postgres.make))
}
