/** No hot statement reads more than it returns: every one goes through an index, and none sorts. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openSqlite } from '../../database/sqlite/open.ts'
import { type SqliteTx, type SqlValue, sqliteTx } from '../../database/sqlite/tx.ts'
import { READ_AUDIT, READ_DECIDED, READ_NEWS } from '../decisions.ts'
import { COUNT_HELD_DOMAINS, READ_ALIAS } from '../queries.ts'
import { UNENDORSED_SITE } from '../rules/domain-rows.ts'
import { KNOWN_PAGE, SITE_LOOKS } from '../rules/known-rows.ts'
import { SITE_MEMORY, SITE_ROBOTS, SITE_TRAPS } from '../rules/site-rows.ts'
import {
  READ_ENDED_LEASES,
  READ_HELD_AFTER,
  READ_HELD_BACK,
  READ_KNOWN_KEYS,
  READ_LEASES_OF_WORKER,
  READ_NAMES_OF,
  READ_NEWEST,
  READ_OLDEST_HELD,
  READ_OUT,
  READ_PENDING_DOMAINS,
  READ_URLS_AFTER,
  READ_WAITING,
  REVIVE_URLS,
  WRITE_PENDING,
} from '../rules/statements.ts'
import { READ_TOTALS } from '../rules/totals.ts'
import { SPELLINGS_OF_SITE, URL_SPELLING, URL_TABLE } from '../rules/url-rows.ts'
import {
  COUNT_AT_ADDRESS,
  READ_ADDRESS,
  READ_ADDRESS_SITES,
  READ_IDLE_ADDRESSES,
  READ_SITES_HELD,
  RELEASE_ADDRESS,
} from './addresses.ts'
import { CLEAR_IDLE_PENDING, READ_PENDING, WRITE_ALIAS } from './aliases.ts'
import { READ_DUE_SITES, READ_FREE, READ_NEXT_DUE, RESERVE } from './check-out.ts'
import { READ_DOMAIN, READ_IS_SEED, WRITE_DOMAIN } from './domain-rows.ts'
import { HAS_VALUED, READ_DUE_PAGES, READ_FIRST_DUE, READ_HEADS, READ_VALUED } from './known-rows.ts'
import { GROW_SITE, READ_DUE_HEAD, READ_FRESH_HEAD, READ_SITE, RENEW, WRITE_SITE } from './site-rows.ts'
import { GIVE_UP_URLS, HAS_SPELLINGS, MARK_WAITING, READ_TEXT } from './url-rows.ts'
import { READ_AGENDA, READ_KNOWN } from './visit-payload.ts'

const STATEMENTS: Record<string, [sql: string, uses: string]> = {
  READ_DUE_SITES: [READ_DUE_SITES, 'site_waiting'],
  READ_FREE: [READ_FREE, 'site_free'],
  READ_NEXT_DUE: [READ_NEXT_DUE, 'site_waiting'],
  READ_NEWS: [READ_NEWS, 'control_version'],
  READ_DECIDED: [READ_DECIDED, 'PRIMARY KEY'],
  READ_AUDIT: [READ_AUDIT, 'PRIMARY KEY'],
  READ_TOTALS: [READ_TOTALS.sqlite, 'PRIMARY KEY'],
  READ_SITE: [READ_SITE, 'PRIMARY KEY'],
  READ_TEXT: [READ_TEXT, 'PRIMARY KEY'],
  MARK_WAITING: [MARK_WAITING, 'PRIMARY KEY'],
  GIVE_UP_URLS: [GIVE_UP_URLS, 'PRIMARY KEY'],
  REVIVE_URLS: [REVIVE_URLS, 'PRIMARY KEY'],
  READ_HELD_BACK: [READ_HELD_BACK.sqlite, 'url_held'],
  HAS_SPELLINGS: [HAS_SPELLINGS, 'PRIMARY KEY'],
  READ_AGENDA: [READ_AGENDA, 'url_waiting'],
  READ_KNOWN: [READ_KNOWN, 'PRIMARY KEY'],
  READ_FRESH_HEAD: [READ_FRESH_HEAD, 'url_waiting'],
  READ_DUE_HEAD: [READ_DUE_HEAD, 'url_waiting'],
  READ_KNOWN_KEYS: [READ_KNOWN_KEYS, 'PRIMARY KEY'],
  READ_VALUED: [READ_VALUED, 'PRIMARY KEY'],
  HAS_VALUED: [HAS_VALUED, 'known_page_class'],
  READ_DUE_PAGES: [READ_DUE_PAGES, 'known_page_due'],
  READ_FIRST_DUE: [READ_FIRST_DUE, 'known_page_due'],
  READ_URLS_AFTER: [READ_URLS_AFTER.sqlite, 'PRIMARY KEY'],
  READ_ADDRESS: [READ_ADDRESS, 'PRIMARY KEY'],
  RELEASE_ADDRESS: [RELEASE_ADDRESS, 'PRIMARY KEY'],
  READ_IDLE_ADDRESSES: [READ_IDLE_ADDRESSES, 'address_idle'],
  READ_SITES_HELD: [READ_SITES_HELD, 'site_held'],
  READ_ENDED_LEASES: [READ_ENDED_LEASES.sqlite, 'site_out'],
  READ_LEASES_OF_WORKER: [READ_LEASES_OF_WORKER, 'site_worker'],
  RENEW: [RENEW, 'PRIMARY KEY'],
  RESERVE: [RESERVE, 'PRIMARY KEY'],
  GROW_SITE: [GROW_SITE, 'PRIMARY KEY'],
  WRITE_SITE: [WRITE_SITE, ''],
  READ_ALIAS: [READ_ALIAS, 'PRIMARY KEY'],
  WRITE_ALIAS: [WRITE_ALIAS, ''],
  READ_WAITING: [READ_WAITING, 'url_waiting'],
  WRITE_PENDING: [WRITE_PENDING, 'PRIMARY KEY'],
  READ_NAMES_OF: [READ_NAMES_OF, 'site_alias_original'],
  READ_DOMAIN: [READ_DOMAIN, 'PRIMARY KEY'],
  WRITE_DOMAIN: [WRITE_DOMAIN, ''],
  READ_IS_SEED: [READ_IS_SEED, 'PRIMARY KEY'],
  READ_NEWEST: [READ_NEWEST, 'unendorsed_of'],
  READ_OLDEST_HELD: [READ_OLDEST_HELD, 'unendorsed_of'],
  READ_HELD_AFTER: [READ_HELD_AFTER.sqlite, 'PRIMARY KEY'],
  COUNT_AT_ADDRESS: [COUNT_AT_ADDRESS, ''],
  READ_ADDRESS_SITES: [READ_ADDRESS_SITES, 'PRIMARY KEY'],
}

/** Their statements are made from the schema. */
const TABLES = {
  KNOWN_PAGE,
  SITE_LOOKS,
  UNENDORSED_SITE,
  URL_TABLE,
  URL_SPELLING,
  SPELLINGS_OF_SITE,
  SITE_MEMORY,
  SITE_ROBOTS,
  SITE_TRAPS,
}
for (const [name, { read, remove, write }] of Object.entries(TABLES)) {
  STATEMENTS[`${name} read`] = [read.sqlite, 'PRIMARY KEY']
  STATEMENTS[`${name} remove`] = [remove.sqlite, 'PRIMARY KEY']
  STATEMENTS[`${name} write`] = [write.sqlite, '']
}

function planOf(tx: SqliteTx, sql: string): string[] {
  const values: SqlValue[] = Array.from({ length: sql.split('?').length - 1 }, () => 1)
  return tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail)
}

describe('plans', () => {
  for (const [name, [sql, uses]] of Object.entries(STATEMENTS))
    it(name, async () => {
      const db = openSqlite(':memory:')
      const plan = await db.read((tx) => planOf(sqliteTx(tx), sql))
      for (const step of plan) assert.doesNotMatch(step, /^SCAN|TEMP B-TREE/, plan.join('\n'))
      assert.ok(uses === '' || plan.some((step) => step.includes(uses)), `${uses}: ${plan.join('\n')}`)
    })

  it('READ_HEADS goes from class to class, and reads only the first pages of each', async () => {
    const db = openSqlite(':memory:')
    const plan = await db.read((tx) => planOf(sqliteTx(tx), READ_HEADS.replaceAll(/\?\d/g, '1')))
    const ofPages = plan.filter(
      (step) => !/^(SCAN c|CO-ROUTINE|SETUP|RECURSIVE|SCALAR|CORRELATED|LIST|SCAN CONSTANT)/.test(step),
    )
    for (const step of ofPages) assert.match(step, /known_page_class \(site=\? AND class/, plan.join('\n'))
    assert.ok(
      ofPages.some((step) => /^SEARCH k .*\(site=\? AND class=\? AND looked_at<\?\)/.test(step)),
      plan.join('\n'),
    )
    assert.ok(ofPages.length >= 4, plan.join('\n'))
  })

  it('what is out, to be moved, to be held or released is read from its own small index', async () => {
    const db = openSqlite(':memory:')
    assert.match((await db.read((tx) => planOf(sqliteTx(tx), READ_OUT))).join(), /INDEX site_out/)
    for (const sql of [READ_PENDING, CLEAR_IDLE_PENDING])
      assert.match((await db.read((tx) => planOf(sqliteTx(tx), sql))).join(), /INDEX site_alias_pending/)
    assert.match((await db.read((tx) => planOf(sqliteTx(tx), READ_PENDING_DOMAINS))).join(), /INDEX domain_pending/)
    assert.match((await db.read((tx) => planOf(sqliteTx(tx), COUNT_HELD_DOMAINS))).join(), /INDEX domain_held/)
  })
})
