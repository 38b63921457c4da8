/**
 * No hot statement reads more than it returns, and none touches two buckets: in the plan of every statement that a file of
 * this folder exports, each look into a table with buckets goes through an index, with the bucket and something more in its
 * condition; and of those that are bounded by a LIMIT none sorts first. The statements are found, not listed: those that are
 * not so are named here, with the reason.
 */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { numbered } from '../../database/queries.ts'

/** By file and name. */
const OTHERWISE: Record<string, string> = {
  '../rules/totals.ts READ_TOTALS': 'the sum of some rows for each bucket',
  'look-around.ts READ_LONG_TOTALS': 'once a second: the rows that READ_TOTALS adds up',
  'look-around.ts FOLD_TOTALS': 'all rows of a bucket',
  '../rules/statements.ts READ_NEWEST':
    'unendorsed sites of a domain are in all buckets; only of domains with a wildcard',
  '../rules/statements.ts READ_OLDEST_HELD': 'as READ_NEWEST',
  '../rules/statements.ts READ_PENDING_DOMAINS': 'an index of its own, of the few that are pending',
  'aliases.ts READ_PENDING': 'an index of its own, of the few that are pending',
  'aliases.ts READ_IDLE_PENDING': 'as READ_PENDING',
  '../rules/statements.ts READ_NAMES_OF': 'an index of its own; only of originals that were given up',
  '../rules/statements.ts READ_HELD_AFTER': 'once, when a process starts',
  '../rules/statements.ts READ_URLS_AFTER': 'once, when refreshing begins: all URLs in their order',
  '../rules/statements.ts READ_OUT': 'once, when a process starts',
}

/** Tables that are spread, by the column that says where. */
const SPREAD: Record<string, 'bucket' | 'shard'> = {
  site: 'bucket',
  site_memory: 'bucket',
  site_robots: 'bucket',
  site_traps: 'bucket',
  url: 'bucket',
  url_spelling: 'bucket',
  seed: 'bucket',
  unendorsed_site: 'bucket',
  site_alias: 'bucket',
  frontier_total: 'bucket',
  recheck: 'bucket',
  known_page: 'bucket',
  site_looks: 'bucket',
  address: 'shard',
  address_reservation: 'shard',
  address_sites: 'shard',
  domain: 'shard',
}

const FILL = [
  `INSERT INTO site (bucket, key, name, state, since, rank, address, holder, worker, lease_until)
   SELECT n % 4, n, n::text, (ARRAY['waiting', 'free', 'leased', 'crawled'])[1 + n / 4 % 4], n, n, (n % 1000)::text,
     CASE n % 50 WHEN 1 THEN 'w' ELSE '' END, CASE n / 4 % 4 WHEN 2 THEN 'w' || n % 20 END, CASE n / 4 % 4 WHEN 2 THEN n END
   FROM generate_series(1, 8000) n`,
  `INSERT INTO url (bucket, site, key, url, depth, path, seq, enqueued_at, due_at, mark)
   SELECT site.bucket, site.key, n, n::text, 0, '', n, n, n % 3, n % 2 FROM site, generate_series(1, 8) n`,
  `INSERT INTO known_page (bucket, site, key, looked_at, refresh_at, class, rate, weight)
   SELECT site.bucket, site.key, n, n, CASE n % 2 WHEN 0 THEN n END, CASE n % 2 WHEN 1 THEN n % 5 END, 1, 1
   FROM site, generate_series(1, 8) n`,
  `INSERT INTO site_looks SELECT bucket, key, 1, 1, 1, 1, 0, 0, 0, NULL FROM site`,
  ...['site_memory', 'site_robots', 'site_traps'].map(
    (table) => `INSERT INTO ${table} SELECT bucket, key, '' FROM site`,
  ),
  `INSERT INTO url_spelling SELECT bucket, key, key, 1, '', 0, NULL, NULL, '', 0 FROM site`,
  `INSERT INTO unendorsed_site (bucket, site, domain, since, hold_state) SELECT bucket, key, key % 2000, since, since % 3 FROM site`,
  `INSERT INTO site_alias SELECT bucket, key, name, name, '', 0, 0, '', 0 FROM site`,
  `INSERT INTO recheck SELECT bucket, key, key, '', 'w', since, '', 0, 0, NULL, NULL, NULL FROM site`,
  `INSERT INTO address SELECT n % 4, n::text, 'w', n % 2, n FROM generate_series(1, 4000) n`,
  `INSERT INTO address_reservation SELECT n % 4, n::text, n % 7 FROM generate_series(1, 4000) n`,
  `INSERT INTO address_sites SELECT n % 4, n::text, n FROM generate_series(1, 4000) n`,
  `INSERT INTO domain (shard, key, name, sites, unendorsed, held, wildcard, pending)
   SELECT n % 4, n, n::text, 1, 0, 0, 0, 0 FROM generate_series(1, 4000) n`,
  `INSERT INTO frontier_total (bucket) SELECT n % 256 FROM generate_series(1, 4000) n`,
  'ANALYZE',
]

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Index Name'?: string
  Operation?: string
  Plans?: Plan[]
}

/** As it is for whatever values. */
async function planOf(tx: PostgresTx, sql: string, name: string): Promise<Plan> {
  const values = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  await tx.run(`PREPARE ${name} AS ${sql}`)
  const call = values === 0 ? name : `${name}(${Array(values).fill('NULL').join(', ')})`
  const row = await tx.get<{ 'QUERY PLAN': string }>(`EXPLAIN (FORMAT JSON) EXECUTE ${call}`)
  return JSON.parse(row?.['QUERY PLAN'] ?? '')[0].Plan
}

interface Look {
  table: string
  /** undefined: the whole table is read. */
  index: string | undefined
  condition: string
}

function* looksInto(plan: Plan): Generator<Look> {
  const table = plan['Relation Name']
  if (table !== undefined && plan['Node Type'] !== 'ModifyTable' && table in SPREAD) {
    const { 'Index Name': index, 'Index Cond': condition = '' } =
      plan['Node Type'] === 'Bitmap Heap Scan' ? plan.Plans![0] : plan
    yield { table, index, condition }
  }
  for (const below of plan.Plans ?? []) yield* looksInto(below)
}

/** A LIMIT that bounds only what is given, not what is read. */
function sortsFirst(plan: Plan): boolean {
  const below = plan.Plans ?? []
  const sorts = ({ 'Node Type': type, Plans: [next] = [] }: Plan): boolean =>
    type.endsWith('Sort') || (type === 'LockRows' && next !== undefined && sorts(next))
  return (plan['Node Type'] === 'Limit' && below.some(sorts)) || below.some(sortsFirst)
}

async function statements(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const folder of ['', '../rules/'])
    for (const file of await readdir(join(import.meta.dirname, folder))) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
      for (const [name, value] of Object.entries<unknown>(await import(`./${folder}${file}`)))
        for (const [part, text] of textsOf(value)) found.set(`${folder}${file} ${name}${part}`, text)
    }
  return found
}

/** A text may be for either database; a table has three of them. */
function textsOf(value: unknown): [part: string, text: string][] {
  if (typeof value === 'string')
    return /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(value)
      ? [['', value.includes('?') ? numbered(value) : value]]
      : []
  if (typeof value !== 'object' || value === null) return []
  if ('postgres' in value) return textsOf(value.postgres)
  if (!('remove' in value)) return []
  return Object.entries(value).flatMap(([name, texts]) =>
    textsOf(texts).map(([, text]) => [` ${name}`, text] as [string, string]),
  )
}

const postgres = await postgresForTests()

describe('plans on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, async () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())
  const all = await statements()
  let filled: Promise<Database> | undefined
  const database = async () => {
    const db = await postgres.make()
    await db.transact(async (tx) => {
      for (const sql of FILL) await postgresTx(tx).run(sql)
    })
    return db
  }

  for (const [name, sql] of all) {
    if (name in OTHERWISE) continue
    it(name, async () => {
      filled ??= database()
      const plan = await (await filled).transact(async (tx) => {
        await postgresTx(tx).run('SET LOCAL plan_cache_mode = force_generic_plan')
        return planOf(postgresTx(tx), sql, `plan_${[...all.keys()].indexOf(name)}`)
      })
      assert.ok(!sortsFirst(plan), JSON.stringify(plan, null, 1))
      for (const { table, index, condition } of looksInto(plan)) {
        const told = `${table} by ${index}: ${condition}\n${JSON.stringify(plan, null, 1)}`
        assert.match(condition, new RegExp(`\\b${SPREAD[table]} = `), told)
        // Of an index of some rows only, the first may be wanted, whatever they are.
        assert.ok(condition.includes(' AND ') || !index?.endsWith('_pkey'), told)
      }
    })
  }

  it('the exceptions are there', () => {
    for (const name of Object.keys(OTHERWISE)) assert.ok(all.has(name), name)
    assert.ok(all.size > 50)
  })
})
