/**
 * No list reads more than it shows, whatever the size of the collection: every statement goes through an index, and what is
 * sorted afterwards is bounded. Rankings read all sites, and are not here: they are made in the background.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { fillToBrowse } from '../../../bench/browse/fill.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { looksOf } from '../../../testkit/postgres/plans.test-tools.ts'
import type { Database } from '../../database/database.ts'
import { numbered } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import {
  READ_LEASED_NAMES,
  READ_LISTED_SITE,
  READ_QUEUE,
  READ_SITE_NAMES,
  READ_SITES_AT,
  URL_WALKS,
} from '../../frontier/browse.ts'
import {
  COUNT_RULES,
  READ_ALIAS_OF,
  READ_FINDINGS,
  READ_FINDINGS_BY_RULE,
  READ_NAMES_OF,
  readAliases,
} from './findings.ts'
import { READ_LAST_CAPTURES, READ_PAGES, READ_SUMS } from './sites.ts'

const STATEMENTS = {
  READ_SITE_NAMES,
  READ_LISTED_SITE,
  READ_QUEUE,
  READ_SUMS,
  READ_PAGES,
  READ_FINDINGS,
  READ_FINDINGS_BY_RULE,
  READ_NAMES_OF,
  READ_ALIAS_OF,
}
/** Bounded by a LIMIT: the newest rows, from the end of an index, or all of a small one. */
const NEWEST = { COUNT_RULES, READ_LAST_CAPTURES, READ_LEASED_NAMES }

const walks = (dialect: 'sqlite' | 'postgres') =>
  Object.entries(URL_WALKS[dialect]).flatMap(([where, walk]) =>
    Object.entries(walk).map(([name, sql]): [string, string] => [`URL_WALKS ${where} ${name}`, sql]),
  )

describe('plans of lists on SQLite', () => {
  const planOf = async (sql: string) => {
    const values = Array.from({ length: Math.max(sql.split('?').length - 1, 0) }, () => 1)
    const own = sql.replaceAll(/\?\d/g, '?')
    return openSqlite(':memory:').read((tx) =>
      sqliteTx(tx)
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${own}`, ...values)
        .map(({ detail }) => detail),
    )
  }
  const all = { ...STATEMENTS, READ_SITES_AT: READ_SITES_AT.sqlite, READ_ALIASES: readAliases('sqlite') }
  for (const [name, sql] of [...Object.entries(all), ...walks('sqlite')])
    it(name, async () => {
      const plan = await planOf(sql)
      for (const step of plan) assert.doesNotMatch(step, /^SCAN|TEMP B-TREE/, plan.join('\n'))
    })
  for (const [name, sql] of Object.entries(NEWEST))
    it(name, async () => {
      const plan = await planOf(sql)
      assert.match(
        plan.join('\n'),
        /SCAN (finding USING (COVERING )?INDEX finding_at|capture)|SEARCH site USING INDEX site_out/,
      )
    })
})

const postgres = await postgresForTests()

describe('plans of lists on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  let filled: Promise<Database> | undefined
  after(() => postgres.end())
  const database = async () => {
    const made = await postgres.make()
    await fillToBrowse(made, { urls: 40_000, sites: 4000 })
    return made
  }
  const all = {
    ...STATEMENTS,
    ...NEWEST,
    READ_SITES_AT: READ_SITES_AT.postgres,
    READ_ALIASES: readAliases('postgres'),
  }
  /** Smaller than an index. */
  const SMALL = ['address_sites', 'site_alias']
  for (const [name, sql] of [...Object.entries(all), ...walks('postgres')])
    it(name, async () => {
      filled ??= database()
      const { looks, plan } = await looksOf(await filled, numbered(sql))
      assert.ok(looks.length > 0)
      for (const { table, index } of looks) assert.ok(index !== undefined || SMALL.includes(table), `${table}\n${plan}`)
      if (!(name in NEWEST)) assert.doesNotMatch(plan, /"Node Type": "Sort"/, plan)
    })
})
