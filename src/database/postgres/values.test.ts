import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../database.ts'
import { postgresTx } from './tx.ts'
import type { PgScalar, PgValue } from './values.ts'
import { arrayTypesOf } from './values.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const key = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
/** As text, one by one, -0 is 0. */
const double = fc.double().map((value) => value + 0)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'NULL', '{}', '"', '\\', 'a\0b', '\\x00', ' , ', '\ud800'),
)
/** As PostgreSQL gives it back. */
const kept = (value: string) => value.toWellFormed().replaceAll('\0', '\ufffd')

describe('values', { skip }, () => {
  let opened: Promise<Database> | undefined
  const asked = async (sql: string, exact: boolean, ...values: PgValue[]) => {
    opened ??= server.make()
    return (await opened).read((tx) => (exact ? postgresTx(tx).allExact : postgresTx(tx).all)<object>(sql, ...values))
  }
  const comeBack = async <T extends PgScalar>(
    values: fc.Arbitrary<T>,
    type: string,
    as = (value: T): unknown => value,
  ) =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.option(values)), async (sent) => {
        const expected = sent.map((value) => ({ value: value === null ? null : as(value) }))
        assert.deepEqual(await asked(`SELECT * FROM unnest($1::${type}[]) AS value`, true, sent), expected)
      }),
      { numRuns: 40 },
    )

  it('come back from arrays of every type as they were', async () => {
    await comeBack(key, 'bigint')
    await comeBack(fc.maxSafeInteger(), 'bigint', BigInt)
    await comeBack(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), 'integer')
    await comeBack(fc.integer({ min: -32768, max: 32767 }), 'smallint')
    await comeBack(double, 'double precision')
    await comeBack(fc.boolean(), 'boolean')
    await comeBack(text, 'text', kept)
    await comeBack(
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
      'bytea',
    )
  })

  it('come back one by one as they were', async () => {
    await fc.assert(
      fc.asyncProperty(key, text, fc.uint8Array(), double, fc.boolean(), async (a, b, c, d, e) => {
        const sql =
          'SELECT $1::bigint AS a, $2::text AS b, $3::bytea AS c, $4::float8 AS d, $5::boolean AS e, NULL AS f'
        const expected = [{ a, b: kept(b), c: new Uint8Array(c), d, e, f: null }]
        assert.deepEqual(await asked(sql, true, a, b, c, d, e), expected)
      }),
      { numRuns: 100 },
    )
  })

  it('are numbers where they fit, and exact where that is asked', async () => {
    const sql =
      'SELECT count(*) AS n, sum(v) AS s, avg(v) AS mean, min(v)::smallint AS small FROM unnest($1::bigint[]) AS v'
    assert.deepEqual(await asked(sql, false, [1, 2]), [{ n: 2, s: 3, mean: 1.5, small: 1 }])
    assert.deepEqual(await asked(sql, true, [1, 2]), [{ n: 2n, s: 3n, mean: 1.5, small: 1 }])
    await assert.rejects(asked('SELECT $1::bigint AS big', false, 2n ** 60n), RangeError)
  })

  it('that do not fit their array are refused', async () => {
    for (const [type, value] of [
      ['bigint', 1.5],
      ['bigint', 2n ** 63n],
      ['integer', 0.5],
      ['integer', 2 ** 31],
      ['smallint', 40_000],
    ] as const)
      await assert.rejects(asked(`SELECT * FROM unnest($1::${type}[])`, false, [value]), /range|integer/)
    await assert.rejects(asked('SELECT * FROM unnest(CAST($1 AS bigint[]))', false, [1]), /no cast/)
  })
})

it('the type of an array is what its cast says, wherever it stands', () => {
  const typesOf = (sql: string) => Object.fromEntries(arrayTypesOf(sql))
  assert.deepEqual(typesOf('unnest($1::bigint[], $2::TEXT[], $12::double precision[]) WHERE x = $3'), {
    1: 'bigint',
    2: 'text',
    12: 'double precision',
  })
  assert.deepEqual(typesOf('a = ANY($1::bigint[]) OR b = ANY($1::bigint[])'), { 1: 'bigint' })
  assert.deepEqual(typesOf('a = ANY($1::bigint[]) OR b = ANY($1)'), {})
  assert.deepEqual(typesOf('$1::integer[] || $1::bigint[] || $1::integer[]'), {})
  assert.deepEqual(typesOf('$1::uuid[]'), {})
})
