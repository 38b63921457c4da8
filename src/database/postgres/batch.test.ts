import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { Batch, type Prepared, type QueryResult } from './batch.ts'
import { openPostgres } from './open.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

/** The types of the messages that a batch sends. */
function sentBy(prepared: Prepared, ...texts: string[]): string {
  const batch = new Batch(prepared, 1000)
  for (const text of texts)
    batch.add({
      text,
      name: text,
      values: ['värde', null, Buffer.from([0, 1])],
      exact: false,
      resolve() {},
      reject() {},
    })
  const written: Buffer[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the client library's own connection has much more.
  batch.submit({ stream: { writable: true, write: (bytes: Buffer) => written.push(bytes) } } as any)
  const bytes = Buffer.concat(written)
  let types = ''
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) types += String.fromCharCode(bytes[at])
  return types
}

it('prepares and describes a statement once per connection, and ends with one Sync', () => {
  const prepared: Prepared = new Map()
  assert.equal(sentBy(prepared, 'SELECT 1', 'SELECT 1', 'SELECT 2'), 'CPBDE' + 'BE' + 'CPBDE' + 'S')
  assert.equal(sentBy(prepared, 'SELECT 2', 'SELECT 1'), 'BE' + 'BE' + 'S')
  // What a cursor returns depends on the cursor.
  assert.equal(sentBy(prepared, 'FETCH 1 FROM c', 'FETCH 1 FROM c'), 'CPBDE' + 'BDE' + 'S')
})

describe('a batch', { skip }, () => {
  async function connected() {
    const database = await openPostgres(await server.newDatabase(), { steps: [] })
    const session = await database.session()
    const ask = (text: string, ...values: string[]) => session.query(text, values, { name: text })
    const end = async () => {
      await session.end()
      await database.close()
    }
    return { session, ask, end }
  }
  const rowsOf = ({ rows }: QueryResult) => rows

  it('answers in order, however many statements it gets, and between others', async () => {
    const { session, ask, end } = await connected()
    const numbers = Array.from({ length: 1000 }, (_, number) => ask('SELECT $1::int AS n', String(number)))
    const plain = session.query("SET application_name = 'later'")
    const after = ask('SHOW application_name')
    const got = await Promise.all(numbers)
    assert.deepEqual(
      got.flatMap(rowsOf),
      Array.from({ length: 1000 }, (_, n) => ({ n })),
    )
    assert.equal((await plain).command, 'SET')
    assert.deepEqual(rowsOf(await after), [{ application_name: 'later' }])
    await end()
  })

  it('says what was done', async () => {
    const { ask, end } = await connected()
    const done = await Promise.all([
      ask('CREATE TEMPORARY TABLE t (n int)'),
      ask('SELECT WHERE false'),
      ask('BEGIN'),
      ask('COMMIT'),
    ])
    const [insert, update] = await Promise.all([
      ask('INSERT INTO t SELECT generate_series(1, 12)'),
      ask('UPDATE t SET n = 0 WHERE n > 5 RETURNING n'),
    ])
    assert.deepEqual(
      [...done, insert, update].map(({ command, count, rows }) => [command, count, rows.length]),
      [
        ['CREATE', 0, 0],
        ['SELECT', 0, 0],
        ['BEGIN', 0, 0],
        ['COMMIT', 0, 0],
        ['INSERT', 12, 0],
        ['UPDATE', 7, 7],
      ],
    )
    await end()
  })

  it('with a statement that fails: those before it are done, those after it are not, and all can be used again', async () => {
    const { session, ask, end } = await connected()
    await session.query('CREATE TEMPORARY TABLE t (n int)')
    const run = (divisor: string) =>
      Promise.allSettled([
        ask('INSERT INTO t SELECT 1'),
        ask('SELECT 1 / $1::int AS whole', divisor),
        ask('SELECT $1::text AS later', 'é'),
        ask('SELECT nothing'),
        ask('SELECT 4'),
      ])
    const codes = async (divisor: string) =>
      (await run(divisor)).map((one) => (one.status === 'fulfilled' ? one.value.rows : one.reason.code))
    // Without a transaction of its own, what goes up to a Sync is one.
    for (const _ of [1, 2]) {
      assert.deepEqual(await codes('0'), [[], '22012', '25P02', '25P02', '25P02'])
      assert.deepEqual(await codes('1'), [[], [{ whole: 1 }], [{ later: 'é' }], '42703', '25P02'])
    }
    assert.deepEqual(rowsOf(await ask('SELECT $1::text AS later', 'ok')), [{ later: 'ok' }])
    assert.deepEqual(rowsOf(await ask('SELECT 4')), [{ '?column?': 4 }])
    assert.deepEqual(rowsOf(await ask('SELECT count(*)::int AS n FROM t')), [{ n: 0 }])
    await end()
  })

  it('with a statement that is empty gives each of the others its own answer', async () => {
    const { ask, end } = await connected()
    const [one, nothing, two] = await Promise.all([ask('SELECT 1 AS n'), ask('-- nothing'), ask('SELECT 2 AS n')])
    assert.deepEqual([one, nothing, two].map(rowsOf), [[{ n: 1 }], [], [{ n: 2 }]])
    await end()
  })

  it('takes as many values as the protocol can count; more fail for that statement only', async () => {
    const { session, ask, end } = await connected()
    const count = (length: number) => {
      const places = Array.from({ length }, (_, at) => `$${at + 1}`)
      const values = places.map(() => 'x')
      return session.query(`SELECT cardinality(ARRAY[${places}]) AS n`, values, { name: `count ${length}` })
    }
    const [most, tooMany, other] = await Promise.allSettled([count(65_535), count(65_536), ask('SELECT 2 AS n')])
    assert.ok(most.status === 'fulfilled' && other.status === 'fulfilled')
    assert.deepEqual([most.value, other.value].map(rowsOf), [[{ n: 65_535 }], [{ n: 2 }]])
    assert.ok(tooMany.status === 'rejected' && /too many values/.test(tooMany.reason.message))
    await end()
  })

  it('that was sent before another failed to describe its statement fails, and the connection can be used', async () => {
    const { session, ask, end } = await connected()
    const sql = 'SELECT $1::int AS n'
    const failing = ask(sql, 'nonsense')
    // Sends what is gathered.
    const between = session.query('SELECT 3 AS n')
    const [first, plain, second] = await Promise.allSettled([failing, between, ask(sql, '5')])
    assert.ok(first.status === 'rejected' && first.reason.code === '22P02')
    assert.ok(plain.status === 'fulfilled')
    assert.ok(second.status === 'rejected' && /columns are not known/.test(second.reason.message))
    assert.deepEqual(rowsOf(await ask(sql, '6')), [{ n: 6 }])
    await end()
  })

  it('whose connection is lost settles every statement once, those of later batches too', async () => {
    const { session, ask, end } = await connected()
    let settled = 0
    const count = (promise: Promise<unknown>) => promise.finally(() => settled++)
    const all = Promise.allSettled([
      count(ask('SELECT 1')),
      count(ask('SELECT pg_terminate_backend(pg_backend_pid())')),
      ...Array.from({ length: 200 }, (_, n) => count(ask('SELECT $1::int', String(n)))),
      count(session.query('SELECT 2')),
    ])
    // The first answer may be lost with the connection: the server leaves statements unread.
    const [, killed, ...rest] = await all
    assert.equal(killed.status, 'rejected')
    assert.ok(rest.every(({ status }) => status === 'rejected'))
    assert.equal(settled, 203)
    assert.ok(session.isLost)
    await assert.rejects(ask('SELECT 1'))
    await end()
  })

  it('with an answer that cannot be read fails for that statement only', async () => {
    const { ask, end } = await connected()
    const [large, small] = await Promise.allSettled([
      ask('SELECT $1::bigint AS n', '9007199254740993'),
      ask('SELECT 5 AS n'),
    ])
    assert.ok(large.status === 'rejected' && large.reason instanceof RangeError)
    assert.ok(small.status === 'fulfilled')
    assert.deepEqual(small.value.rows, [{ n: 5 }])
    await end()
  })
})
