/**
 * No hot statement touches two buckets, and none reads more than it needs: in the plan of every exported statement, each
 * access to a table with buckets goes through an index, with the bucket in its condition. Statements for all buckets are not
 * exported; each says what it is for.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { looksOf, statementsIn } from '../../testkit/postgres/plans.test-tools.ts'
import type { Database } from '../database/database.ts'
import { postgresTx } from '../database/postgres/tx.ts'

/** Distributed tables and their distribution column; without those of one row per bucket, which are two pages. */
const SPREAD: Record<string, 'bucket' | 'shard'> = {
  site_stats: 'bucket',
  site_visits: 'bucket',
  page: 'bucket',
  page_links: 'bucket',
  links_changed: 'bucket',
  inlink: 'bucket',
  capture: 'bucket',
  failed_look: 'bucket',
  finding: 'bucket',
  counter: 'bucket',
  minute: 'bucket',
  inbox: 'bucket',
  recheck: 'bucket',
  payload: 'shard',
}

const FILL = [
  `INSERT INTO site_stats SELECT n % 8, n, n::text, 1, 1, 1, 1, 1 FROM generate_series(1, 4000) n`,
  `INSERT INTO site_visits SELECT bucket, site, 'x' FROM site_stats`,
  `INSERT INTO page (bucket, id, site, key, url, depth, path, status, outcome, media_type, bytes, took_ms, tries, first_at,
     at, title, annotations)
   SELECT n % 8, n, n % 400, n, n::text, 0, '', 200, 'kept', '', 0, 0, 1, 1, 1, '', '' FROM generate_series(1, 20000) n`,
  `INSERT INTO page_links SELECT bucket, id, 'x' FROM page`,
  `INSERT INTO links_changed SELECT bucket, id, 'x' FROM page`,
  `INSERT INTO inlink SELECT bucket, id, site, -1, 'x' FROM page`,
  `INSERT INTO capture SELECT bucket, id, site, key, url, 1, 1, id, 1, id::text, 200, '', 'response', 0 FROM page`,
  `INSERT INTO payload SELECT id % 8, digest, bucket, id FROM capture`,
  `INSERT INTO inbox (bucket, visit, part, fence, site, last, bytes, body)
   SELECT n % 8, n::text, 1, 1, '', 0, 1, 'x' FROM generate_series(1, 8000) n`,
  `INSERT INTO recheck SELECT bucket, site, key, url, 'w', 1, '', 1, 1 FROM page`,
  `INSERT INTO finding (bucket, id, site, rule, evidence, at, pattern)
   SELECT n % 8, n, n % 400, 'maze', '', 1, n::text FROM generate_series(1, 8000) n`,
  'ANALYZE',
]

const postgres = await postgresForTests()

describe('plans of the catalogue on PostgreSQL', {
  skip: 'skipped' in postgres ? postgres.skipped : false,
}, async () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())
  const folders = ['.', 'pages', 'captures', 'counters', 'links', 'retention', '../intake', '../intake/postgres']
  const all = (await Promise.all(folders.map((folder) => statementsIn(join(import.meta.dirname, folder))))).flatMap(
    (found) => [...found],
  )
  let filled: Promise<Database> | undefined
  const database = async () => {
    const db = await postgres.make()
    await db.transact(async (tx) => {
      for (const sql of FILL) await postgresTx(tx).run(sql)
    })
    return db
  }

  it('finds them', () => assert.ok(all.length > 25, String(all.length)))
  for (const [name, sql] of all)
    it(name, async () => {
      filled ??= database()
      const { looks, plan } = await looksOf(await filled, sql)
      for (const { table, index, condition } of looks) {
        const by = SPREAD[table]
        if (by === undefined) continue
        assert.match(condition, new RegExp(`\\b${by} = `), `${table} by ${index}: ${condition}\n${plan}`)
      }
    })
})
